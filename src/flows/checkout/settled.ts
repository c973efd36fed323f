import { type Connection, internals } from '../../core/http/index.ts';
import { millisOf } from '../../core/time.ts';
import { addMoney, compareMoney, type Money } from '../../money/index.ts';
import type { Invoice, InvoiceTransaction } from '../../resources/invoices.ts';

/** The payments that have ended well; `undefined` where a read does not say. */
export function completedOf({ transactions }: Invoice): readonly InvoiceTransaction[] | undefined {
  return transactions?.filter(({ state }) => state === 'COMPLETED');
}

/** What was read as watches have it, which have payments behind a relay only: it must not flap. */
export function asWatched(client: Connection, read: Invoice): Invoice {
  const { transactions: _, ...alone } = read;
  return client[internals].dial ? read : alone;
}

/**
 * What came in beside what was asked for: below 0 less, above 0 more; `undefined` where no payment is
 * known. An amount in another currency counts as all of it.
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

/** A payment was completed after this time, milliseconds since 1970 by the service's clock. */
export function isLate(
  completed: readonly InvoiceTransaction[] = [],
  end: number = Infinity,
): boolean {
  return completed.some((one) => millisOf(one.completed ?? '')! > end);
}

/** What a settlement needs of its checkout. */
interface SettledInvoiceHost {
  /** Reads the invoice with its payments; rejects where that fails. */
  read(reason: string): Promise<void>;
  /** What was read of the invoice has its payments: a relay brings them. */
  hasPayments(): boolean;
  /** Monotonic milliseconds. */
  now(): number;
  /** Called when subscribers may be told the end. */
  onTold(): void;
}

/** What becomes of a settled invoice: its payments are read once, and later whether it moved on. */
export class SettledInvoice {
  /** When the invoice is read next, monotonic. */
  dueAt: number = Infinity;
  /** Subscribers were told the end. */
  isTold: boolean = false;
  #state: string | undefined;
  #since: number = 0;
  readonly #host: SettledInvoiceHost;

  constructor(host: SettledInvoiceHost) {
    this.#host = host;
  }

  /** Takes in that the invoice was settled in this state; the same again changes nothing. */
  async settle(state: string): Promise<void> {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#host.now();
    // without its payments it counts as in time and exact
    if (state === 'PAID' && !this.#host.hasPayments())
      await this.#host.read('payments of the invoice').catch(() => {});
    this.isTold = true;
    this.#plan();
    this.#host.onTold();
  }

  /** Reads the invoice if it is time; where that fails, the next read comes all the same. */
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
 * When a settled invoice is read next, as no event may tell that it moved on: every five minutes for
 * an hour, then hourly for a day. `since`: when it was settled; all on one clock, milliseconds.
 */
function tailDue(since: number, now: number): number {
  const age = now - since;
  if (age >= 24 * HOUR_MS) return Infinity;
  const period = age < HOUR_MS ? 5 * MINUTE_MS : HOUR_MS;
  return since + (Math.floor(age / period) + 1) * period;
}
