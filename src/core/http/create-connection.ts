import { badInput, checkOptions } from '../errors/index.ts';
import {
  dialOf,
  isBrowser,
  parseUrl,
  type SocketClass,
  systemRandom,
  systemUuid,
} from '../platform.ts';
import { type Clock, systemClock } from '../time.ts';
import {
  type Capabilities,
  type Connection,
  type DriftCheck,
  internals,
  type Network,
  numbersOf,
  OVERRIDES,
  type Observers,
  type RateLimitStore,
  rootOf,
} from './connection.ts';
import { allowSecretInBrowser, bearerOf, checkCredential, type Credential } from './credential.ts';
import { productionRateLimits, type RateLimits } from './rate-limits.ts';
import { type Fetch, transportOf } from './transport.ts';

/**
 * The `sender` of clients without their own `fetch`. It is not `globalThis`: printing a client
 * would then print the whole process.
 */
const PLATFORM: object = {};

/** The options of a client. Times in milliseconds, sizes in bytes. */
export interface ClientOptions extends Observers {
  /**
   * Address of the service or of your own relay; a path such as `/pay` belongs to the page, and is
   * resolved at the first call.
   */
  readonly baseUrl: string | URL;
  /** The key of the whole account, which never expires; for servers only. */
  readonly apiKey?: string | undefined;
  /**
   * A short-lived token, or a function that gets one; `null` for a client without any credential.
   */
  readonly token?: Credential | null | undefined;
  /**
   * Your name for the account, up to 200 characters: journals of payments are pinned to it. Name it
   * before the first payment. When absent, a digest of `baseUrl` and `apiKey` names it until the
   * key is rotated; with a `token` a durable journal needs the name.
   */
  readonly account?: string | undefined;
  /** Sends the requests; the platform's `fetch` when absent. */
  readonly fetch?: Fetch | undefined;
  /** Opens sockets to your relay; the page's own where `baseUrl` belongs to the page. */
  readonly WebSocket?: SocketClass | undefined;
  /** Time and timers; the platform's when absent. */
  readonly clock?: Clock | undefined;
  /** Numbers from 0 up to 1, for the spread of waiting times; `Math.random` when absent. */
  readonly random?: (() => number) | undefined;
  /** Makes idempotency keys and correlationIds; random UUIDs when absent. */
  readonly uuid?: (() => string) | undefined;
  /** Longest time for one attempt; 10,000. */
  readonly attemptTimeout?: number | undefined;
  /** Longest time for all attempts of a call, from when the first one may be sent; 60,000. */
  readonly callTimeout?: number | undefined;
  /**
   * Longest wait for a place in the rate limit, before the first attempt; one and a half windows of
   * that limit, which is 90,000 or 900,000.
   */
  readonly queueTimeout?: number | undefined;
  /** Attempts of a call that may be repeated; 3. */
  readonly maxAttempts?: number | undefined;
  /** Request limits; those that are absent are production's. */
  readonly rateLimits?: Partial<RateLimits> | undefined;
  /** Part of the limits for this process, 0 to 1; 1. */
  readonly rateLimitShare?: number | undefined;
  /**
   * Counts requests together with other clients that send from the same address, such as those of
   * other requests in a Worker; this client's memory when absent. See `paystate/stores`.
   */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** Longest response; 5,000,000. */
  readonly maxResponseBytes?: number | undefined;
  /** Checks every response: `reportDrift(listener)` or `rejectDrift` of `paystate/schemas`. */
  readonly drift?: DriftCheck | undefined;
  /** The rights of the credential beyond reading single resources by id; all of it when absent. */
  readonly capabilities?: Partial<Capabilities> | undefined;
  /** Other paths for single endpoints, by the path as published. */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /**
   * The Bitcoin network that a checkout accepts codes of. When absent, the first code that it shows
   * decides.
   */
  readonly network?: Network | undefined;
  /**
   * Equal reads at the same time share one request; by default only in a page. Not for Workers:
   * when a request ends there, the reads that it shares with others end too.
   */
  readonly dedupeReads?: boolean | undefined;
  /** Lets a page, its workers or an app use an `apiKey`, which is the whole account: for tests. */
  readonly [allowSecretInBrowser]?: boolean | undefined;
}

/** Names of the options of a client. */
const CLIENT_OPTIONS: readonly string[] = /* @__PURE__ */ OVERRIDES.concat(
  'baseUrl',
  'apiKey',
  'token',
  'account',
  'fetch',
  'WebSocket',
  'clock',
  'random',
  'uuid',
  'rateLimits',
  'rateLimitShare',
  'rateLimitStore',
  'maxResponseBytes',
  'capabilities',
  'paths',
  'network',
  'dedupeReads',
);

