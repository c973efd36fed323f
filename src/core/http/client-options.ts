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

/** Options of a client. Times are in milliseconds, sizes in bytes. */
export interface ClientOptions extends Observers {
  /**
   * URL of the service or of your own relay. A path such as `/pay` is relative to the page, and is
   * resolved at the first call.
   */
  readonly baseUrl: string | URL;
  /** The account's API key, which has all rights and never expires. Only for servers. */
  readonly apiKey?: string | undefined;
  /**
   * A short-lived token, or a function that fetches one. `null` creates a client without
   * credential.
   */
  readonly token?: Credential | null | undefined;
  /**
   * Your own name for the account, up to 200 characters. Payment journals are tied to it, so set it
   * before the first payment. Defaults to a digest of `baseUrl` and `apiKey`, which changes when
   * you rotate the key. With a `token`, a durable journal requires a name.
   */
  readonly account?: string | undefined;
  /** Sends the requests. Defaults to the platform's `fetch`. */
  readonly fetch?: Fetch | undefined;
  /**
   * Opens WebSockets to your relay. Defaults to the page's own class if `baseUrl` belongs to the
   * page.
   */
  readonly WebSocket?: SocketClass | undefined;
  /** Clock and timers. Defaults to the platform's. */
  readonly clock?: Clock | undefined;
  /**
   * Returns numbers from 0 (included) to 1 (excluded), to randomize delays. Defaults to
   * `Math.random`.
   */
  readonly random?: (() => number) | undefined;
  /** Generates idempotency keys and correlationIds. Defaults to random UUIDs. */
  readonly uuid?: (() => string) | undefined;
  /** Timeout for a single attempt. Defaults to 10,000 ms. */
  readonly attemptTimeout?: number | undefined;
  /**
   * Timeout for all attempts of a call, counted from when the first one may be sent. Defaults to
   * 60,000 ms.
   */
  readonly callTimeout?: number | undefined;
  /**
   * Maximum wait for the rate limit before the first attempt. Defaults to 1.5 windows of that
   * limit, which is 90,000 or 900,000 ms.
   */
  readonly queueTimeout?: number | undefined;
  /** Maximum number of attempts for calls that may be retried. Defaults to 3. */
  readonly maxAttempts?: number | undefined;
  /** Rate limits. Defaults to those of the production service. */
  readonly rateLimits?: Partial<RateLimits> | undefined;
  /** This process's share of the rate limits, from 0 to 1. Defaults to 1. */
  readonly rateLimitShare?: number | undefined;
  /**
   * Counts requests together with other clients that send from the same IP address, for example in
   * other requests of a Worker. Defaults to this client's memory. See `paystate/stores`.
   */
  readonly rateLimitStore?: RateLimitStore | undefined;
  /** Maximum size of a response. Defaults to 5,000,000 bytes. */
  readonly maxResponseBytes?: number | undefined;
  /**
   * Checks every response. Pass `reportDrift(listener)` or `rejectDrift` from `paystate/schemas`.
   */
  readonly drift?: DriftCheck | undefined;
  /** What the credential can do besides reading single resources by id. Defaults to everything. */
  readonly capabilities?: Partial<Capabilities> | undefined;
  /** Overrides the paths of endpoints, by published path. */
  readonly paths?: Readonly<Record<string, string>> | undefined;
  /**
   * The Bitcoin network whose payment codes a checkout accepts. Defaults to the network of the
   * first code.
   */
  readonly network?: Network | undefined;
  /**
   * Lets identical concurrent reads share one request. Defaults to true only in a page. Don't use
   * it in Workers, because when a request ends there, the reads that share its fetches end too.
   */
  readonly dedupeReads?: boolean | undefined;
  /**
   * Allows an `apiKey` in a page, its workers or an app, for tests. The key grants access to the
   * whole account.
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
