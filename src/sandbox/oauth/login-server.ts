import { badInput } from '../../core/errors/index.ts';
import { allowSecretInBrowser } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import { type BehaviourId, recordUse } from '../provenance/recorder.ts';
import { type IncomingRequest, requireKey, everyScope } from '../service/incoming.ts';
import type { LoginResponder } from '../service/service.ts';
import { jsonResponse, type OutgoingResponse } from '../world/responses.ts';
import { requireAccount, type World } from '../world/world.ts';
import {
  addClient,
  addCode,
  authenticateClient,
  findClient,
  endAll,
  isRegistered,
  issueAccess,
  issueRefresh,
  makeJwt,
  type OAuthClient,
  type OAuthClientDraft,
  OAuthError,
  redeemCode,
  redeemRefresh,
  revokeToken,
  type TokenFamily,
} from './grants.ts';

interface Endpoint {
  readonly respond: (world: World, incoming: IncomingRequest) => OutgoingResponse;
  readonly rests?: readonly BehaviourId[];
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  'GET /.well-known/openid-configuration': {
    rests: ['logins.discovery'],
    respond: (_, { url }) => privateJson(makeConfiguration(url.origin)),
  },
  'GET /connect/authorize': {
    rests: ['logins.flow', 'logins.rules', 'logins.codes'],
    respond: (world, { url }) => ({
      status: 302,
      headers: { location: authorize(world, url) },
      body: null,
    }),
  },
  'POST /connect/token': {
    rests: [
      'logins.secret',
      'logins.offline',
      'logins.tokens',
      'logins.lives',
      'logins.codes',
      'logins.twice',
    ],
    respond: (world, incoming) => privateJson(tokenResponse(world, incoming)),
  },
  'POST /connect/revocation': {
    rests: ['logins.secret', 'logins.revocation'],
    respond(world, incoming) {
      const form = readForm(incoming);
      revokeToken(world, authenticateClient(world, incoming.headers, form), form.get('token'));
      return { status: 200, headers: {}, body: null };
    },
  },
  'GET /connect/userinfo': {
    respond(world, { headers }) {
      const { account } = requireKey(world, headers);
      return privateJson({ sub: account.id, name: account.handle });
    },
  },
};

export function createLoginServer(world: World): LoginResponder {
  return {
    owns: ({ pathname }) => /^\/(connect|\.well-known)\//.test(pathname),
    respond(incoming) {
      const name = `${incoming.method} ${incoming.url.pathname}`;
      const endpoint = Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name] : undefined;
      if (!endpoint) return undefined;
      recordUse(world, 'logins.limits');
      for (const id of endpoint.rests ?? []) recordUse(world, id);
      try {
        return endpoint.respond(world, incoming);
      } catch (thrown) {
        if (thrown instanceof OAuthError)
          return privateJson({ error: thrown.error }, thrown.status);
        throw thrown;
      }
    },
  };
}

