import type { SqlStorage } from '../core/platform/index.ts';
import { isSameMoney } from '../money/index.ts';
import type { Invoice, InvoiceDraft } from '../resources/invoices/model.ts';
import type { HandlerContext, Handler, NotOurs, InboxProblem } from '../webhooks/index.ts';
import type { Order } from './account-store.ts';

/** An order of the shop and the invoice that paid it, compared: nothing has to be looked at again before it is shipped. */
export interface PaidOrder {
  readonly orderId: string;
  /** What the shop had asked for. */
  readonly draft: InvoiceDraft;
  readonly invoice: Invoice;
}

export type PaidOrderHandler = Handler<PaidOrder, HandlerContext<SqlStorage>>;

/**
 * Why an invoice is not the one that was made for an order. What the order does not know yet, because the answer of its
 * creation was lost, is not compared; an invoice that others have made for the account never fits.
 */
export function mismatchOf(
  { draft, invoiceId, receiverId }: Order,
  invoice: Invoice,
): NotOurs | undefined {
  const receiver = receiverId ?? invoice.issuerId;
  if (invoiceId !== undefined && invoice.invoiceId !== invoiceId) return 'other-invoice';
  if (invoice.receiverId !== receiver || invoice.issuerId !== receiver) return 'receiver';
  return isSameMoney(invoice.amount, draft.amount) ? undefined : 'amount';
}

/** Knows which order an invoice pays, and keeps that in mind until it was handled. */
export interface PaidOrders {
  paidBy(invoice: Invoice): Promise<PaidOrder | NotOurs>;
  hold(paid: PaidOrder): void;
  release(paid: PaidOrder): void;
}

/** What is done with a paid invoice. */
export interface PaidOptions {
  readonly orders: PaidOrders;
  readonly orderPaid: PaidOrderHandler;
  readonly invoicePaid: Handler<Invoice, HandlerContext<SqlStorage>> | undefined;
  readonly tell: (trouble: InboxProblem) => void;
}

/** Hands a paid invoice on as the order that it pays. The order is remembered until its handler has come to its end. */
export function orderHandler({
  orders,
  orderPaid,
  invoicePaid,
  tell,
}: PaidOptions): Handler<Invoice, HandlerContext<SqlStorage>> {
  return async (invoice, effect) => {
    await invoicePaid?.(invoice, effect);
    const paid = await orders.paidBy(invoice);
    if (typeof paid === 'string')
      return tell({ kind: 'not-ours', invoiceId: invoice.invoiceId, why: paid });
    orders.hold(paid);
    await orderPaid(paid, effect);
    effect.tx(() => orders.release(paid));
  };
}
