import type { Client, Invoice } from 'paystate';
import { cancelInvoice } from 'paystate/flows';
import { addMoney, compareMoney, type Money } from 'paystate/money';
import type { Books, Order } from './books.ts';
import { fulfil } from './fulfil.ts';
import { log } from './log.ts';

/** Returns the payments for an invoice that was read with them. */
export const cameIn = ({ transactions = [] }: Invoice): readonly Money[] =>
  transactions
    .filter(({ state }) => state === 'COMPLETED')
    .map(({ amountReceived }) => amountReceived);

const say = (parts: readonly Money[]): string =>
  parts.map(({ amount, currency }) => `${amount} ${currency}`).join(' + ');

/** Tells if more came in than the price. It doesn't compare other currencies. */
function isOver(parts: readonly Money[], total: Money): boolean {
  if (parts.some(({ currency }) => currency !== total.currency)) return false;
  const nothing: Money = { amount: '0', currency: total.currency };
  return compareMoney(parts.reduce(addMoney, nothing), total) > 0;
}

/**
 * Ends an open order that is not paid. Its invoice doesn't expire, so we cancel it. If the payer is
 * faster, the order is fulfilled. If only a part was paid, it's held. Resolves to the state of the
 * order after that.
 */
export async function close(...given: Parameters<typeof end>): Promise<string> {
  try {
    return await end(...given);
  } catch (thrown) {
    // the service is away, or the number has somebody else's invoice: go on with the next order
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
  // an order without an invoice gets one now, or a page could still open one later
  const draft = { correlationId: orderId, amount: total, description };
  const { invoiceId } = (await client.invoices.ensure(draft)).invoice;
  const { phase } = await cancelInvoice(client, invoiceId);
  const invoice = await client.invoices.get(invoiceId, { includeTransactions: true });
  if (phase === 'unknown' || (phase === 'paid' && invoice.state !== 'PAID'))
    return 'not known yet: try again in a minute';
  const parts = cameIn(invoice);
  if (phase === 'paid') {
    await fulfil(books, invoice);
    return (await books.get(orderId))!.state;
  }
  const [state, note] =
    parts.length > 0 ? (['held', `paid in part: ${say(parts)}`] as const) : ([as, ''] as const);
  return (await books.change(order, state, note, invoiceId)) ? state : 'changed in between';
}

/** Reads the payments for a few shipped orders, and notes each that is above the price. */
export async function checkReceipts(client: Client, books: Books): Promise<void> {
  for (const order of await books.unchecked(20)) {
    if (!order.invoiceId) continue;
    const invoice = await client.invoices.get(order.invoiceId, { includeTransactions: true });
    const parts = cameIn(invoice);
    const note = isOver(parts, order.total) ? `overpaid: ${say(parts)}` : undefined;
    await books.check(order, note);
  }
}
