import type { allowSecretInBrowser, Fetch } from '../core/http/index.ts';
import type { Clock } from '../core/time/index.ts';
import type { Store } from '../stores/store.ts';

/** Addresses of the login server, instead of its discovery document. */
export interface LoginEndpoints {
  /** The server's own name, which its answers carry: compared character by character. */
  readonly issuer: string;
  /** Where users are sent to log in (RFC 6749 3.1); `https:`, or `http:` on loopback. */
  readonly authorization: string | URL;
  /**
   * Where codes and refresh tokens are exchanged (RFC 6749 3.2); `https:`, or `http:` on loopback.
   */
  readonly token: string | URL;
  /** Absent: logging out forgets, and revokes nothing. */
  readonly revocation?: string | URL | undefined;
}

/** Lets one work at a time under a name, in every tab and process that shares it. */
export type Lock = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** What a login is made of. Times in milliseconds. */
export interface LoginOptions {
  /**
   * The login server; it is asked where everything is, under `/.well-known/openid-configuration`.
   */
  readonly authUrl?: string | URL | undefined;
  /** Instead of `authUrl`: where everything is. */
  readonly endpoints?: LoginEndpoints | undefined;
  /** Name of this client at the login server; visible ASCII. */
  readonly clientId: string;
  /** For servers only; a page is a client without a secret. */
  readonly clientSecret?: string | undefined;
  /** Where the login server sends the user back to, exactly as registered. */
  readonly redirectUri: string | URL;
  /** What is asked for; a login that outlasts its first token needs `offline_access`. */
  readonly scopes: readonly string[];
  /**
   * Where the login is kept. It has to be durable, except beside a sandbox, where it is in memory when
   * absent, and where `memoryStore({ mayForget: true })` is given. Processes may share it, whatever
   * their clocks say: one renews, the others wait.
   */
  readonly store?: Store | undefined;
  /** Whose login it is, such as the id of your own session; `main`. */
  readonly sessionId?: string | undefined;
  /** Sends requests to the login server; the platform's own. */
  readonly fetch?: Fetch | undefined;
  /** Time for expiry and waiting; the machine's own. Give a test its sandbox's clock. */
  readonly clock?: Clock | undefined;
  /** Cryptographically secure random bytes; the platform's own. */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /**
   * Saves the others a look at the store: in a page the browser's own locks, elsewhere one for this
   * login. The store keeps order.
   */
  readonly lock?: Lock | undefined;
  /**
   * Longest time for one request to the login server, and for one operation of the store; 8,000.
   */
  readonly attemptTimeout?: number | undefined;
  /**
   * Allows `clientSecret` where `document` exists, for tests in a page; otherwise it is refused
   * with `SECRET_IN_BROWSER`.
   */
  readonly [allowSecretInBrowser]?: boolean | undefined;
}

/** What the user allowed. */
export interface Grant {
  /** What the tokens allow: the scopes that the server named, else those that were asked for. */
  readonly scopes: readonly string[];
  /**
   * When the present access token ends, milliseconds since 1970 by this machine's clock; absent
   * where the server did not say. Where another process renewed it, it may end sooner: a service
   * that refuses it is asked again with a new one.
   */
  readonly expiresAt?: number | undefined;
  /** Whether it can be renewed without the user. */
  readonly canRefresh: boolean;
}

/** How a login begins. */
export interface BeginOptions {
  /** `login` asks the user again although the login server still knows them. */
  readonly prompt?: 'login' | 'consent' | 'none' | undefined;
}

/**
 * What became of the tokens at the login server: `unknown` when no answer came, `not-offered` where
 * it has no such service.
 */
export type Revocation = 'yes' | 'unknown' | 'not-offered';

/** A login of one user. */
export interface Login {
  /**
   * Begins a login: the address to send the user to. What is needed to finish it is kept once, for
   * this session, for ten minutes.
   *
   * @throws UnreachableError if the login server does not say where it is
   */
  begin(options?: BeginOptions): Promise<{ readonly url: string }>;
  /**
   * Finishes it with the address that the user came back to; each works once.
   *
   * @param callback the whole address, with its query
   * @throws AuthenticationError `LOGIN_STATE_MISMATCH` when it is not the end of a login that this
   * session began, `LOGIN_REFUSED` when the user or the server said no, `LOGIN_REQUIRED` when the
   * code is over, `REFRESH_UNKNOWN` when no answer came
   */
  finish(callback: string | URL): Promise<Grant>;
  /**
   * The access token, renewed where it has to be; for `createClient({ token: login.token })`.
   *
   * @throws AuthenticationError `LOGIN_REQUIRED` when the user must log in again, `REFRESH_UNKNOWN`
   * when a refresh was not answered
   */
  readonly token: (last?: { readonly refused: string }) => Promise<string>;
  /** Renews the access token now; errors as `token`. */
  refresh(): Promise<Grant>;
  /** Forgets the login, then revokes it. Never throws for a login server that is away. */
  logout(): Promise<{ readonly revoked: Revocation }>;
  /**
   * Whether there is a login; `unknown` after a refresh without an answer: the next call decides.
   */
  isLoggedIn(): Promise<boolean | 'unknown'>;
}
