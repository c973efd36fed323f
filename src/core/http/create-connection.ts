import { badInput, checkOptions } from '../errors/index.ts';
import { addressFault, isLoopback, plainAddress } from '../hosts.ts';
import { makeDial, isBrowser, parseUrl, systemRandom, systemUuid } from '../platform.ts';
import { systemClock } from '../time.ts';
import { type Connection, internals, checkNumbers, findRoot } from './connection.ts';
import { CLIENT_OPTIONS, type ClientOptions } from './client-options.ts';
import {
  allowSecretInBrowser,
  readBearer,
  checkCredential,
  type Credential,
} from './credential.ts';
import { productionRateLimits } from './rate-limits.ts';
import { makeTransport } from './transport.ts';

/**
 * The `sender` of clients that use the platform's `fetch`. It isn't `globalThis`, because then
 * printing a client would print all globals.
 */
const PLATFORM: object = {};

/**
 * Creates a connection for functions that work on single resources, without sending a request. To
 * get all operations as methods, use `createClient` instead. Throws an `InputError` if the URL or
 * the key is invalid, or if a page passes an `apiKey`.
 *
 * @example
 * const connection = createConnection({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
 */
export function createConnection(given: ClientOptions): Connection {
  const options = given ?? {}; // JavaScript callers may pass nothing
  checkOptions(options, CLIENT_OPTIONS);
  const page = pageHere();
  if (options.apiKey !== undefined && isBrowser() && !options[allowSecretInBrowser])
    throw badInput('apiKey', 'is for servers only; use a token in the browser', {
      code: 'SECRET_IN_BROWSER',
    });
  const baseUrl = lazyBase(options.baseUrl, page);
  const credential = chooseCredential(options);
  const connection: Connection = {
    [internals]: {
      baseUrl,
      clock: options.clock ?? systemClock,
      random: options.random ?? systemRandom,
      uuid: options.uuid ?? systemUuid,
      capabilities: { list: true, feed: true, ...options.capabilities },
      authorize: makeTransport(options.fetch, credential),
      dial: options.token
        ? makeDial(baseUrl, page, options.WebSocket, () => readBearer(credential))
        : undefined,
      sender: options.fetch ?? PLATFORM,
      canLogIn: !!options.token,
      account: chooseAccount(options, baseUrl),
      state: new Map(),
      settings: Object.freeze({
        ...checkNumbers(options),
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
  findRoot(connection); // stores the options for all derived connections
  // Vue and other proxy-based libraries don't wrap objects that aren't extensible.
  return Object.preventExtensions(connection);
}

/** Returns a function for the account's name. The API key is only passed to the digest. */
function chooseAccount(
  { account, apiKey }: ClientOptions,
  baseUrl: () => string,
): ((digest: (text: string) => string) => string) | undefined {
  if (account === undefined && apiKey === undefined) return undefined;
  return (digest) => account ?? digest(`${baseUrl()} ${apiKey}`);
}

/** Returns the validated credential. It's only kept in closures, so it can't be printed. */
function chooseCredential(options: ClientOptions): Credential | undefined {
  const { apiKey, token } = options;
  if (apiKey !== undefined && token !== undefined)
    throw badInput('token', 'must not be combined with apiKey');
  if (token === null) return undefined;
  if (typeof token === 'function') return token;
  return 'token' in options && apiKey === undefined
    ? checkCredential('token', token)
    : checkCredential('apiKey', apiKey);
}

/**
 * Returns a function for the base URL. A path is relative to the page. Outside a page, a path is
 * only resolved when a request is made, so a module that creates a client can also be loaded on a
 * server.
 */
function lazyBase(given: string | URL, page: string | undefined): () => string {
  const isPath = page === undefined && /^\/(?![/\\])/.test(String(given));
  let base = isPath ? undefined : resolveBase(given, page);
  return () => (base ??= resolveBase(given, pageHere() ?? globalThis.location?.href));
}

function pageHere(): string | undefined {
  return (globalThis as { document?: { baseURI?: string } }).document?.baseURI;
}

/** Resolves the base URL against the page, validates it and removes trailing slashes. */
function resolveBase(given: string | URL, page: string | undefined): string {
  // Reject a host name without a scheme, such as `pay.example`, which a page would resolve as a
  // path.
  const isAddress = /^([a-z][a-z\d+.-]*:|[/.])/i.test(String(given));
  const url = isAddress ? parseUrl(given, page) : undefined;
  const isNear =
    isLoopback(url?.hostname ?? '') || (page !== undefined && url?.origin === new URL(page).origin);
  const fault = addressFault(url, isNear);
  if (fault) throw badInput('baseUrl', fault.advice);
  return plainAddress(url!);
}
