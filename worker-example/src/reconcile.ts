import type { Client, Invoice } from 'paystate';
import type { Books, Order } from './books.ts';
import { checkReceipts, close } from './close.ts';
import { fulfil } from './fulfil.ts';
import { log } from './log.ts';

const DAY = 86_400_000;
/** The clocks of shop and service may differ by this much. */
const SKEW = 300_000;

/** A difference between shop and service, and the repair. */
export interface Difference {
  readonly orderId: string;
  readonly shop: string;
  readonly service: string;
  readonly done: string;
}

/** Returns the repair that an order needs, or nothing if shop and service agree. */
export async function repair(
  books: Books,
  order: Order,
  invoice: Invoice,
): Promise<string | undefined> {
  const { orderId, state } = order;
  const isUnpaid = ['open', 'cancelled', 'expired'].includes(state);
  if (invoice.state === 'PAID' && isUnpaid) await fulfil(books, invoice);
  else if (invoice.state === 'CANCELLED' && state === 'open')
    await books.change(order, 'cancelled', 'at the service', invoice.invoiceId);
  else if (invoice.state === 'REVERSED' && state !== 'reversed')
    await books.change(order, 'reversed', `was ${state}`, invoice.invoiceId);
  // a list may lag, so a shipped order stays shipped and a person has to look
  else return ['UNPAID', 'PENDING'].includes(invoice.state) && !isUnpaid ? 'nothing' : undefined;
  return (await books.get(orderId))!.state;
}

/**
 * Closes an order that nobody has paid for a day. An order that nobody has opened is closed once
 * its secret has expired.
 */
async function expire(
  client: Client,
  books: Books,
  seen: ReadonlySet<string>,
  now: number,
): Promise<void> {
  for (const order of await books.in('open', now - DAY)) {
    if (seen.has(order.orderId)) await close(client, books, order, 'expired');
    else if (order.created < now - 2 * DAY - SKEW) await books.change(order, 'expired');
  }
}

/**
 * Compares the service with the books, and repairs the books. A paid order whose webhook was lost
 * is fulfilled by the same function, under the same key.
 */
export async function reconcile(
  client: Client,
  books: Books,
  now: number,
): Promise<readonly Difference[]> {
  const since = await books.since(now - 2 * DAY);
  if (since === undefined) return [];
  const differences: Difference[] = [];
  const seen = new Set<string>();
  for await (const invoice of client.invoices.list({ createdAfter: new Date(since - SKEW) })) {
    const order = await books.get(invoice.correlationId ?? '');
    if (!order || invoice.receiverId !== invoice.issuerId) continue;
    seen.add(order.orderId);
    const done = await repair(books, order, invoice);
    if (done === undefined) continue;
    const difference = { orderId: order.orderId, shop: order.state, service: invoice.state, done };
    differences.push(difference);
    log('difference', difference);
  }
  await expire(client, books, seen, now);
  await checkReceipts(client, books);
  log('reconciled', { orders: seen.size, differences: differences.length });
  return differences;
}