function makeConfiguration(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/connect/authorize`,
    token_endpoint: `${issuer}/connect/token`,
    revocation_endpoint: `${issuer}/connect/revocation`,
    userinfo_endpoint: `${issuer}/connect/userinfo`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    id_token_signing_alg_values_supported: ['HS256'],
    authorization_response_iss_parameter_supported: true,
  };
}

function readForm({ headers, body }: IncomingRequest): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(headers.get('content-type') ?? ''))
    throw new OAuthError('invalid_request');
  const form = new URLSearchParams(body ?? '');
  if (new Set(form.keys()).size !== [...form.keys()].length)
    throw new OAuthError('invalid_request');
  return form;
}

/** Returns a JSON response that caches must not store (RFC 6749 section 5.1). */
function privateJson(body: object, status = 200): OutgoingResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { ...jsonResponse(status, body), headers };
}

/** The decision of a simulated user on the login page. */
export interface Visitor {
  /** Handle of the account that the user logs into. Defaults to the first account. */
  readonly account?: string | undefined;
  /** Whether the user allows access. Defaults to true. */
  readonly allow?: boolean | undefined;
  /** Scopes that the user allows. Defaults to all requested scopes. */
  readonly scopes?: readonly string[] | undefined;
}

/** Scopes of OpenID Connect itself, which every client may request. */
const PROTOCOL_SCOPES: readonly string[] = ['openid', 'profile', 'offline_access'];

/**
 * Returns the URL that the user is redirected to. Throws if the redirect URL isn't registered,
 * because redirecting there would be unsafe.
 */
function authorize(
  world: World,
  url: URL,
  { account, allow = true, scopes }: Visitor = {},
): string {
  const asked = url.searchParams;
  const client = findClient(world, asked.get('client_id'));
  const redirectUri = asked.get('redirect_uri');
  if (!client || redirectUri === null || !isRegistered(client, redirectUri))
    throw new OAuthError('invalid_request');
  const back = new URL(redirectUri);
  const state = asked.get('state');
  try {
    if (!allow) throw new OAuthError('access_denied');
    const granted = chooseGranted(client, asked, scopes);
    back.searchParams.set(
      'code',
      addCode(world, {
        client,
        account: requireAccount(world, account),
        scopes: granted,
        redirectUri,
        challenge: challengeIn(asked),
      }),
    );
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown;
    back.searchParams.set('error', thrown.error);
  }
  if (state !== null) back.searchParams.set('state', state);
  back.searchParams.set('iss', url.origin);
  return back.href;
}

function challengeIn(asked: URLSearchParams): string {
  if (asked.get('response_type') !== 'code') throw new OAuthError('unsupported_response_type');
  const challenge = asked.get('code_challenge');
  if (
    challenge === null ||
    !/^[\w-]{43}$/.test(challenge) ||
    asked.get('code_challenge_method') !== 'S256'
  )
    throw new OAuthError('invalid_request');
  return challenge;
}

function chooseGranted(
  client: OAuthClient,
  asked: URLSearchParams,
  allowed: readonly string[] | undefined,
): readonly string[] {
  const scopes = (asked.get('scope') ?? '').split(' ').filter(Boolean);
  const isOpen = (scope: string) =>
    client.scopes === undefined || client.scopes.includes(scope) || PROTOCOL_SCOPES.includes(scope);
  if (scopes.length === 0 || !scopes.every(isOpen)) throw new OAuthError('invalid_scope');
  return allowed ? scopes.filter((scope) => allowed.includes(scope)) : scopes;
}

function tokenResponse(world: World, incoming: IncomingRequest): object {
  const form = readForm(incoming);
  const client = authenticateClient(world, incoming.headers, form);
  const grant = form.get('grant_type');
  if (grant === 'authorization_code') {
    const family = redeemCode(world, client, form.get('code'), {
      redirectUri: form.get('redirect_uri'),
      verifier: form.get('code_verifier'),
    });
    return {
      ...makeTokens(world, family, true),
      ...makeNameTag(world, family, incoming.url.origin),
    };
  }
  if (grant === 'refresh_token')
    return makeTokens(
      world,
      redeemRefresh(world, client, form.get('refresh_token')),
      client.rotates,
    );
  throw new OAuthError('unsupported_grant_type');
}

function makeTokens(world: World, family: TokenFamily, renews: boolean): object {
  return {
    access_token: issueAccess(world, family),
    token_type: 'Bearer',
    expires_in: Math.floor(family.client.accessTokenLifetime / 1_000),
    scope: family.scopes.join(' '),
    ...(renews &&
      family.scopes.includes('offline_access') && { refresh_token: issueRefresh(world, family) }),
  };
}

function makeNameTag(world: World, { scopes, account, client }: TokenFamily, iss: string): object {
  if (!scopes.includes('openid')) return {};
  const now = Math.floor(world.clock.now() / 1_000);
  return {
    id_token: makeJwt(world, {
      iss,
      sub: account.id,
      aud: client.clientId,
      iat: now,
      exp: now + 300,
      name: account.handle,
    }),
  };
}

/** Options for `createLogin` from `paystate/oauth`. */
export interface SandboxLogin {
  /** URL of the login server. */
  readonly authUrl: string;
  /** The registered client's id. */
  readonly clientId: string;
  /** The registered client's secret. Absent for a public client. */
  readonly clientSecret?: string;
  /** Redirect URL, the first entry in `redirectUris`. */
  readonly redirectUri: string;
  /** Scopes to request. Includes `offline_access` and every scope that the client may request. */
  readonly scopes: readonly string[];
  /** Sends requests to the sandbox, regardless of the URL's host. */
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  /** The sandbox's clock. */
  readonly clock: Clock;
  /**
   * Returns random bytes derived from the seed, so the same calls return the same bytes. Never use
   * them for real logins.
   */
  readonly randomBytes: (length: number) => Uint8Array;
  readonly [allowSecretInBrowser]: true;
}

/** The sandbox's OAuth login server. */
export interface SandboxOAuth {
  /**
   * The login server's URL. Its endpoints start with `/connect/` and are listed in
   * `/.well-known/openid-configuration`.
   */
  readonly authUrl: string;
  /**
   * Options for `createLogin` with a public client named `app`. The client may request every scope
   * and redirect to localhost.
   */
  readonly loginOptions: SandboxLogin;
  /**
   * Registers another OAuth client and returns its options for `createLogin`.
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
   * Visits a login URL as a user who allows or denies access. Resolves to the URL that the user is
   * redirected to.
   * @throws InputError if the client is unknown or the redirect URL isn't registered
   *
   * @example
   * const callback = await sandbox.oauth.visit(url, { allow: false });
   * // with this, `login.finish` says that they did not agree
   */
  visit(url: string | URL, visitor?: Visitor): Promise<string>;
  /**
   * Revokes all access tokens before they expire. With `logins`, also revokes all refresh tokens.
   */
  end(what: 'access' | 'logins'): void;
}

export function createOAuth(
  world: World,
  authUrl: string,
  fetch: SandboxLogin['fetch'],
): SandboxOAuth {
  const { random, clock } = world;
  function makeLogin({
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
    loginOptions: makeLogin(addClient(world, { clientId: 'app', loopback: true })),
    registerClient: (draft = {}) => makeLogin(addClient(world, draft)),
    async visit(url, visitor) {
      try {
        return authorize(world, new URL(url), visitor);
      } catch (thrown) {
        if (!(thrown instanceof OAuthError)) throw thrown;
        throw badInput(
          'url',
          'cannot redirect, because the client or its redirect URI is not registered',
        );
      }
    },
    end: (what) => endAll(world, what),
  };
}
