import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import { isLoopback } from '../core/hosts.ts';
import { allowSecretInBrowser, checkCredential, type Fetch } from '../core/http/index.ts';
import { isBrowser, parseUrl, systemBytes } from '../core/platform.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { checkLasting, memoryStore, type Store } from '../stores/store.ts';
import { storeUnavailable } from './errors.ts';
import { computeLease, type Lock, usualLock } from './lock.ts';

/** The login server's URLs, for servers without a discovery document. */
export interface LoginEndpoints {
  /**
   * The login server's issuer identifier. It must be identical to the one in the server's
   * responses.
   */
  readonly issuer: string;
  /**
   * URL of the login page that users are redirected to (RFC 6749 3.1). It must use `https:`, or
   * `http:` on localhost.
   */
  readonly authorization: string | URL;
  /**
   * URL for exchanging codes and refresh tokens (RFC 6749 3.2). It must use `https:`, or `http:` on
   * localhost.
   */
  readonly token: string | URL;
  /** URL for revoking tokens. If absent, `logout` deletes the tokens without revoking them. */
  readonly revocation?: string | URL | undefined;
}

/** Options for a login. Times are in milliseconds. */
export interface LoginOptions {
  /** URL of the login server. Its endpoints are read from `/.well-known/openid-configuration`. */
  readonly authUrl?: string | URL | undefined;
  /**
   * The login server's URLs. Use them instead of `authUrl` if the server has no discovery document.
   */
  readonly endpoints?: LoginEndpoints | undefined;
  /** Client id registered with the login server, in visible ASCII. */
  readonly clientId: string;
  /** Client secret, for servers only. Pages must not use one. */
  readonly clientSecret?: string | undefined;
  /**
   * URL that the login server redirects the user to after the login. It must be identical to the
   * registered one.
   */
  readonly redirectUri: string | URL;
  /**
   * Scopes to request. Include `offline_access` if the login should outlast its first access token.
   */
  readonly scopes: readonly string[];
  /**
   * Store for the login. It must be durable, except with a sandbox, where it defaults to memory.
   * For other tests, use `memoryStore({ mayForget: true })`. Several processes can share a store
   * even if their clocks differ. One of them renews the tokens while the others wait.
   */
  readonly store?: Store | undefined;
  /** A name for the login in the store, such as your own session id. Defaults to `main`. */
  readonly sessionId?: string | undefined;
  /** The function that sends requests to the login server. Defaults to the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Clock for expiry times and delays. Defaults to the system clock. In tests, pass the sandbox's
   * clock.
   */
  readonly clock?: Clock | undefined;
  /**
   * A function that returns cryptographically secure random bytes. Defaults to the platform's
   * generator.
   */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /**
   * Lock that lets only one caller renew the tokens at a time, which avoids unnecessary store
   * operations. Defaults to the browser's Web Locks in a page, and to a queue for this login
   * elsewhere. Correctness doesn't depend on it, because the store ensures that.
   */
  readonly lock?: Lock | undefined;
  /**
   * Timeout for each request to the login server and each store operation, in milliseconds.
   * Defaults to 8,000.
   */
  readonly attemptTimeout?: number | undefined;
  /**
   * Allows `clientSecret` in a page, for tests. Without this option, a client secret in a page is
   * rejected with `SECRET_IN_BROWSER`.
   */
  readonly [allowSecretInBrowser]?: boolean | undefined;
}

/** A login's scopes and lifetime. */
export interface Grant {
  /**
   * The tokens' scopes according to the login server, or the requested scopes if its response
   * contains none.
   */
  readonly scopes: readonly string[];
  /**
   * When the current access token expires, in milliseconds since 1970 by the local clock. Absent if
   * the server doesn't specify a lifetime. If another process renewed the token, it may expire
   * earlier. In that case, the client gets a new token when the service refuses the old one.
   */
  readonly expiresAt?: number | undefined;
  /** Whether the login can be renewed without involving the user. */
  readonly canRefresh: boolean;
}

/** Options for starting a login. */
export interface BeginOptions {
  /**
   * The `prompt` parameter for the login server. With `login`, the user must log in again even if
   * the login server still has a session.
   */
  readonly prompt?: 'login' | 'consent' | 'none' | undefined;
}

/**
 * The result of revoking the tokens. It's `unknown` if there was no response, and `not-offered` if
 * the login server doesn't support revocation.
 */
export type Revocation = 'yes' | 'unknown' | 'not-offered';

/** A login for one user. */
export interface Login {
  /**
   * Starts a login and resolves to the URL to redirect the user to. The data for finishing the
   * login is stored for this session. It can be used once, within ten minutes.
   *
   * @throws UnreachableError if the login server's URLs can't be found
   */
  begin(options?: BeginOptions): Promise<{ readonly url: string }>;
  /**
   * Finishes the login with the URL that the user was redirected to. Each URL can only be used
   * once.
   *
   * @param callback the full URL, including its query
   * @throws AuthenticationError `LOGIN_STATE_MISMATCH` if the URL doesn't belong to a login that
   * this session started, `LOGIN_REFUSED` if the user or the server refused, `LOGIN_REQUIRED` if
   * the code has expired, `REFRESH_UNKNOWN` if there was no response
   */
  finish(callback: string | URL): Promise<Grant>;
  /**
   * Resolves to the access token, which is renewed if necessary. Pass this function to
   * `createClient({ token: login.token })`.
   *
   * @throws AuthenticationError `LOGIN_REQUIRED` if the user must log in again, `REFRESH_UNKNOWN`
   * if a refresh had no response
   */
  readonly token: (last?: { readonly refused: string }) => Promise<string>;
  /** Renews the access token now. Throws the same errors as `token`. */
  refresh(): Promise<Grant>;
  /**
   * Deletes the login from the store and revokes its tokens. Doesn't reject if the login server
   * can't be reached.
   */
  logout(): Promise<{ readonly revoked: Revocation }>;
  /**
   * Resolves to whether the user is logged in. After a token refresh without a response, the result
   * is `unknown` until the next refresh.
   */
  isLoggedIn(): Promise<boolean | 'unknown'>;
}