/**
 * Makes a connection for the functions of single resources; `createClient` makes one with all
 * operations. Nothing is sent. Throws an `InputError` for a bad address, a bad key, or a key in a
 * page.
 *
 * @example
 * const connection = createConnection({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
 */
export function createConnection(given: ClientOptions): Connection {
  const options = given ?? { baseUrl: '' }; // plain JavaScript may pass nothing
  checkOptions(options, CLIENT_OPTIONS);
  checkOptions(options.rateLimits, Object.keys(productionRateLimits), 'rateLimits.');
  checkOptions(options.capabilities, ['list', 'feed'], 'capabilities.');
  const page = pageHere();
  if (options.apiKey !== undefined && isBrowser() && !options[allowSecretInBrowser])
    throw badInput('apiKey', 'is for servers only; use a token in a page', {
      code: 'SECRET_IN_BROWSER',
    });
  const baseUrl = lazyBase(options.baseUrl, page);
  const credential = credentialOf(options);
  const connection: Connection = {
    [internals]: {
      baseUrl,
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      uuid: options.uuid ?? systemUuid,
      capabilities: { list: true, feed: true, ...options.capabilities },
      authorize: transportOf(options.fetch, credential),
      dial: options.token
        ? dialOf(baseUrl, page, options.WebSocket, () => bearerOf(credential))
        : undefined,
      sender: options.fetch ?? PLATFORM,
      canLogIn: !!options.token,
      account: accountOf(options, baseUrl),
      state: new Map(),
      settings: Object.freeze({
        ...numbersOf(options),
        rateLimits: { ...productionRateLimits, ...options.rateLimits },
        rateLimitStore: options.rateLimitStore,
        isShareKnown:
          options.rateLimitShare !== undefined || !!options.rateLimitStore?.[internals].isShared,
        drift: options.drift,
        paths: options.paths ?? {},
        dedupeReads: options.dedupeReads ?? !!page,
        network: options.network,
        onRequest: options.onRequest,
        onResponse: options.onResponse,
        onRetry: options.onRetry,
        onWait: options.onWait,
      }),
    },
  };
  rootOf(connection); // stores these options for all derived connections
  return connection;
}

/** Returns a function that names the account. A key is passed only to the digest. */
function accountOf(
  { account, apiKey }: ClientOptions,
  baseUrl: () => string,
): ((digest: (text: string) => string) => string) | undefined {
  if (account === undefined && apiKey === undefined) return undefined;
  return (digest) => account ?? digest(`${baseUrl()} ${apiKey}`);
}

/** Checks the credential. It stays in closures: no property, JSON or inspection shows it. */
function credentialOf(options: ClientOptions): Credential | undefined {
  const { apiKey, token } = options;
  if (apiKey !== undefined && token !== undefined)
    throw badInput('token', 'must not be given together with apiKey');
  if (token === null) return undefined;
  if (typeof token === 'function') return token;
  return 'token' in options && apiKey === undefined
    ? checkCredential('token', token)
    : checkCredential('apiKey', apiKey);
}

/**
 * Returns the checked base address. A path belongs to the page; without a page it is resolved at
 * each call, so that a module with a client can also be loaded elsewhere.
 */
function lazyBase(given: string | URL, page: string | undefined): () => string {
  const isPath = page === undefined && /^\/(?![/\\])/.test(String(given));
  let base = isPath ? undefined : baseOf(given, page);
  return () => (base ??= baseOf(given, pageHere() ?? globalThis.location?.href));
}

/** Returns the address against which the page resolves relative ones. */
function pageHere(): string | undefined {
  return (globalThis as { document?: { baseURI?: string } }).document?.baseURI;
}

/**
 * Checks the base address and removes trailing slashes; resolves a relative one against the page.
 */
function baseOf(given: string | URL, page: string | undefined): string {
  // A name alone, such as `pay.example`, is a host whose scheme was forgotten. A page would take it
  // for a path.
  const isAddress = /^([a-z][a-z\d+.-]*:|[/.])/i.test(String(given));
  const url = isAddress ? parseUrl(given, page) : undefined;
  const isNear =
    /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url?.hostname ?? '') ||
    (page !== undefined && url?.origin === new URL(page).origin);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isNear);
  if (!url || !isSafe || url.username || url.password || /[?#]/.test(url.href))
    throw badInput(
      'baseUrl',
      'must be https:// without user, query or fragment (http:// for this machine or page, a ' +
        'path in a page)',
    );
  let { length } = url.href;
  // a regular expression for this would take quadratic time
  while (url.href[length - 1] === '/') length--;
  return url.href.slice(0, length);
}
