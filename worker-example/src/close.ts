import type { Client, Invoice } from 'paystate';
import { cancelInvoice } from 'paystate/flows';
import { addMoney, compareMoney, type Money } from 'paystate/money';
import type { Books, Order } from './books.ts';
import { fulfil } from './fulfil.ts';
import { log } from './log.ts';

/** The payments that came in for an invoice; it was read with them. */
export const cameIn = ({ transactions = [] }: Invoice): readonly Money[] =>
  transactions
    .filter(({ state }) => state === 'COMPLETED')
    .map(({ amountReceived }) => amountReceived);

const say = (parts: readonly Money[]): string =>
  parts.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ');

/** More came in than the price; what came in another currency is not compared. */
function isOver(parts: readonly Money[], total: Money): boolean {
  if (parts.some(({ currency }) => currency !== total.currency)) return false;
  const nothing: Money = { amount: '0', currency: total.currency };
  return compareMoney(parts.reduce(addMoney, nothing), total) > 0;
}

/**
 * Ends an order that is not paid: an invoice does not expire, so it has to be cancelled. Its payer may be faster; then the
 * order is fulfilled, and part of the money is held. Resolves to what the order is afterwards.
 */
export async function close(...given: Parameters<typeof end>): Promise<string> {
  try {
    return await end(...given);
  } catch (thrown) {
    // the service is away, or its number has an invoice that is not ours: one order stops no other
    const { code = 'error' } = thrown as { readonly code?: string };
    const { orderId } = given[2];
    log('not-closed', { orderId, code });
    return `not closed: ${code}`;
  }
}

async function end(
  client: Client,
  books: Books,
  order: Order,
  as: 'cancelled' | 'expired',
): Promise<string> {
  const { orderId, total, what: description } = order;
  // an order that nobody has opened gets its invoice now: else a page could still open one
  const draft = { correlationId: orderId, amount: total, description };
  const { invoiceId } = (await client.invoices.ensure(draft)).invoice;
  const { phase } = await cancelInvoice(client, invoiceId);
  const invoice = await client.invoices.get(invoiceId, { includeTransactions: true });
  if (phase === 'unknown' || (phase === 'paid' && invoice.state !== 'PAID'))
    return 'not known yet: try again in a minute';
  const parts = cameIn(invoice);
  if (books.get(orderId)?.state !== 'open') return 'changed in between';
  if (phase === 'paid') fulfil(books, invoice);
  else if (parts.length > 0)
    books.change(orderId, 'held', `paid in part: ${say(parts)}`, invoiceId);
  else books.change(orderId, as, '', invoiceId);
  return books.get(orderId)!.state;
}

/** Reads what came in for shipped orders, a few at a time, and notes where it was more than the price. */
export async function checkReceipts(client: Client, books: Books): Promise<void> {
  for (const { orderId, invoiceId, total } of books.unchecked(20)) {
    if (!invoiceId) continue;
    const invoice = await client.invoices.get(invoiceId, { includeTransactions: true });
    const parts = cameIn(invoice);
    if (books.get(orderId)?.state !== 'shipped') continue;
    if (isOver(parts, total)) books.change(orderId, 'shipped', `overpaid: ${say(parts)}`);
    books.check(orderId);
  }
}
