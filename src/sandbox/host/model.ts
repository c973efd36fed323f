import type { Clock } from '../../core/time/index.ts';
import type { ConnectionOptions, RateLimits } from '../../core/http/index.ts';
import type { WireMoney } from '../../resources/amounts/model.ts';
import type { DeliveryFaultRule } from '../faults/delivery-faults.ts';
import type { FaultRule } from '../faults/request-faults.ts';
import type { FilterLimits } from '../query/lists.ts';
import type { Settlement } from '../ledger/settlements.ts';
import type { LogEntry } from '../service/network.ts';
import type { RetryAfterFormat } from '../service/service.ts';
import type { EventFaultRule } from '../faults/event-faults.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Movable } from '../resources/moves.ts';
import type { StateRule } from '../faults/state-rules.ts';
import type { SandboxOAuth } from '../oauth/model.ts';
import type { Payer } from './payer.ts';
import type { BehaviourUse, Strictness } from '../provenance/recorder.ts';
import type { Inspection } from './inspect.ts';
import type { DeliveryEntry } from '../webhooks/delivery-log.ts';
import type { FirstCheck, QuoteLifetimes, SandboxAccount } from '../world/world.ts';

/** What a sandbox is made of; every member has a default. */
export interface SandboxOptions {
  /** The same seed and the same calls give the same bytes in every runtime; 1. */
  readonly seed?: number | string | undefined;
  /** `virtual` (default) stands still until `advance` or `run` move it; `real` goes by itself and can be pushed ahead. */
  readonly clock?: 'virtual' | 'real' | undefined;
  /** Where virtual time begins, milliseconds since 1970; 2026-01-05T09:00:00Z. */
  readonly startAt?: number | undefined;
  /** Without signatures, quotes cost a tenth and no wallet reads them: for simulation. */
  readonly signed?: boolean | undefined;
  /** The rate table: that of production (default), of the service's test environment, or one's own. */
  readonly rateLimits?: 'production' | 'test' | RateLimits | undefined;
  /** How a 429 says when its block ends: whole seconds (default) or an HTTP date. */
  readonly retryAfterFormat?: RetryAfterFormat | undefined;
  /** What one filter may cost; 16 comparisons and 8,192 bytes, each to be changed. */
  readonly filterLimits?: Partial<FilterLimits> | undefined;
  /** Accounts; one with the handle `shop`. */
  readonly accounts?: readonly SandboxAccount[] | undefined;
  /** How long quotes live; of invoices 30 s with a rate and 3,600 s without, of payments 60 s. */
  readonly quoteLifetimes?: Partial<QuoteLifetimes> | undefined;
  /**
   * What answers may rest on; false: everything. With `true` nothing that is assumed, with `allow` only these assumed behaviours, by
   * their ids: any other makes the request fail with the code `SANDBOX_ASSUMPTION`, which names it. What was done stays done.
   *
   * @example
   * const sandbox = createSandbox({ strict: { allow: ['payments.fees', 'lists.count'] } });
   */
  readonly strict?: Strictness | undefined;
  /** What is looked at first when a quote is executed; `processed`. */
  readonly firstCheck?: FirstCheck | undefined;
  /** Whether a payment that ends at once gives payment.updated too, after its payment.created; true. */
  readonly updatesOnDirectEnd?: boolean | undefined;
  /**
   * Where webhooks go: a function that answers them, which shares the sandbox's time, or `network` for the real one.
   * Without it nobody is reached and each attempt fails. Work of the function that is neither a promise chain nor a wait
   * of `sandbox.clock` belongs into `sandbox.clock.external`, else its five seconds may be over too soon.
   *
   * @example
   * const sandbox = createSandbox({ deliver: async (request) => new Response(null, { status: 204 }) });
   */
  readonly deliver?: ((request: Request) => Promise<Response>) | 'network' | undefined;
  /** Hosts that `network` may speak to beside this machine itself. */
  readonly allowHosts?: readonly string[] | undefined;
}

/** Whose requests a connection makes, and from where. */
export interface SandboxClientOptions {
  /** What the key may do; everything that the account may. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account; the first one. */
  readonly account?: string | undefined;
  /** Where requests come from: limits are counted by it. */
  readonly address?: string | undefined;
  /** Milliseconds that the client's clock is ahead of the service's; its `monotonic` stays right. */
  readonly clockSkew?: number | undefined;
}

