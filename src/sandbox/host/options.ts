import type { RateLimits } from '../../core/http/index.ts';
import type { FilterLimits } from '../query/lists.ts';
import type { Assumptions } from '../provenance/alternatives.ts';
import type { Strictness } from '../provenance/recorder.ts';
import type { QuoteLifetimes, SandboxAccount } from '../world/world.ts';

/** Options for a sandbox. All have defaults. */
export interface SandboxOptions {
  /** The same seed and calls produce the same bytes in every runtime. Defaults to 1. */
  readonly seed?: number | string | undefined;
  /**
   * `auto` (default): virtual time jumps to the next timer while the program awaits a client's
   * call, `firstValue` or a similar function, or an iterator's `next()`, but never just for a
   * subscription · `virtual`: time only moves with `advance` and `run` · `real`: real time, which
   * you can advance.
   */
  readonly clock?: 'auto' | 'virtual' | 'real' | undefined;
  /** Start of virtual time in milliseconds since 1970. Defaults to 2026-01-05T09:00:00Z. */
  readonly startAt?: number | undefined;
  /**
   * Pass `false` to skip signatures in simulations. Quotes then cost a tenth, but no wallet can
   * read them.
   */
  readonly signed?: boolean | undefined;
  /**
   * Rate limits: those of production (default), those of the service's test environment, or your
   * own.
   */
  readonly rateLimits?: 'production' | 'test' | RateLimits | undefined;
  /**
   * Maximum cost of one filter. Defaults to 16 comparisons and 8,192 bytes, which you can change
   * separately.
   */
  readonly filterLimits?: Partial<FilterLimits> | undefined;
  /** Accounts. Defaults to a single one with the handle `shop`. */
  readonly accounts?: readonly SandboxAccount[] | undefined;
  /**
   * Lifetimes of quotes in milliseconds. For invoices with a rate, defaults to 30,000. For others,
   * the assumptions `invoice-quotes.plain` and `payment-quotes.life` apply.
   */
  readonly quoteLifetimes?: Partial<QuoteLifetimes> | undefined;
  /**
   * Which behaviours responses may rely on. With false (default), all of them. With `true`, no
   * assumed behaviour. With `allow`, only these. If a request relies on another one, it fails with
   * the code `SANDBOX_ASSUMPTION` and the behaviour's name, but its effect stays. If something
   * between requests does, such as a delivery or a bank completing a payout, `advance`, `run` or
   * the next request fails.
   *
   * @example
   * const sandbox = createSandbox({ strict: { allow: ['payments.fees', 'lists.count'] } });
   */
  readonly strict?: Strictness | undefined;
  /**
   * How the service behaves where it's undocumented: position and size of fees, rounding, order of
   * checks, quote lifetimes, replica lag, lists, events. Each assumption has a usual value and
   * alternatives, which `Sandbox.assumptions` lists. A correct program passes its tests with all of
   * them.
   *
   * @example
   * const sandbox = createSandbox({
   *   assume: { 'exchanges.inside': 'target', 'reads.lag': 'second' },
   * });
   */
  readonly assume?: Assumptions | undefined;
  /**
   * Delivers webhooks. Either a function that responds in the sandbox's time, or `network` for the
   * real network. Without it, each attempt fails. If the function awaits anything but promise
   * chains and `sandbox.clock`, wrap that in `sandbox.clock.external`, or its five seconds may end
   * too soon.
   *
   * @example
   * const sandbox = createSandbox({
   *   deliver: async (request) => new Response(null, { status: 204 }),
   * });
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | 'network' | undefined;
  /**
   * Receives warnings about time that stands still, and about fault rules that never took effect.
   * Defaults to `console.warn`.
   */
  readonly warn?: ((message: string) => void) | undefined;
  /** Hosts that `network` may reach besides localhost. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** The account a client uses, and where its requests come from. */
export interface SandboxClientOptions {
  /** Scopes of the key. Defaults to the account's. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account. Defaults to the first one. */
  readonly account?: string | undefined;
  /** Source IP address of requests, by which rate limits count. */
  readonly address?: string | undefined;
  /**
   * How far the client's clock is ahead of the service's, in milliseconds. Its `monotonic` stays
   * correct.
   */
  readonly clockSkew?: number | undefined;
  /** Scopes that the service has added since this version. They aren't checked. */
  readonly extra?: { readonly scopes?: readonly string[] | undefined } | undefined;
}

/** Options for a payment from an external wallet. All have defaults. */
export interface PayOptions {
  /**
   * How long the payment stays PENDING, in milliseconds. Defaults to 0, or to ten minutes on-chain.
   */
  readonly pendingFor?: number | undefined;
  /** Makes the payment fail in the end, so the invoice is UNPAID again. */
  readonly fails?: boolean | undefined;
  /**
   * Decimal string in BTC. For an invoice without an amount, or on-chain to pay a different amount.
   */
  readonly amount?: string | undefined;
}

export function chooseWarn({
  warn = (message) => console.warn(message),
}: SandboxOptions): (message: string) => void {
  return warn;
}
