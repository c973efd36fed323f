import { type Connection, internals } from '../core/http/index.ts';
import { ensure, type Invoice } from '../resources/invoices.ts';
import type { NotOurs } from '../webhooks/index.ts';
import { mismatchOf, type PaidOrder, type PaidOrders } from './account-inbox.ts';
import {
  type FromVisitor,
  type InvoiceRef,
  type NewOrder,
  type OrderEnd,
  type OrderProof,
  refusalBy,
  Refused,
} from './calls.ts';
import { Shared } from './gathered.ts';
import type { FairQueue } from './limits.ts';
import type { OrderRow, RelayStore } from './relay-store.ts';
import { PLACE_WAIT } from './tokens.ts';
import type { RowsTransaction } from './rows-inbox-store.ts';

/** A turn to make an order's invoice, milliseconds; after it another process may. */
const OPEN_TURN = 15_000;
/**
 * Longest wait of a page for the process that makes it, and the interval between its requests,
 * milliseconds.
 */
const WAIT = 8_000;
const ASK_EVERY = 150;

interface Parts {
  readonly client: Connection;
  readonly store: RelayStore;
  readonly account: string;
  readonly process: string;
  readonly queue: FairQueue;
  /** Resolves when what came from a world that has ended is forgotten. */
  readonly settled: () => Promise<void>;
  /** Is given each order's invoice as it was made, or found again. */
  readonly made: (invoice: Invoice, sentAt: number) => Promise<void>;
}

/** Orders of an account: one invoice each, made by one process when the customer wants to pay. */
export class RowOrders implements PaidOrders<RowsTransaction> {
  readonly #parts: Parts;
  readonly #opening: Shared<string> = new Shared();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Keeps an order as the shop has made it; the same one again changes nothing. */
  async add(order: NewOrder): Promise<OrderEnd> {
    const { store, account } = this.#parts;
    const until = await store.addOrder(account, order);
    if (until === undefined) throw new Refused(refusalBy('PROCESSING_CONFLICT'));
    return { until };
  }

  /** The order's invoice, for a page with the order's secret. */
  async open({ orderId, hash, visitor }: OrderProof & FromVisitor): Promise<InvoiceRef> {
    const { store, account, queue } = this.#parts;
    const order = await store.order(account, orderId);
    if (order?.hash !== hash || order.until < this.#now)
      throw new Refused(refusalBy('UNAUTHORIZED'));
    if (order.invoiceId !== undefined) return { invoiceId: order.invoiceId };
    const making = this.#opening.get(orderId);
    if (making) return { invoiceId: await making };
    await queue.take('open', { id: orderId, visitor });
    return { invoiceId: await this.#ensureInvoice(orderId) };
  }

  /**
   * Compares a paid invoice with the order that it names: the invoice that was made for it, its
   * amount and currency, who made it and who is credited. Rejects while that cannot be known, so
   * that nothing that was paid is dropped.
   */
  async paidBy(invoice: Invoice): Promise<PaidOrder | NotOurs> {
    const orderId = invoice.correlationId ?? '';
    const order = await this.#parts.store.order(this.#parts.account, orderId);
    if (!order) return 'no-order';
    const mismatch = mismatchOf(order, invoice);
    if (mismatch) return mismatch;
    // its creation was not kept: the service knows it by the order's id
    const invoiceId = order.invoiceId ?? (await this.#ensureInvoice(orderId));
    return invoiceId === invoice.invoiceId
      ? { orderId, draft: order.draft, invoice }
      : 'other-invoice';
  }

  hold({ orderId }: PaidOrder): Promise<void> {
    return this.#parts.store.holdOrder(this.#parts.account, orderId);
  }

  release({ orderId }: PaidOrder, tx: RowsTransaction): void {
    tx.own(this.#parts.store.releaseOrder(this.#parts.account, orderId));
  }

  get #now(): number {
    return this.#parts.client[internals].clock.now();
  }

  /** One creation for all who open the order in this process at once. */
  #ensureInvoice(orderId: string): Promise<string> {
    return this.#opening.run(orderId, () => this.#makeInTurn(orderId));
  }

  /** One process makes it, the others wait; a turn that its process has lost is taken again. */
  async #makeInTurn(orderId: string): Promise<string> {
    const { store, account, process, client } = this.#parts;
    const { clock } = client[internals];
    const end = clock.monotonic() + WAIT;
    for (;;) {
      const opened = await store.openOrder(account, orderId, process, OPEN_TURN);
      if (!opened) throw new Refused(refusalBy('UNAUTHORIZED'));
      if (opened.order.invoiceId !== undefined) return opened.order.invoiceId;
      if (opened.isOurTurn) return this.#make(opened.order);
      if (clock.monotonic() >= end) throw new Refused(refusalBy('SERVICE_UNAVAILABLE', 2_000));
      await clock.wait(ASK_EVERY);
    }
  }

  async #make({ orderId, draft }: OrderRow): Promise<string> {
    const { store, account, process, client, made, settled } = this.#parts;
    const sentAt = this.#now;
    try {
      const { invoice } = await ensure(
        client,
        { ...draft, correlationId: orderId },
        { queueTimeout: PLACE_WAIT },
      );
      await settled();
      const first = await store.setOrderInvoice(account, orderId, invoice);
      if (first === invoice.invoiceId) await made(invoice, sentAt);
      return first ?? invoice.invoiceId;
    } catch (thrown) {
      await store.leaveOrder(account, orderId, process).catch(() => {}); // its turn ends by itself
      throw thrown;
    }
  }
}
