import type { Invoice } from 'paystate';
import { isSameMoney } from 'paystate/money';
import type { Books, Order } from './books.ts';
import { log } from './log.ts';

/**
 * Returns the name of a paid invoice's effect, which is the same for webhook, event feed and cron.
 */
export const keyOf = ({ invoiceId, state }: Invoice): string => `invoice:${invoiceId}:${state}`;

/** A fact about an order, from the shop and from the service. */
export interface Compared {
  readonly fact: string;
  readonly shop: string;
  readonly service: string;
}

/** Returns the facts that must agree before a parcel goes out, in plain words. */
export function compared(
  { orderId, total, invoiceId }: Order,
  invoice: Invoice,
): readonly Compared[] {
  const { amount, correlationId = 'none', issuerId, receiverId } = invoice;
  const sum = isSameMoney({ ...amount, currency: total.currency }, total) ? total : amount;
  return [
    { fact: 'Invoice', shop: invoiceId ?? 'not kept yet', service: invoice.invoiceId },
    { fact: 'Amount', shop: total.amount, service: sum.amount },
    { fact: 'Currency', shop: total.currency, service: amount.currency },
    { fact: 'Order number', shop: orderId, service: correlationId },
    { fact: 'Receiver', shop: issuerId, service: receiverId },
  ];
}

/** Returns why a parcel must not go out for this invoice, or nothing if everything agrees. */
export function objection(order: Order, invoice: Invoice): string | undefined {
  if (invoice.state !== 'PAID') return `the invoice is ${invoice.state}`;
  if (invoice.correlationId !== order.orderId) return 'the invoice is for another order';
  // anybody can make an invoice for our account and choose its order number, as its issuer
  if (invoice.receiverId !== invoice.issuerId) return 'the invoice was made by another account';
  if (!isSameMoney(invoice.amount, order.total)) return 'amount or currency differ';
  return order.state === 'open' ? undefined : `paid late: the order was ${order.state}`;
}

/**
 * Ships a paid order once, or holds it for a person. It changes nothing about a settled order. So
 * several processes may call it for the same invoice at once, and again after one of them has died.
 */
export async function fulfil(books: Books, invoice: Invoice): Promise<void> {
  const { invoiceId, correlationId = '' } = invoice;
  let why: string | undefined;
  for (let isDone = false; !isDone; ) {
    const order = await books.get(correlationId);
    if (!order || !['open', 'cancelled', 'expired'].includes(order.state)) return;
    why = objection(order, invoice);
    // false means that somebody else was faster and has changed the order
    isDone = await (why
      ? books.change(order, 'held', why, invoiceId)
      : books.ship(order, keyOf(invoice), invoiceId));
  }
  log(why ? 'order-held' : 'order-shipped', { orderId: correlationId, invoiceId, why });
}
