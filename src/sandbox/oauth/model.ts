import type { Clock } from '../../core/time/index.ts';
import type { allowSecretInBrowser } from '../../core/http/index.ts';

/** A program that asks users for access. Lifetimes in milliseconds of the sandbox's clock. */
export interface OAuthClientDraft {
  /** Its name on the wire; drawn. */
  readonly clientId?: string | undefined;
  /** A client without one is public, as a page is; none. */
  readonly clientSecret?: string | undefined;
  /**
   * Where users are sent back to, compared character by character; `https://app.example/callback`.
   */
  readonly redirectUris?: readonly string[] | undefined;
  /** Programs on this machine are sent back to any address of it; false. */
  readonly loopback?: boolean | undefined;
  /** The most it may ask for; everything. */
  readonly scopes?: readonly string[] | undefined;
  /** How long its access tokens live; an hour. */
  readonly accessTokenLifetime?: number | undefined;
  /** How long each of its refresh tokens lives; 30 days. */
  readonly refreshTokenLifetime?: number | undefined;
  /** Whether a refresh brings a new refresh token and ends the old one; true. */
  readonly rotates?: boolean | undefined;
}

/** Options for `createLogin` of `paystate/oauth`. */
export interface SandboxLogin {
  readonly authUrl: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly fetch: (input: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly [allowSecretInBrowser]: true;
}

/** What a user does at the login server. */
export interface Visitor {
  /** Handle of the account; the first one. */
  readonly account?: string | undefined;
  /** Says yes; true. */
  readonly allow?: boolean | undefined;
  /** Allows only these; everything that was asked for. */
  readonly scopes?: readonly string[] | undefined;
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
   * const login = createLogin(sandbox.oauth.registerClient({ clientSecret: 'a-secret-of-the-server', accessTokenLifetime: 60_000 }));
   */
  registerClient(draft?: OAuthClientDraft): SandboxLogin;
  /**
   * Visits the address to which a login sends its user, responds there, and resolves to the address
   * that the user is sent back to.
   *
   * @throws InputError when the login server sends nobody back: unknown client, another redirect
   * @example
   * const callback = await sandbox.oauth.visit(url, { allow: false }); // with this, `login.finish` says that they did not agree
   */
  visit(url: string | URL, visitor?: Visitor): Promise<string>;
  /** Ends, before their time, all access tokens, or with `logins` the refresh tokens too. */
  end(what: 'access' | 'logins'): void;
}