/** The payments service in a box. */
export interface Sandbox {
  /**
   * The service itself: takes a request for any host, or a path alone, with a key in its headers.
   *
   * @example
   * const { status } = await sandbox.fetch('/v1/invoices'); // 401
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** Options for `createClient`: address, key, fetch, clock, randomness and limits of this sandbox. */
  readonly clientOptions: ConnectionOptions;
  /**
   * Options for another client: other scopes, another account, address or a wrong clock.
   *
   * @example
   * const reader = createClient(sandbox.connectionFor({ scopes: ['partner.invoice.read'] }));
   */
  clientOptionsFor(options?: SandboxClientOptions): ConnectionOptions;
  readonly clock: Clock;
  /** The login server of this sandbox: delegated access, tokens that end. */
  readonly oauth: SandboxOAuth;
  /** Somebody with a wallet. */
  readonly payer: Payer;
  /**
   * Puts money into an account, from nowhere.
   *
   * @example
   * sandbox.fund('shop', { amount: '100.00', currency: 'USD' });
   */
  fund(handle: string, money: WireMoney): void;
  /**
   * Does what only the world outside can, with postings and events: approves, fails, returns, reverses.
   *
   * @throws RefusedError `NOT_FOUND`, or `UNPROCESSABLE_ENTITY` for a move that its life does not have
   * @example
   * await sandbox.payer.pay(invoice.invoiceId);
   * sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
   */
  move(noun: Movable, id: string, state: string): void;
  /** The books: every posting, and what each place holds. */
  readonly ledger: Ledger;
  /**
   * Each time that money came to its end for a command that carried this text in its body (`description`,
   * `correlationId`, `reference`, …) or as its idempotency key: for an intent that is done once, there is one.
   * What one account pays to another counts on the payer's side.
   *
   * @example
   * console.log(sandbox.settlements('order 17').length); // 0
   */
  settlements(label: string): readonly Settlement[];
  /** Moves time by `duration` ms. What falls due runs at its own time, and promises settle before the next step. */
  advance(duration: number): Promise<void>;
  /**
   * Moves time by itself, timer by timer, until the promise settles. Rejects with an `InputError` when nothing is left
   * to wait for, or after `within` ms of virtual time (a day).
   *
   * @example
   * const invoice = await sandbox.run(client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }));
   */
  run<T>(promise: PromiseLike<T>, options?: { readonly timeout?: number | undefined }): Promise<T>;
  /**
   * Makes requests go wrong until `off()`, with `delivery` the webhooks, with `event` the feed, and with `outcome` what
   * banks and networks decide. A fault never harms the books of the service: the network lies, or a clock.
   *
   * @example
   * const fault = sandbox.fault({ method: 'POST', path: '/v1/invoices', nth: 1, action: 'lost-after' });
   * sandbox.fault({ eventType: 'invoice.updated', delivery: 'duplicated' });
   * sandbox.fault({ event: { late: 60_000 }, probability: 0.01 });
   * sandbox.fault({ outcome: 'payout', state: 'FAILED', after: 5_000 });
   */
  fault(rule: FaultRule | DeliveryFaultRule | EventFaultRule | StateRule): () => void;
  /** Handles of all accounts, the first one first. */
  readonly accounts: readonly string[];
  /**
   * What an account has, without a request: nothing is counted or logged. Up to 50 of each; the first account's, where none is named.
   *
   * @example
   * const { invoices, events } = sandbox.show('shop');
   */
  inspect(account?: string): Inspection;
  /** What the world was made with: with the numbers in the log it brings any fault back. */
  readonly seed: number | string;
  /**
   * What the answers so far rest on, the riskiest first: what is only assumed before what is said somewhere, money before the rest;
   * with how often, where first, and how it can be found out.
   *
   * @example
   * for (const { id, count, says } of sandbox.report().filter(({ source }) => source === 'assumed')) console.log(`${count} × ${id}: ${says}`);
   */
  report(): readonly BehaviourUse[];
  /** Every request so far, the oldest first. */
  readonly log: readonly LogEntry[];
  /** Every webhook so far, the oldest first. */
  readonly deliveries: readonly DeliveryEntry[];
  /** How often an address was blocked for too many requests. */
  readonly blocks: number;
}
