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
