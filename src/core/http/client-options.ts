import type { Expected } from '../errors/index.ts';
import type { SocketClass } from '../platform.ts';
import type { Clock } from '../time.ts';
import {
  type Capabilities,
  type DriftCheck,
  type Fetch,
  type Network,
  type Observers,
  OVERRIDES,
  type RateLimitStore,
} from './connection.ts';
import type { allowSecretInBrowser, Credential } from './credential.ts';
import type { RateLimits } from './rate-limits.ts';

/** Options for creating a client. Times are in milliseconds and sizes in bytes. */
export interface ClientOptions extends Observers {
  /**
   * URL of the service or your own relay. A path such as `/pay` is relative to the page and is
   * resolved on the first call.
   */
  readonly baseUrl: string | URL;
  /**
   * The account's API key. Only use it on servers, because it grants full access and never expires.
   */
  readonly apiKey?: string | undefined;
  /**
   * A short-lived access token, or a function that fetches one. Pass `null` to create a client
   * without a credential.
   */
  readonly token?: Credential | null | undefined;
  /**
   * Your own name for the account, up to 200 characters. Payment journals are tied to this name, so
   * set it before the first payment. Defaults to a digest of `baseUrl` and `apiKey`, which changes
   * when you rotate the key. If you use a `token` and a durable journal, the name is required.
   */
  readonly account?: string | undefined;
  /** The function that sends requests. Defaults to the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * The class for opening WebSockets to your relay. If `baseUrl` is on the page's own origin, it
   * defaults to the page's `WebSocket`.
   */
  readonly WebSocket?: SocketClass | undefined;
  /** The source of time and timers. Defaults to the system's clock. */
  readonly clock?: Clock | undefined;
  /**
   * The random number generator for retry delays, which returns numbers from 0 up to but not
   * including 1. Defaults to `Math.random`.
   */
  readonly random?: (() => number) | undefined;
  /** The function that generates idempotency keys and correlationIds. Defaults to random UUIDs. */
  readonly uuid?: (() => string) | undefined;
  /** Timeout for a single attempt. Defaults to 10,000 ms. */
  readonly attemptTimeout?: number | undefined;
  /**
   * Timeout for all attempts of a call together. It starts when the rate limit allows the first
   * attempt. Defaults to 60,000 ms.
   */
  readonly callTimeout?: number | undefined;
  /**
   * Maximum wait for the rate limit before the first attempt. Defaults to 1.5 times the limit's
   * window, which is 90,000 or 900,000 ms.
   */
  readonly queueTimeout?: number | undefined;
  /** Maximum number of attempts for calls that are safe to retry. Defaults to 3. */
  readonly maxAttempts?: number | undefined;
  /** Rate limits to respect. Defaults to those of the production service. */
  readonly rateLimits?: Partial<RateLimits> | undefined;
  /** This process's share of the rate limits, from 0 to 1. Defaults to 1. */
  readonly rateLimitShare?: number | undefined;
  /**
   * Storage for request counts, shared with other clients that send from the same IP address, such
   * as clients in other requests to a Worker. Defaults to memory. See `paystate/stores`.
   */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** Maximum size of a response body. Defaults to 5,000,000 bytes. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * A function that checks every response for differences from the documented format. Pass
   * `reportDrift(listener)` or `rejectDrift` from `paystate/schemas`.
   */
  readonly drift?: DriftCheck | undefined;
  /**
   * Permissions that the credential has beyond reading single resources by id. By default, it's
   * assumed to have all of them.
   */
  readonly capabilities?: Partial<Capabilities> | undefined;
  /** Replacements for endpoint paths, keyed by the published path. */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /**
   * The Bitcoin network that payment codes in a checkout must belong to. Defaults to the network of
   * the first code.
   */
  readonly network?: Network | undefined;
  /**
   * Whether identical concurrent reads share one request. Defaults to true in pages and false
   * elsewhere. Don't enable it in Workers. When a Worker request ends, its fetches are cancelled,
   * including those that other requests are waiting for.
   */
  readonly dedupeReads?: boolean | undefined;
  /**
   * Allows an `apiKey` in a page, its workers or an app. Only use it in tests, because the key
   * grants access to the whole account.
   */
  readonly [allowSecretInBrowser]?: boolean | undefined;
}

const RATE_LIMIT = { limit: 'number!', window: 'number!', block: 'number!' } as const;

export const CLIENT_OPTIONS: Expected<ClientOptions> = /* @__PURE__ */ Object.assign(
  {
    baseUrl: 'any!',
    apiKey: 'any',
    token: 'any',
    account: 'string',
    fetch: 'function',
    WebSocket: 'function',
    clock: 'object',
    random: 'function',
    uuid: 'function',
    rateLimits: {
      invoices: RATE_LIMIT,
      'invoice-quotes': RATE_LIMIT,
      rates: RATE_LIMIT,
      'payment-quotes': RATE_LIMIT,
      execute: RATE_LIMIT,
      others: RATE_LIMIT,
    },
    rateLimitShare: 'number',
    rateLimitStore: 'object',
    maxResponseBytes: 'number',
    capabilities: { list: 'boolean', feed: 'boolean' },
    paths: 'object',
    network: ['mainnet', 'testnet', 'signet', 'regtest'],
    dedupeReads: 'boolean',
  } as const,
  OVERRIDES,
);
