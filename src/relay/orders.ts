import type { Connection } from '../core/connection.ts';
import type { InvoiceDraft, InvoiceId } from '../resources/invoices/model.ts';
import { ensure } from '../resources/invoices/verbs.ts';
import { refusalBy } from './answers.ts';
import { Refused } from './calls.ts';
import type { FeedBook, Order } from './feed-book.ts';
import type { Shares } from './shares.ts';

/** Orders of a shop: one invoice each, made when the customer wants to pay and not before. */
export class Orders {
  readonly #client: Connection;
  readonly #book: FeedBook;
  readonly #shares: Shares;
  readonly #opening: Map<string, Promise<InvoiceId>> = new Map();

  constructor(client: Connection, book: FeedBook, shares: Shares) {
    this.#client = client;
    this.#book = book;
    this.#shares = shares;
  }

  /** Keeps an order as the shop has made it. */
  add(order: Omit<Order, 'invoiceId'>): void {
    if (!this.#book.addOrder(order)) throw new Refused(refusalBy('PROCESSING_CONFLICT'));
  }

  /** The order's invoice, for whoever has its secret. */
  async open({ orderId, hash }: Pick<Order, 'orderId' | 'hash'>): Promise<{ readonly invoiceId: InvoiceId }> {
    const order = this.#book.order(orderId);
    if (order?.hash !== hash || order.until < this.#client.clock.now()) throw new Refused(refusalBy('UNAUTHORIZED'));
    return { invoiceId: order.invoiceId ?? (await this.#made(orderId, order.draft)) };
  }

  /** One creation for all who open the order at once; after a crash the service knows it by the order's id. */
  #made(orderId: string, draft: InvoiceDraft): Promise<InvoiceId> {
    const under = this.#opening.get(orderId);
    if (under) return under;
    this.#shares.take('open', orderId);
    const made = this.#make(orderId, draft).finally(() => this.#opening.delete(orderId));
    this.#opening.set(orderId, made);
    return made;
  }

  async #make(orderId: string, draft: InvoiceDraft): Promise<InvoiceId> {
    const { invoice } = await ensure(this.#client, { ...draft, correlationId: orderId });
    this.#book.setInvoice(orderId, invoice.invoiceId);
    return invoice.invoiceId;
  }
}
