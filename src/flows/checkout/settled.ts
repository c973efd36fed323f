import { type Connection, internals } from '../../core/http/index.ts';
import { parseMillis } from '../../core/time.ts';
import { addMoney, compareMoney, type Money } from '../../money/index.ts';
import type { Invoice, InvoiceTransaction } from '../../resources/invoices.ts';

/** Returns the completed payments; `undefined` where the invoice was read without payments. */
export function listCompleted({
  transactions,
}: Invoice): readonly InvoiceTransaction[] | undefined {
  return transactions?.filter(({ state }) => state === 'COMPLETED');
}

/**
 * Removes the payments of an invoice where watches have none, so that their value does not
 * alternate. Behind a relay watches have payments.
 */
export function asWatched(client: Connection, read: Invoice): Invoice {
  const { transactions: _, ...alone } = read;
  return client[internals].dial ? read : alone;
}

/**
 * Compares what came in with the amount of the invoice: below 0 less, above 0 more; `undefined`
 * where no payment is known. A payment in another currency counts as the whole amount.
 */
export function receivedBeside(
  { amount }: Invoice,
  completed: readonly InvoiceTransaction[] = [],
): number | undefined {
  if (completed.length === 0) return undefined;
  if (completed.some(({ amountReceived }) => amountReceived.currency !== amount.currency)) return 0;
  const nothing: Money = { amount: '0', currency: amount.currency };
  const sum = completed.reduce((total, one) => addMoney(total, one.amountReceived), nothing);
  return compareMoney(sum, amount);
}

/**
 * Tells whether a payment was completed after `end`, milliseconds since 1970 by the service's
 * clock.
 */
export function isLate(
  completed: readonly InvoiceTransaction[] = [],
  end: number = Infinity,
): boolean {
  return completed.some((one) => parseMillis(one.completed ?? '')! > end);
}

/** The parts of a checkout that a settled invoice needs. */
interface SettledInvoiceHost {
  /** Reads the invoice with its payments; rejects where that fails. */
  read(reason: string): Promise<void>;
  /** Tells whether the invoice was read with its payments, as behind a relay. */
  hasPayments(): boolean;
  /** The time on the monotonic clock, milliseconds. */
  now(): number;
  /** Called when subscribers may be shown the end. */
  onTold(): void;
}

/** Follows a settled invoice: reads its payments once, and its state again for a day. */
export class SettledInvoice {
  /** When the invoice is read next, on the monotonic clock. */
  dueAt: number = Infinity;
  /** Subscribers were shown the end. */
  isTold: boolean = false;
  #state: string | undefined;
  #since: number = 0;
  readonly #host: SettledInvoiceHost;

  constructor(host: SettledInvoiceHost) {
    this.#host = host;
  }

  /** Notes that the invoice was settled in this state; the same state again changes nothing. */
  async settle(state: string): Promise<void> {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#host.now();
    // without its payments the invoice counts as paid in time and exactly
    if (state === 'PAID' && !this.#host.hasPayments())
      await this.#host.read('payments of the invoice').catch(() => {});
    this.isTold = true;
    this.#plan();
    this.#host.onTold();
  }

  /** Reads the invoice if it is due; where that fails, the next read follows all the same. */
  readIfDue(): void {
    if (this.dueAt > this.#host.now()) return;
    this.#plan();
    this.#host.read('a settled invoice may move on').catch(() => {});
  }

  #plan(): void {
    this.dueAt = this.#state === 'REVERSED' ? Infinity : tailDue(this.#since, this.#host.now());
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Returns when a settled invoice is read next, because no event may report a later state: every
 * five minutes for an hour, then hourly for a day. `since`: when it was settled; all on one clock,
 * milliseconds.
 */
function tailDue(since: number, now: number): number {
  const age = now - since;
  if (age >= 24 * HOUR_MS) return Infinity;
  const period = age < HOUR_MS ? 5 * MINUTE_MS : HOUR_MS;
  return since + (Math.floor(age / period) + 1) * period;
}
