import { badInput } from '../../core/errors/index.ts';
import { allowSecretInBrowser } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import { everyScope } from '../service/routes.ts';
import type { World } from '../world/world.ts';
import {
  addClient,
  endAll,
  type OAuthClient,
  type OAuthClientDraft,
  OAuthError,
} from './grants.ts';
import { authorize, type Visitor } from './login-server.ts';

/** Options for `createLogin` of `paystate/oauth`. */
export interface SandboxLogin {
  /** Where the login server is. */
  readonly authUrl: string;
  /** As it was registered. */
  readonly clientId: string;
  /** As it was registered; absent for a public client. */
  readonly clientSecret?: string;
  /** The first of `redirectUris`. */
  readonly redirectUri: string;
  /** `offline_access`, and everything that the client may ask for. */
  readonly scopes: readonly string[];
  /** Sends to the sandbox, whatever the host of the address. */
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  /** The sandbox's clock. */
  readonly clock: Clock;
  /**
   * Random bytes that follow from the seed: the same calls give the same bytes. Never for real
   * logins.
   */
  readonly randomBytes: (length: number) => Uint8Array;
  readonly [allowSecretInBrowser]: true;
}

/** The login server in the box. */
export interface SandboxOAuth {
  /**
   * Where it is: its addresses are below `/connect/`, and it tells them under
   * `/.well-known/openid-configuration`.
   */
  readonly authUrl: string;
  /**
   * Options for `createLogin`: the public client `app`, which may ask for everything and be on this
   * machine.
   */
  readonly loginOptions: SandboxLogin;
  /**
   * Makes another client and returns its options for `createLogin`.
   *
   * @example
   * const login = createLogin(
   *   sandbox.oauth.registerClient({
   *     clientSecret: 'a-secret-of-the-server',
   *     accessTokenLifetime: 60_000,
   *   }),
   * );
   */
  registerClient(draft?: OAuthClientDraft): SandboxLogin;
  /**
   * Visits the address to which a login sends its user, responds there, and resolves to the address
   * that the user is sent back to.
   *
   * @throws InputError when the login server does not redirect: unknown client, or another redirect
   * address
   * @example
   * const callback = await sandbox.oauth.visit(url, { allow: false });
   * // with this, `login.finish` says that they did not agree
   */
  visit(url: string | URL, visitor?: Visitor): Promise<string>;
  /** Ends, before their time, all access tokens, or with `logins` the refresh tokens too. */
  end(what: 'access' | 'logins'): void;
}

/** The login server as tests use it. */
export function createOAuth(
  world: World,
  authUrl: string,
  fetch: SandboxLogin['fetch'],
): SandboxOAuth {
  const { random, clock } = world;
  function loginOf({
    clientId,
    clientSecret,
    redirectUris,
    scopes = everyScope(),
  }: OAuthClient): SandboxLogin {
    const purpose = `oauth/login/${random.next('oauth/login')}`;
    return {
      authUrl,
      clientId,
      ...(clientSecret !== undefined && { clientSecret }),
      redirectUri: redirectUris[0]!,
      scopes: ['offline_access', ...scopes],
      fetch,
      clock,
      [allowSecretInBrowser]: true,
      randomBytes: (length) => random.bytes(purpose, random.next(purpose)).slice(0, length),
    };
  }

  return {
    authUrl,
    loginOptions: loginOf(addClient(world, { clientId: 'app', loopback: true })),
    registerClient: (draft = {}) => loginOf(addClient(world, draft)),
    async visit(url, visitor) {
      try {
        return authorize(world, new URL(url), visitor);
      } catch (thrown) {
        if (!(thrown instanceof OAuthError)) throw thrown;
        throw badInput('url', 'does not redirect: client or redirect is not registered');
      }
    },
    end: (what) => endAll(world, what),
  };
}
