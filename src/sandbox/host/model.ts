import type { Money } from '../../money/index.ts';
import type { Clock } from '../../core/time.ts';
import type { ClientOptions } from '../../core/http/index.ts';
import type { DeliveryFaultRule } from '../faults/delivery-faults.ts';
import type { FaultRule } from '../faults/request-faults.ts';
import type { Settlement } from '../ledger/settlements.ts';
import type { LogEntry } from '../service/network.ts';
import type { EventFaultRule } from '../faults/event-faults.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Movable } from '../resources/moves.ts';
import type { StateRule } from '../faults/state-rules.ts';
import type { SandboxOAuth } from '../oauth/model.ts';
import type { Payer } from './payer.ts';
import type { BehaviourUse } from '../provenance/recorder.ts';
import type { Inspection } from './inspect.ts';
import type { DeliveryEntry } from '../webhooks/delivery-log.ts';

/** Whose requests a connection makes, and from where. */
export interface SandboxClientOptions {
  /** What the key may do; everything that the account may. */
  readonly scopes?: readonly string[] | undefined;
  /** Handle of the account; the first one. */
  readonly account?: string | undefined;
  /** Where requests come from: limits are counted by it. */
  readonly address?: string | undefined;
  /**
   * Milliseconds that the client's clock is ahead of the service's; its `monotonic` stays right.
   */
  readonly clockSkew?: number | undefined;
}

/** Options for `createClient` that lead to a sandbox. */
export interface SandboxClient extends ClientOptions {
  /** A key of its own. */
  readonly apiKey: string;
  /** Sends to this sandbox alone; takes what the platform's `fetch` takes. */
  readonly fetch: Sandbox['fetch'];
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
  /**
   * Options for `createClient`: address, key, fetch, clock, randomness and limits of this sandbox.
   */
  readonly clientOptions: SandboxClient;
  /**
   * Options for another client: other scopes, another account, address or a wrong clock.
   *
   * @example
   * const reader = createClient(sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
   */
  clientOptionsFor(options?: SandboxClientOptions): SandboxClient;
  /** Time of this sandbox. Give it to whatever else a test makes, such as a login or a relay. */
  readonly clock: Clock;
  /** The login server of this sandbox: delegated access, tokens that end. */
  readonly oauth: SandboxOAuth;
  /** A wallet outside of the service. */
  readonly payer: Payer;
  /**
   * Puts money into an account, from nowhere.
   *
   * @example
   * sandbox.fund('shop', { amount: '100.00', currency: 'USD' });
   */
  fund(handle: string, money: Money): void;
  /**
   * Does what banks and networks decide, with postings and events: approves, fails, returns,
   * reverses.
   *
   * @throws RefusedError `NOT_FOUND`, or `UNPROCESSABLE_ENTITY` for a state that it cannot move to
   * @example
   * await sandbox.payer.pay(invoice.invoiceId);
   * sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
   */
  move(subject: Movable, id: string, state: string): void;
  /** The ledger: every posting, and the balance of each account. */
  readonly ledger: Ledger;
  /**
   * Each time that money was settled for a command that carried this text in its body
   * (`description`, `correlationId`, `reference`, …) or as its idempotency key: for an intent that
   * is done once, there is one. What one account pays to another counts on the payer's side.
   *
   * @example
   * console.log(sandbox.settlements('order 17').length); // 0
   */
  settlements(label: string): readonly Settlement[];
  /**
   * Moves time by `duration` ms. What falls due runs at its own time, and promises settle before
   * the next step. With `strict` it rejects with a `RefusedError`, code `SANDBOX_ASSUMPTION`, where
   * what happened rests on a guess.
   */
  advance(duration: number): Promise<void>;
  /**
   * Moves time by itself, timer by timer, until the promise settles. Rejects with an `InputError`
   * when nothing is left to wait for, or after `timeout` ms of virtual time (a day); with `strict`
   * as `advance` does.
   *
   * @example
   * const invoice = await sandbox.run(
   *   client.invoices.create({ amount: { amount: '12.50', currency: 'EUR' } }),
   * );
   */
  run<T>(promise: PromiseLike<T>, options?: { readonly timeout?: number | undefined }): Promise<T>;
  /**
   * Makes requests go wrong, with `delivery` webhooks, with `event` the feed, and with `subject`
   * what banks and networks decide. Returns the function that ends the fault. A fault never changes
   * the service's own state.
   *
   * @example
   * const endFault = sandbox.fault({
   *   method: 'POST',
   *   path: '/v1/invoices',
   *   nth: 1,
   *   action: 'lost-after',
   * });
   * sandbox.fault({ eventType: 'invoice.updated', delivery: 'duplicated' });
   * sandbox.fault({ event: { late: 60_000 }, probability: 0.01 });
   * sandbox.fault({ subject: 'payout', state: 'FAILED', delay: 5_000 });
   */
  fault(rule: FaultRule | DeliveryFaultRule | EventFaultRule | StateRule): () => void;
  /** Handles of all accounts, the first one first. */
  readonly accounts: readonly string[];
  /**
   * Ends an API key or an access token at once: from now on it is refused with `UNAUTHORIZED`.
   *
   * @throws InputError where this sandbox has no such key
   * @example
   * sandbox.revoke(sandbox.clientOptions.apiKey);
   */
  revoke(apiKey: string): void;
  /**
   * What an account has, without a request: nothing is counted or logged. Up to 50 of each; the
   * first account's, where none is named.
   *
   * @example
   * const { invoices, events } = sandbox.inspect('shop');
   */
  inspect(account?: string): Inspection;
  /** The seed of the sandbox: with the calls in the log it reproduces a run. */
  readonly seed: number | string;
  /**
   * What the responses so far rest on, the riskiest first: what is only assumed before what is
   * documented, money before the rest; with how often, where first, and how it can be verified.
   *
   * @example
   * for (const { id, count, says } of sandbox
   *   .report()
   *   .filter(({ source }) => source === 'assumed'))
   *   console.log(`${count} × ${id}: ${says}`);
   */
  report(): readonly BehaviourUse[];
  /** Every request so far, the oldest first. */
  readonly log: readonly LogEntry[];
  /** Every webhook so far, the oldest first. */
  readonly deliveries: readonly DeliveryEntry[];
  /** How often an address was blocked for too many requests. */
  readonly blocks: number;
}
