import type { RateLimits } from '../../core/http/index.ts';
import type { FilterLimits } from '../query/lists.ts';
import type { Assumptions } from '../provenance/alternatives.ts';
import type { Strictness } from '../provenance/recorder.ts';
import type { QuoteLifetimes, SandboxAccount } from '../world/world.ts';

/** Options of a sandbox; every member has a default. */
export interface SandboxOptions {
  /** The same seed and the same calls give the same bytes in every runtime; 1. */
  readonly seed?: number | string | undefined;
  /**
   * `auto` (default): virtual time goes to the next timer while a call of a client, `firstValue` or
   * the like, or an iterator's `next()` is waited for, never for a subscription alone; `virtual`:
   * time moves only by `advance` and `run`; `real`: time passes and can be pushed ahead.
   */
  readonly clock?: 'auto' | 'virtual' | 'real' | undefined;
  /** When virtual time begins, milliseconds since 1970; 2026-01-05T09:00:00Z. */
  readonly startAt?: number | undefined;
  /** Without signatures, quotes cost a tenth and no wallet reads them: for simulation. */
  readonly signed?: boolean | undefined;
  /**
   * The rate table: that of production (default), of the service's test environment, or one's own.
   */
  readonly rateLimits?: 'production' | 'test' | RateLimits | undefined;
  /** The highest cost of one filter; 16 comparisons and 8,192 bytes, each to be changed. */
  readonly filterLimits?: Partial<FilterLimits> | undefined;
  /** Accounts; one with the handle `shop`. */
  readonly accounts?: readonly SandboxAccount[] | undefined;
  /**
   * Lifetimes of quotes, milliseconds: of invoices 30,000 with a rate; what is absent goes by the
   * assumptions `invoice-quotes.plain` and `payment-quotes.life`.
   */
  readonly quoteLifetimes?: Partial<QuoteLifetimes> | undefined;
  /**
   * Behaviours that responses may rest on; false: all. With `true` nothing that is assumed, with
   * `allow` only these assumed behaviours: any other makes the request fail with the code
   * `SANDBOX_ASSUMPTION`, which names it. Its effect stays. What happens between requests, such as
   * a delivery or a payout that a bank completes, makes `advance`, `run` or the next request fail.
   *
   * @example
   * const sandbox = createSandbox({ strict: { allow: ['payments.fees', 'lists.count'] } });
   */
  readonly strict?: Strictness | undefined;
  /**
   * The service's behaviour where nobody knows it: places and sizes of fees, rounding, orders of
   * checks, lives of quotes, lag, lists, events. Each assumption has its usual value and its
   * alternatives, which `Sandbox.assumptions` lists; a program that is right passes its tests with
   * all of them.
   *
   * @example
   * const sandbox = createSandbox({
   *   assume: { 'exchanges.inside': 'target', 'reads.lag': 'second' },
   * });
   */
  readonly assume?: Assumptions | undefined;
  /**
   * The way of webhooks: a function that responds to them in the sandbox's time, or `network` for
   * the real network. Without it each attempt fails. Work of the function that is neither a promise
   * chain nor a wait of `sandbox.clock` belongs into `sandbox.clock.external`, else its five
   * seconds may be over too soon.
   *
   * @example
   * const sandbox = createSandbox({
   *   deliver: async (request) => new Response(null, { status: 204 }),
   * });
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | 'network' | undefined;
  /**
   * Gets what the sandbox warns of, one text each: time that stands still, fault rules that never
   * took effect; `console.warn`.
   */
  readonly warn?: ((message: string) => void) | undefined;
  /** Hosts that `network` may reach in addition to this machine. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** The account for which a connection makes requests, and its address. */
export interface SandboxClientOptions {
  /** Scopes of the key; those of the account. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account; the first one. */
  readonly account?: string | undefined;
  /** The address that requests come from: limits are counted by it. */
  readonly address?: string | undefined;
  /**
   * Milliseconds that the client's clock is ahead of the service's; its `monotonic` stays right.
   */
  readonly clockSkew?: number | undefined;
  /** Scopes that the service has added since this version: they are not checked. */
  readonly extra?: { readonly scopes?: readonly string[] | undefined } | undefined;
}

/** Options of an outside wallet's payment; every member has a default. */
export interface PayOptions {
  /** Milliseconds that the payment stays PENDING; 0, on the chain ten minutes. */
  readonly pendingFor?: number | undefined;
  /** The payment comes back in the end, and the invoice is UNPAID again. */
  readonly fails?: boolean | undefined;
  /**
   * Decimal text in BTC: where the text names no amount, and on the chain instead of the one it
   * names.
   */
  readonly amount?: string | undefined;
}

/** Gets warnings. */
export function chooseWarn({
  warn = (message) => console.warn(message),
}: SandboxOptions): (message: string) => void {
  return warn;
}
