import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import { isLoopback } from '../core/hosts.ts';
import { allowSecretInBrowser, checkCredential, type Fetch } from '../core/http/index.ts';
import { isBrowser, parseUrl, systemBytes } from '../core/platform.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { checkLasting, memoryStore, type Store } from '../stores/store.ts';
import { storeUnavailable } from './errors.ts';
import { computeLease, type Lock, usualLock } from './lock.ts';

/** URLs of the login server, instead of its discovery document. */
export interface LoginEndpoints {
  /** The server's own name, as in its responses. Compared character by character. */
  readonly issuer: string;
  /** URL that users are sent to for login (RFC 6749 3.1). `https:`, or `http:` on localhost. */
  readonly authorization: string | URL;
  /**
   * URL that exchanges codes and refresh tokens (RFC 6749 3.2). `https:`, or `http:` on localhost.
   */
  readonly token: string | URL;
  /** URL that revokes tokens. If absent, logging out deletes them without revoking. */
  readonly revocation?: string | URL | undefined;
}

/** Options for a login. Times are in milliseconds. */
export interface LoginOptions {
  /** The login server. Its other URLs are read from `/.well-known/openid-configuration`. */
  readonly authUrl?: string | URL | undefined;
  /** URLs of the login server, instead of `authUrl`. */
  readonly endpoints?: LoginEndpoints | undefined;
  /** This client's name at the login server, in visible ASCII. */
  readonly clientId: string;
  /** Only for servers. A page is a client without a secret. */
  readonly clientSecret?: string | undefined;
  /** URL the login server sends the user back to, exactly as registered. */
  readonly redirectUri: string | URL;
  /** Scopes to request. A login that should outlast its first token needs `offline_access`. */
  readonly scopes: readonly string[];
  /**
   * Stores the login. It must be durable, except with a sandbox, where the default is memory, or
   * with `memoryStore({ mayForget: true })`. Processes can share it even if their clocks differ.
   * One of them renews and the others wait.
   */
  readonly store?: Store | undefined;
  /** The owner of the login, such as the id of your own session. Defaults to `main`. */
  readonly sessionId?: string | undefined;
  /** Sends requests to the login server. Defaults to the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Clock for expiry and waiting. Defaults to the machine's. In a test, pass the sandbox's. */
  readonly clock?: Clock | undefined;
  /** Cryptographically secure random bytes. Defaults to the platform's. */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /**
   * Saves other callers from reading the store. Defaults to the browser's own locks in a page, and
   * elsewhere to one lock for this login. The store alone keeps the order.
   */
  readonly lock?: Lock | undefined;
  /** Timeout for a request to the login server, and for a store operation. Defaults to 8,000. */
  readonly attemptTimeout?: number | undefined;
  /**
   * Allows `clientSecret` where `document` exists, for tests in a page. Otherwise it's rejected
   * with `SECRET_IN_BROWSER`.
   */
  readonly [allowSecretInBrowser]?: boolean | undefined;
}

/** What the user granted. */
export interface Grant {
  /** Scopes of the tokens, from the server's response, or as requested if it has none. */
  readonly scopes: readonly string[];
  /**
   * When the current access token expires, in milliseconds since 1970 by this machine's clock.
   * Absent if the server sent no lifetime. A token that another process renewed may expire earlier.
   * If it's refused, the client gets a new one.
   */
  readonly expiresAt?: number | undefined;
  /** Whether it can be renewed without the user. */
  readonly canRefresh: boolean;
}

/** Options for starting a login. */
export interface BeginOptions {
  /** `login` asks the user again, even if the login server still has a session. */
  readonly prompt?: 'login' | 'consent' | 'none' | undefined;
}

/**
 * Result of revoking the tokens. `unknown` without a response, `not-offered` if the login server
 * can't revoke.
 */
export type Revocation = 'yes' | 'unknown' | 'not-offered';

/** A login of one user. */
export interface Login {
  /**
   * Starts a login and resolves to the URL to send the user to. What's needed to finish it is
   * stored for this session, to be used once within ten minutes.
   *
   * @throws UnreachableError if the login server's URLs can't be found
   */
  begin(options?: BeginOptions): Promise<{ readonly url: string }>;
  /**
   * Finishes the login with the URL the user was redirected to. Each URL only works once.
   *
   * @param callback the whole URL, with its query
   * @throws AuthenticationError `LOGIN_STATE_MISMATCH` if it doesn't belong to a login that this
   * session started, `LOGIN_REFUSED` if the user or the server refused, `LOGIN_REQUIRED` if the
   * code has expired, `REFRESH_UNKNOWN` if no response came
   */
  finish(callback: string | URL): Promise<Grant>;
  /**
   * Gets the access token, and renews it if necessary. Pass it to `createClient({ token:
   * login.token })`.
   *
   * @throws AuthenticationError `LOGIN_REQUIRED` if the user must log in again, `REFRESH_UNKNOWN`
   * if a refresh had no response
   */
  readonly token: (last?: { readonly refused: string }) => Promise<string>;
  /** Renews the access token now. Throws the same errors as `token`. */
  refresh(): Promise<Grant>;
  /** Deletes the login, then revokes it. Doesn't throw if the login server can't be reached. */
  logout(): Promise<{ readonly revoked: Revocation }>;
  /**
   * Resolves to whether there's a login. It's `unknown` after a refresh without a response, until
   * the next call.
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

/** Checks everything before anything is sent. An error never repeats a value. */
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

/** Checks a URL that tokens are sent to. It must be https, or http on localhost. */
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
 * Wraps a store so every operation ends within the timeout. Replaces the store's errors, because
 * they may contain the row. A failed operation may still have been executed.
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
