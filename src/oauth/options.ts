import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import { isLoopback } from '../core/hosts.ts';
import { allowSecretInBrowser, checkCredential, type Fetch } from '../core/http/index.ts';
import { isBrowser, parseUrl, systemBytes } from '../core/platform.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { checkLasting, memoryStore, type Store } from '../stores/store.ts';
import { storeUnavailable } from './errors.ts';
import { computeLease, type Lock, usualLock } from './lock.ts';

/** Addresses of the login server, instead of its discovery document. */
export interface LoginEndpoints {
  /** The server's own name, which its responses contain; it is compared character by character. */
  readonly issuer: string;
  /** Address to which users are sent to log in (RFC 6749 3.1); `https:`, or `http:` on loopback. */
  readonly authorization: string | URL;
  /**
   * Address at which codes and refresh tokens are exchanged (RFC 6749 3.2); `https:`, or `http:` on
   * loopback.
   */
  readonly token: string | URL;
  /**
   * Address at which tokens are revoked. When absent, logging out forgets them and revokes nothing.
   */
  readonly revocation?: string | URL | undefined;
}

/** Options of a login. Times in milliseconds. */
export interface LoginOptions {
  /** The login server. Its other addresses are read from `/.well-known/openid-configuration`. */
  readonly authUrl?: string | URL | undefined;
  /** Addresses of the login server, instead of `authUrl`. */
  readonly endpoints?: LoginEndpoints | undefined;
  /** Name of this client at the login server; visible ASCII. */
  readonly clientId: string;
  /** For servers only; a page is a client without a secret. */
  readonly clientSecret?: string | undefined;
  /** Address to which the login server sends the user back, exactly as registered. */
  readonly redirectUri: string | URL;
  /** The permissions to request. A login that outlasts its first token needs `offline_access`. */
  readonly scopes: readonly string[];
  /**
   * Stores the login. It must be durable, except with a sandbox, where memory is the default, or
   * with `memoryStore({ mayForget: true })`. Processes may share it, whatever their clocks say: one
   * of them renews and the others wait.
   */
  readonly store?: Store | undefined;
  /** The owner of the login, such as the id of your own session; `main` when absent. */
  readonly sessionId?: string | undefined;
  /** Sends requests to the login server; the platform's own. */
  readonly fetch?: Fetch | undefined;
  /** Time for expiry and waiting; the machine's own. Give a test its sandbox's clock. */
  readonly clock?: Clock | undefined;
  /** Cryptographically secure random bytes; the platform's own. */
  readonly randomBytes?: ((length: number) => Uint8Array) | undefined;
  /**
   * Saves other callers reads of the store; in a page the browser's own locks, elsewhere one lock
   * for this login. The store alone keeps the order.
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

/** The permissions that the user gave. */
export interface Grant {
  /**
   * The rights of the tokens: the scopes that the server named, otherwise those that were
   * requested.
   */
  readonly scopes: readonly string[];
  /**
   * When the current access token expires, milliseconds since 1970 by this machine's clock; absent
   * where the server did not say. A token that another process renewed may expire earlier: after a
   * refusal the client gets a new one.
   */
  readonly expiresAt?: number | undefined;
  /** True if it can be renewed without the user. */
  readonly canRefresh: boolean;
}

/** Options of the beginning of a login. */
export interface BeginOptions {
  /** `login` asks the user again although the login server still knows them. */
  readonly prompt?: 'login' | 'consent' | 'none' | undefined;
}

/**
 * The login server's answer to the revocation of the tokens: `unknown` without a response,
 * `not-offered` where it cannot revoke.
 */
export type Revocation = 'yes' | 'unknown' | 'not-offered';

/** A login of one user. */
export interface Login {
  /**
   * Begins a login and resolves to the address to send the user to. What finishes the login is
   * stored for this session, for one use within ten minutes.
   *
   * @throws UnreachableError if the login server does not say where it is
   */
  begin(options?: BeginOptions): Promise<{ readonly url: string }>;
  /**
   * Finishes the login with the URL to which the user was redirected; each URL works once.
   *
   * @param callback the whole address, with its query
   * @throws AuthenticationError `LOGIN_STATE_MISMATCH` when it is not the end of a login that this
   * session began, `LOGIN_REFUSED` when the user or the server said no, `LOGIN_REQUIRED` when the
   * code is over, `REFRESH_UNKNOWN` when no answer came
   */
  finish(callback: string | URL): Promise<Grant>;
  /**
   * Gets the access token and renews it where necessary; for `createClient({ token: login.token
   * })`.
   *
   * @throws AuthenticationError `LOGIN_REQUIRED` when the user must log in again, `REFRESH_UNKNOWN`
   * when a refresh was not answered
   */
  readonly token: (last?: { readonly refused: string }) => Promise<string>;
  /** Renews the access token now; errors as `token`. */
  refresh(): Promise<Grant>;
  /**
   * Forgets the login, then revokes it. It does not throw where the login server cannot be reached.
   */
  logout(): Promise<{ readonly revoked: Revocation }>;
  /**
   * Resolves to whether there is a login; `unknown` after a refresh without a response, until the
   * next call.
   */
  isLoggedIn(): Promise<boolean | 'unknown'>;
}

/** The options of a login, checked. */
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

/** Checks everything before anything is sent; an error never repeats a value. */
export function checkSettings(options: LoginOptions): LoginSettings {
  checkOptions(options ?? null, LOGIN_OPTIONS);
  const { store = memoryStore(), clock = systemClock } = options;
  const { attemptTimeout = 8_000, sessionId = 'main', randomBytes = systemBytes } = options;
  const { authUrl, endpoints, clientId, clientSecret, scopes, fetch } = options;
  if ((authUrl === undefined) === (endpoints === undefined))
    throw badInput('authUrl', 'give either authUrl or endpoints');
  checkCredential('clientId', clientId);
  checkSecret(clientSecret, options[allowSecretInBrowser]);
  checkScopes(scopes);
  if (!(Number.isFinite(attemptTimeout) && attemptTimeout > 0))
    throw badInput('attemptTimeout', 'must be milliseconds above 0');
  if (sessionId === '') throw badInput('sessionId', 'must be a text that is not empty');
  return {
    authUrl: authUrl === undefined ? undefined : secureUrl('authUrl', authUrl),
    endpoints: endpoints && checkEndpoints(endpoints),
    clientId,
    clientSecret,
    redirectUri: checkRedirect(options.redirectUri),
    scopes: [...scopes],
    store: timedStore(
      checkLasting(store, authUrl ?? endpoints!.token, 'store', 'a crash loses the login'),
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
      'must not be used in a page; leave it out, or log in through your server',
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
    throw badInput('redirectUri', 'must be the full URL as registered, without a fragment');
  return String(given);
}

/** Checks an address to which tokens are sent: https, or http on this machine. */
export function secureUrl(field: string, given: string | URL): URL {
  const url = parseUrl(given);
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (!url || !isSafe || url.username || url.password || url.hash)
    throw badInput(
      field,
      'must be like https://login.example, without user or fragment (http:// for loopback only)',
    );
  return url;
}

/** The part of a store that a login uses. */
type Rows = Pick<Store, 'get' | 'put' | 'compareAndSet'>;

/**
 * Wraps a store so that every operation ends within the time limit. Errors of the store are not
 * repeated, because they may contain the row. An operation that failed may still have been
 * executed.
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
