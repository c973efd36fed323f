import { type Connection, internals } from '../core/http/index.ts';
import { sameContent } from '../core/watch.ts';
import { ensure, type Invoice, type InvoiceId } from '../resources/invoices.ts';
import type { NotOurs } from '../webhooks/index.ts';
import {
  type FromVisitor,
  type InvoiceRef,
  type NewOrder,
  type OrderProof,
  Refused,
} from './calls.ts';
import type { Order, OrderStore } from './account-store.ts';
import { mismatchOf, type PaidOrder, type PaidOrders } from './account-inbox.ts';
import { refusalBy } from './requests.ts';
import { PLACE_WAIT } from './routes.ts';
import type { Shares } from './shares.ts';

/** Orders of a shop: one invoice each, made when the customer wants to pay and not before. */
export class Orders implements PaidOrders<unknown> {
  readonly #client: Connection;
  readonly #store: OrderStore;
  readonly #shares: Shares;
  readonly #made: (invoice: Invoice, sentAt: number) => void;
  readonly #opening: Map<string, Promise<InvoiceId>> = new Map();

  /** @param made is given each order's invoice as it was made, or found again */
  constructor(
    client: Connection,
    store: OrderStore,
    shares: Shares,
    made: (invoice: Invoice, sentAt: number) => void,
  ) {
    this.#client = client;
    this.#store = store;
    this.#shares = shares;
    this.#made = made;
  }

  /** Keeps an order as the shop has made it; the same one again changes nothing. */
  add(order: NewOrder): void {
    if (this.#store.add(order)) return;
    const { hash, draft } = this.#store.get(order.orderId)!;
    if (hash !== order.hash || !sameContent(draft, order.draft))
      throw new Refused(refusalBy('PROCESSING_CONFLICT'));
  }

  /** The order's invoice, for a page with the order's secret. */
  async open({ orderId, hash, visitor }: OrderProof & FromVisitor): Promise<InvoiceRef> {
    const order = this.#store.get(orderId);
    if (order?.hash !== hash || order.until < this.#client[internals].clock.now())
      throw new Refused(refusalBy('UNAUTHORIZED'));
    if (order.invoiceId !== undefined) return { invoiceId: order.invoiceId };
    if (!this.#opening.has(orderId)) this.#shares.take('open', { id: orderId, visitor });
    return { invoiceId: await this.#ensureInvoice(order) };
  }

  /**
   * Compares a paid invoice with the order that it names: the invoice that was made for it, its
   * amount and currency, who made it and who is credited. Rejects while that cannot be known, so
   * that nothing that was paid is dropped.
   */
  async paidBy(invoice: Invoice): Promise<PaidOrder | NotOurs> {
    const orderId = invoice.correlationId ?? '';
    const order = this.#store.get(orderId);
    if (!order) return 'no-order';
    const mismatch = mismatchOf(order, invoice);
    if (mismatch) return mismatch;
    // its creation was not kept: the service knows it by the order's id
    const invoiceId = order.invoiceId ?? (await this.#ensureInvoice(order));
    return invoiceId === invoice.invoiceId
      ? { orderId, draft: order.draft, invoice }
      : 'other-invoice';
  }

  /** Keeps a paid order until it was handled. */
  hold({ orderId }: PaidOrder): void {
    this.#store.hold(orderId);
  }

  /** It was handled: from now on it is forgotten as others are. */
  release({ orderId }: PaidOrder): void {
    this.#store.hold(orderId, this.#client[internals].clock.now());
  }

  /**
   * One creation for all who open the order at once; after a crash the service knows it by the
   * order's id.
   */
  #ensureInvoice(order: Order): Promise<InvoiceId> {
    const { orderId } = order;
    const made =
      this.#opening.get(orderId) ??
      this.#createInvoice(order).finally(() => this.#opening.delete(orderId));
    this.#opening.set(orderId, made);
    return made;
  }

  async #createInvoice({ orderId, draft }: Order): Promise<InvoiceId> {
    this.#store.open(orderId);
    const sentAt = this.#client[internals].clock.now();
    const { invoice } = await ensure(
      this.#client,
      { ...draft, correlationId: orderId },
      { queueTimeout: PLACE_WAIT },
    );
    this.#store.setInvoice(orderId, invoice);
    this.#made(invoice, sentAt);
    return this.#store.get(orderId)?.invoiceId ?? invoice.invoiceId;
  }
}
