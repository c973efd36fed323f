import type { RateLimits } from '../../core/http/index.ts';
import type { FilterLimits } from '../query/lists.ts';
import type { Assumptions } from '../provenance/alternatives.ts';
import type { Strictness } from '../provenance/recorder.ts';
import type { QuoteLifetimes, SandboxAccount } from '../world/world.ts';

/** Options of a sandbox. Every member has a default. */
export interface SandboxOptions {
  /** The same seed and calls produce the same bytes in every runtime. Default 1. */
  readonly seed?: number | string | undefined;
  /**
   * `auto` (default): virtual time jumps to the next timer while the program awaits a client's
   * call, `firstValue` or a similar function, or an iterator's `next()`, but never for a
   * subscription alone · `virtual`: time moves only by `advance` and `run` · `real`: real time,
   * which can be advanced.
   */
  readonly clock?: 'auto' | 'virtual' | 'real' | undefined;
  /** Start of virtual time in milliseconds since 1970. Default 2026-01-05T09:00:00Z. */
  readonly startAt?: number | undefined;
  /**
   * `false` leaves out signatures for simulations: quotes cost a tenth, but no wallet can read
   * them.
   */
  readonly signed?: boolean | undefined;
  /**
   * The rate limits: those of production (default), of the service's test environment, or your own.
   */
  readonly rateLimits?: 'production' | 'test' | RateLimits | undefined;
  /**
   * The highest cost of one filter. Default 16 comparisons and 8,192 bytes, each changeable by
   * itself.
   */
  readonly filterLimits?: Partial<FilterLimits> | undefined;
  /** Accounts. Default: one with the handle `shop`. */
  readonly accounts?: readonly SandboxAccount[] | undefined;
  /**
   * Lifetimes of quotes in milliseconds. Default 30,000 for invoices with a rate, and for others
   * the assumptions `invoice-quotes.plain` and `payment-quotes.life`.
   */
  readonly quoteLifetimes?: Partial<QuoteLifetimes> | undefined;
  /**
   * Behaviours that responses may rely on. Default false: all of them. With `true` no assumed
   * behaviour, with `allow` only these. If a request relies on another one, it fails with the code
   * `SANDBOX_ASSUMPTION` and the behaviour's name, but its effect stays. If something between
   * requests does, such as a delivery or a bank's completion of a payout, then `advance`, `run` or
   * the next request fails.
   *
   * @example
   * const sandbox = createSandbox({ strict: { allow: ['payments.fees', 'lists.count'] } });
   */
  readonly strict?: Strictness | undefined;
  /**
   * The service's behaviour where it's undocumented: position and size of fees, rounding, order of
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
   * Delivers webhooks: a function that responds in the sandbox's time, or `network` for the real
   * network. Without it, each attempt fails. If the function awaits anything but promise chains and
   * `sandbox.clock`, wrap that in `sandbox.clock.external`, otherwise its five seconds may end too
   * soon.
   *
   * @example
   * const sandbox = createSandbox({
   *   deliver: async (request) => new Response(null, { status: 204 }),
   * });
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | 'network' | undefined;
  /**
   * Receives warnings as text: time that stands still, and fault rules that never took effect.
   * Default `console.warn`.
   */
  readonly warn?: ((message: string) => void) | undefined;
  /** Hosts that `network` may reach beside this machine. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** The account and the address of a client's requests. */
export interface SandboxClientOptions {
  /** Scopes of the key. Defaults to the account's. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account. Defaults to the first one. */
  readonly account?: string | undefined;
  /** The source address of requests, which rate limits count by. */
  readonly address?: string | undefined;
  /**
   * Lead of the client's clock over the service's, in milliseconds. Its `monotonic` stays correct.
   */
  readonly clockSkew?: number | undefined;
  /** Scopes that the service added after this version, without checks. */
  readonly extra?: { readonly scopes?: readonly string[] | undefined } | undefined;
}

/** Options of a payment from an outside wallet. Every member has a default. */
export interface PayOptions {
  /** How long the payment stays PENDING, in milliseconds. Default 0, or ten minutes on-chain. */
  readonly pendingFor?: number | undefined;
  /** The payment fails in the end, and the invoice is UNPAID again. */
  readonly fails?: boolean | undefined;
  /** Decimal string in BTC, for a text without an amount, or on-chain to override its amount. */
  readonly amount?: string | undefined;
}

export function chooseWarn({
  warn = (message) => console.warn(message),
}: SandboxOptions): (message: string) => void {
  return warn;
}
