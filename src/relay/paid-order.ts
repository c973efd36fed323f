import { isSameMoney } from '../money/index.ts';
import type { Invoice, InvoiceDraft } from '../resources/invoices.ts';
import type { SqlTransaction } from '../stores/index.ts';
import type { Handler, HandlerContext, InboxProblem, NotOurs } from '../webhooks/index.ts';
import type { Order } from './order-store.ts';

/**
 * An order of the shop and the invoice that paid it, compared: it can be shipped without another
 * check.
 */
export interface PaidOrder {
  /** As `createOrder` returned it. */
  readonly orderId: string;
  /** What the shop had asked for. */
  readonly draft: InvoiceDraft;
  /**
   * The invoice as read after it was paid: id, amount, currency and receiver are those of the
   * order.
   */
  readonly invoice: Invoice;
}

/** Is called for a paid order, at least once, always under the same key; the shop ships here. */
export type PaidOrderHandler = Handler<PaidOrder, HandlerContext<SqlTransaction>>;

/**
 * Why an invoice is not the one that was made for an order. What the order does not know yet,
 * because the response to its creation was lost, is not compared; an invoice that others have made
 * for the account never fits.
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

/** Knows which order an invoice pays, and keeps the order until it was handled. */
export interface PaidOrders {
  paidBy(invoice: Invoice): Promise<PaidOrder | NotOurs>;
  hold(paid: PaidOrder): void;
  release(paid: PaidOrder): void;
}

/** What is done with a paid invoice. */
interface PaidOptions {
  readonly orders: PaidOrders;
  readonly orderPaid: PaidOrderHandler;
  readonly invoicePaid: Handler<Invoice, HandlerContext<SqlTransaction>> | undefined;
  readonly report: (problem: InboxProblem) => void;
}

/**
 * Passes a paid invoice on as the order that it pays. The order is kept until its handler has
 * ended.
 */
export function orderHandler({
  orders,
  orderPaid,
  invoicePaid,
  report,
}: PaidOptions): Handler<Invoice, HandlerContext<SqlTransaction>> {
  return async (invoice, context) => {
    await invoicePaid?.(invoice, context);
    const paid = await orders.paidBy(invoice);
    if (typeof paid === 'string')
      return report({ kind: 'not-ours', invoiceId: invoice.invoiceId, reason: paid });
    orders.hold(paid);
    await orderPaid(paid, context);
    context.tx(() => orders.release(paid));
  };
}
