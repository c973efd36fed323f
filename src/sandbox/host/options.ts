import type { RateLimits } from '../../core/http/index.ts';
import type { FilterLimits } from '../query/lists.ts';
import type { Assumptions } from '../provenance/alternatives.ts';
import type { Strictness } from '../provenance/recorder.ts';
import type { QuoteLifetimes, SandboxAccount } from '../world/world.ts';

/** Options for a sandbox. All of them have defaults. */
export interface SandboxOptions {
  /**
   * Seed for all random values. The same seed and calls produce exactly the same responses in every
   * runtime. Defaults to 1.
   */
  readonly seed?: number | string | undefined;
  /**
   * With `auto` (the default), virtual time jumps to the next timer while your program awaits a
   * client call, `firstValue` or a similar function, or an iterator's `next()`. A subscription
   * alone doesn't advance time. With `virtual`, time only moves when you call `advance` or `run`.
   * With `real`, time follows the system clock, and you can advance it further.
   */
  readonly clock?: 'auto' | 'virtual' | 'real' | undefined;
  /** Start of virtual time in milliseconds since 1970. Defaults to 2026-01-05T09:00:00Z. */
  readonly startAt?: number | undefined;
  /**
   * Pass `false` to leave BOLT11 invoices unsigned in simulations. This makes creating a quote
   * about ten times faster, but wallets can't read the invoices.
   */
  readonly signed?: boolean | undefined;
  /**
   * Rate limits for the production environment (the default) or the test environment, or your own.
   */
  readonly rateLimits?: 'production' | 'test' | RateLimits | undefined;
  /**
   * Maximum size of a `$filter`. Defaults to 16 comparisons and a request line of 8,192 bytes. You
   * can override either one.
   */
  readonly filterLimits?: Partial<FilterLimits> | undefined;
  /** The sandbox's accounts. Defaults to a single account with the handle `shop`. */
  readonly accounts?: readonly SandboxAccount[] | undefined;
  /**
   * Lifetimes of quotes in milliseconds. Invoice quotes with an exchange rate are valid for 30,000
   * ms by default. The defaults for other quotes come from the assumptions `invoice-quotes.plain`
   * and `payment-quotes.life`.
   */
  readonly quoteLifetimes?: Partial<QuoteLifetimes> | undefined;
  /**
   * Undocumented behaviors that responses may rely on. With `false` (the default), all of them are
   * allowed. With `true`, none are. With `allow`, only the listed ones are. A request that relies
   * on any other behavior still takes effect, but fails with code `SANDBOX_ASSUMPTION` and the
   * behavior's id. If a background task such as a webhook delivery or a payout relies on one,
   * `advance`, `run` or the next request fails.
   *
   * @example
   * const sandbox = createSandbox({ strict: { allow: ['payments.fees', 'lists.count'] } });
   */
  readonly strict?: Strictness | undefined;
  /**
   * Overrides the service's undocumented behavior, such as fees, rounding, the order of checks,
   * quote lifetimes and replica lag. Each assumption has a usual value and alternatives, which
   * `Sandbox.assumptions` lists. Your program is correct if its tests pass with all of them.
   *
   * @example
   * const sandbox = createSandbox({
   *   assume: { 'exchanges.inside': 'target', 'reads.lag': 'second' },
   * });
   */
  readonly assume?: Assumptions | undefined;
  /**
   * Delivers webhooks to a function, or over the real network if you pass `network`. Without this
   * option, each delivery attempt fails. If your function awaits anything besides promises and
   * `sandbox.clock`, wrap it in `sandbox.clock.external`. Otherwise, the five-second timeout may
   * expire too soon.
   *
   * @example
   * const sandbox = createSandbox({
   *   deliver: async (request) => new Response(null, { status: 204 }),
   * });
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | 'network' | undefined;
  /**
   * Receives warnings, such as when time doesn't advance or when a fault rule never took effect.
   * Defaults to `console.warn`.
   */
  readonly warn?: ((message: string) => void) | undefined;
  /** Hosts besides localhost that may receive webhooks over the network. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Options for a sandbox client, such as its account and its IP address. */
export interface SandboxClientOptions {
  /** Scopes of the client's API key. Defaults to the account's scopes. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account that the client uses. Defaults to the first account. */
  readonly account?: string | undefined;
  /** Source IP address of the client's requests. Rate limits apply per IP address. */
  readonly address?: string | undefined;
  /**
   * How many milliseconds the client's clock is ahead of the service's clock. Doesn't affect the
   * clock's `monotonic` time.
   */
  readonly clockSkew?: number | undefined;
  /** Scopes that the service added after this version of the SDK. They aren't checked. */
  readonly extra?: { readonly scopes?: readonly string[] | undefined } | undefined;
}

/** Options for a payment from an external wallet. All of them have defaults. */
export interface PayOptions {
  /**
   * Time in milliseconds that the payment stays PENDING. Defaults to 0 over Lightning and to ten
   * minutes on-chain.
   */
  readonly pendingFor?: number | undefined;
  /** Makes the payment fail after `pendingFor`, which returns the invoice to UNPAID. */
  readonly fails?: boolean | undefined;
  /**
   * Amount in BTC, as a decimal string. Required if the invoice has no amount. For an on-chain
   * payment, it can also differ from the requested amount.
   */
  readonly amount?: string | undefined;
}

export function chooseWarn({
  warn = (message) => console.warn(message),
}: SandboxOptions): (message: string) => void {
  return warn;
}
