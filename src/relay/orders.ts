import { type Connection, internals } from '../core/http/index.ts';
import { ensure, type Invoice } from '../resources/invoices.ts';
import type { NotOurs } from '../webhooks/index.ts';
import { findMismatch, type PaidOrder, type PaidOrders } from './account-inbox.ts';
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

/**
 * How long a process may take to create an order's invoice, in milliseconds. After that, another
 * process may try.
 */
const OPEN_TURN = 15_000;
/**
 * How long a page waits until another process has created the invoice, in milliseconds. The page
 * polls for the result at the interval below.
 */
const WAIT = 8_000;
const ASK_EVERY = 150;

interface Parts {
  readonly client: Connection;
  readonly store: RelayStore;
  readonly account: string;
  readonly process: string;
  readonly queue: FairQueue;
  /** Resolves once the data of a previous sandbox has been deleted. */
  readonly settled: () => Promise<void>;
  /** Called with an order's invoice when the invoice is created or found again. */
  readonly made: (invoice: Invoice, sentAt: number) => Promise<void>;
}

/**
 * An account's orders. Each order has one invoice, which one of the processes creates when the
 * customer wants to pay.
 */
export class RowOrders implements PaidOrders<RowsTransaction> {
  readonly #parts: Parts;
  readonly #opening: Shared<string> = new Shared();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Adds an order. If the same order already exists, nothing changes. */
  async add(order: NewOrder): Promise<OrderEnd> {
    const { store, account } = this.#parts;
    const until = await store.addOrder(account, order);
    if (until === undefined) throw new Refused(refusalBy('PROCESSING_CONFLICT'));
    return { until };
  }

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
   * Compares a paid invoice with the order that it refers to, including the invoice id, amount,
   * currency, issuer and receiver. Rejects if the result isn't known yet, so that no paid order is
   * dropped.
   */
  async paidBy(invoice: Invoice): Promise<PaidOrder | NotOurs> {
    const orderId = invoice.correlationId ?? '';
    const order = await this.#parts.store.order(this.#parts.account, orderId);
    if (!order) return 'no-order';
    const mismatch = findMismatch(order, invoice);
    if (mismatch) return mismatch;
    // the created invoice wasn't stored, but the service can find it by the order's id
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

  /** Creates an order's invoice once for all pages connected to this process. */
  #ensureInvoice(orderId: string): Promise<string> {
    return this.#opening.run(orderId, () => this.#makeInTurn(orderId));
  }

  /**
   * Creates the invoice in one process, while the others wait. If that process takes too long,
   * another one tries.
   */
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
      // the claim expires anyway
      await store.leaveOrder(account, orderId, process).catch(() => {});
      throw thrown;
    }
  }
}
