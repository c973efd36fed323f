import { addMoney, compareMoney, type Money } from '../money/index.ts';
import { type Connection, internals } from '../core/http/index.ts';
import { millisOf } from '../core/time/index.ts';
import type { Invoice, InvoiceTransaction } from '../resources/invoices/model.ts';

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
