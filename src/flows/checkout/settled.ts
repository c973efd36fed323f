import { type Connection, internals } from '../../core/http/index.ts';
import { parseMillis } from '../../core/time.ts';
import { addMoney, compareMoney, type Money } from '../../money/index.ts';
import type { Invoice, InvoiceTransaction } from '../../resources/invoices.ts';

/** Returns the completed payments, or `undefined` if the invoice was read without its payments. */
export function listCompleted({
  transactions,
}: Invoice): readonly InvoiceTransaction[] | undefined {
  return transactions?.filter(({ state }) => state === 'COMPLETED');
}

/**
 * Removes the payments, unless watched invoices include them, as they do behind a relay. Otherwise
 * the watched value would keep switching between the two forms.
 */
export function asWatched(client: Connection, read: Invoice): Invoice {
  const { transactions: _, ...alone } = read;
  return client[internals].dial ? read : alone;
}

/**
 * Compares the received amount with the invoice amount. A negative result means too little was
 * received, a positive result means too much, and `undefined` means that no payment is known. A
 * payment in another currency counts as the full amount.
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
 * Returns whether a payment completed after `end`, which is in milliseconds since 1970 on the
 * service's clock.
 */
export function isLate(
  completed: readonly InvoiceTransaction[] = [],
  end: number = Infinity,
): boolean {
  return completed.some((one) => parseMillis(one.completed ?? '')! > end);
}

interface SettledInvoiceHost {
  /** Reads the invoice. Rejects if the read fails. */
  read(reason: string): Promise<void>;
  /** Whether the invoice was already read with its payments, as behind a relay. */
  hasPayments(): boolean;
  /** Returns the monotonic clock's time, in milliseconds. */
  now(): number;
  onTold(): void;
}

/**
 * Follows a settled invoice. Reads its payments once, and reads its state again at intervals for a
 * day.
 */
export class SettledInvoice {
  /** When the invoice is read next, on the monotonic clock. */
  dueAt: number = Infinity;
  isTold: boolean = false;
  #state: string | undefined;
  #since: number = 0;
  readonly #host: SettledInvoiceHost;

  constructor(host: SettledInvoiceHost) {
    this.#host = host;
  }

  /** Starts following the invoice in its settled state. Does nothing if the state is unchanged. */
  async settle(state: string): Promise<void> {
    if (state === this.#state) return;
    this.#state = state;
    this.#since = this.#host.now();
    // if this read fails, the invoice counts as paid in full and on time
    if (state === 'PAID' && !this.#host.hasPayments())
      await this.#host.read('payments of the invoice').catch(() => {});
    this.isTold = true;
    this.#plan();
    this.#host.onTold();
  }

  /**
   * Reads the invoice if a read is due. If the read fails, the schedule continues.
   */
  readIfDue(): void {
    if (this.dueAt > this.#host.now()) return;
    this.#plan();
    this.#host.read('a settled invoice may still change').catch(() => {});
  }

  #plan(): void {
    this.dueAt = this.#state === 'REVERSED' ? Infinity : tailDue(this.#since, this.#host.now());
  }
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/**
 * Returns when to read a settled invoice next, because it may change state again without an event.
 * Reads happen every five minutes for an hour, then hourly for a day. All times are in milliseconds
 * on the same clock.
 */
function tailDue(since: number, now: number): number {
  const age = now - since;
  if (age >= 24 * HOUR_MS) return Infinity;
  const period = age < HOUR_MS ? 5 * MINUTE_MS : HOUR_MS;
  return since + (Math.floor(age / period) + 1) * period;
}