export interface LoginSettings {
  readonly authUrl: URL | undefined;
  readonly endpoints: LoginEndpoints | undefined;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly store: Rows;
  readonly sessionId: string;
  readonly fetch: Fetch | undefined;
  readonly clock: Clock;
  readonly randomBytes: (length: number) => Uint8Array;
  readonly lock: Lock;
  readonly attemptTimeout: number;
}

const LOGIN_OPTIONS: Expected<LoginOptions> = {
  authUrl: 'string|object',
  endpoints: {
    issuer: 'string!',
    authorization: 'string|object!',
    token: 'string|object!',
    revocation: 'string|object',
  },
  clientId: 'any',
  clientSecret: 'any',
  redirectUri: 'string|object!',
  scopes: 'any',
  store: 'object',
  sessionId: 'string',
  fetch: 'function',
  clock: 'object',
  randomBytes: 'function',
  lock: 'function',
  attemptTimeout: 'number',
};

const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** Validates a login's options. Errors never include the values. */
export function checkSettings(options: LoginOptions): LoginSettings {
  checkOptions(options ?? null, LOGIN_OPTIONS);
  const { store = memoryStore(), clock = systemClock } = options;
  const { attemptTimeout = 8_000, sessionId = 'main', randomBytes = systemBytes } = options;
  const { authUrl, endpoints, clientId, clientSecret, scopes, fetch } = options;
  if ((authUrl === undefined) === (endpoints === undefined))
    throw badInput('authUrl', 'set either authUrl or endpoints');
  checkCredential('clientId', clientId);
  checkSecret(clientSecret, options[allowSecretInBrowser]);
  checkScopes(scopes);
  if (!(Number.isFinite(attemptTimeout) && attemptTimeout > 0))
    throw badInput('attemptTimeout', 'must be a number of milliseconds above 0');
  if (sessionId === '') throw badInput('sessionId', 'must be a non-empty string');
  return {
    authUrl: authUrl === undefined ? undefined : secureUrl('authUrl', authUrl),
    endpoints: endpoints && checkEndpoints(endpoints),
    clientId,
    clientSecret,
    redirectUri: checkRedirect(options.redirectUri),
    scopes: [...scopes],
    store: timedStore(
      checkLasting(store, authUrl ?? endpoints!.token, 'store', 'a crash would lose the login'),
      clock,
      attemptTimeout,
    ),
    sessionId,
    fetch,
    clock,
    randomBytes,
    lock: options.lock ?? usualLock(clock, computeLease(attemptTimeout)),
    attemptTimeout,
  };
}

function checkScopes(scopes: readonly string[]): void {
  if (
    !Array.isArray(scopes) ||
    scopes.length === 0 ||
    !scopes.every((scope) => typeof scope === 'string' && SCOPE.test(scope))
  )
    throw badInput('scopes', 'must contain at least one scope, each without spaces');
}

function checkSecret(secret: string | undefined, allowed: boolean | undefined): void {
  if (secret === undefined) return;
  if (isBrowser() && !allowed)
    throw badInput(
      'clientSecret',
      'must not be used in a browser; leave it out, or log in through your server',
      {
        code: 'SECRET_IN_BROWSER',
      },
    );
  checkCredential('clientSecret', secret);
}

function checkEndpoints(endpoints: LoginEndpoints): LoginEndpoints {
  for (const name of ['issuer', 'authorization', 'token'] as const)
    secureUrl(`endpoints.${name}`, endpoints[name]);
  if (endpoints.revocation !== undefined) secureUrl('endpoints.revocation', endpoints.revocation);
  return endpoints;
}

function checkRedirect(given: string | URL): string {
  const url = parseUrl(given);
  if (!url || url.hash || url.username || url.password)
    throw badInput('redirectUri', 'must be the full URL that you registered, without a fragment');
  return String(given);
}

/** Validates a URL that tokens are sent to. It must use https, or http on localhost. */
export function secureUrl(field: string, given: string | URL): URL {
  const url = parseUrl(given);
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe || url.username || url.password || url.hash)
    throw badInput(
      field,
      'must be a URL such as https://login.example, without user or fragment (http:// only on localhost)',
    );
  return url;
}

type Rows = Pick<Store, 'get' | 'put' | 'compareAndSet'>;

/**
 * Wraps a store so that every operation ends within the timeout. The store's errors are replaced,
 * because they may contain tokens. A failed operation may still have been executed.
 */
function timedStore(store: Rows, clock: Clock, timeout: number): Rows {
  const limit = <T>(operate: () => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const work = clock.external(operate());
      const stop = clock.after(timeout, reject);
      void work.then(resolve, reject).finally(stop);
    }).catch(() => {
      throw storeUnavailable();
    });
  return {
    get: (key) => limit(() => store.get(key)),
    put: (key, value) => limit(() => store.put(key, value)),
    compareAndSet: (key, version, value) => limit(() => store.compareAndSet(key, version, value)),
  };
}
