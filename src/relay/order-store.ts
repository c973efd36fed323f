import type { Invoice, InvoiceDraft } from '../resources/invoices.ts';
import type { AccountTables } from './account-tables.ts';
import type { NewOrder } from './contracts.ts';

/** An order whose price the shop has decided; its invoice is made when it is first asked for. */
export interface Order extends NewOrder {
  /** The invoice that was made for it; absent until the response to its creation is kept. */
  readonly invoiceId?: string | undefined;
  /** Account that the invoice was made by and for. */
  readonly receiverId?: string | undefined;
}

type OrderRow = {
  order_id: string;
  hash: string;
  draft: string;
  invoice_id: string | null;
  receiver_id: string | null;
  until: number;
};

/** The last millisecond that a date can name. */
const FOR_EVER = 8_640_000_000_000_000;

/** The orders of a shop, and the invoice of each. */
export class OrderStore {
  readonly #tables: AccountTables;

  constructor(tables: AccountTables) {
    this.#tables = tables;
  }

  /** Writes an order; false where there is one with this id. */
  add({ orderId, hash, draft, until }: NewOrder): boolean {
    return this.#tables.atOnce(() => {
      if (this.get(orderId)) return false;
      this.#tables.run(
        'INSERT INTO orders (order_id, hash, draft, until, opened) VALUES (?, ?, ?, ?, 0)',
        orderId,
        hash,
        JSON.stringify(draft),
        until,
      );
      return true;
    });
  }

  get(orderId: string): Order | undefined {
    const [row] = this.#tables.rows<OrderRow>(
      'SELECT order_id, hash, draft, invoice_id, receiver_id, until FROM orders WHERE order_id = ?',
      orderId,
    );
    if (row?.order_id !== orderId) return undefined;
    const { hash, draft, invoice_id: invoiceId, receiver_id: receiverId, until } = row;
    return {
      orderId,
      hash,
      draft: JSON.parse(draft) as InvoiceDraft,
      invoiceId: invoiceId ?? undefined,
      receiverId: receiverId ?? undefined,
      until,
    };
  }

  /** From now on there may be an invoice for this order, whatever comes of its creation. */
  open(orderId: string): void {
    this.#tables.run('UPDATE orders SET opened = 1 WHERE order_id = ?', orderId);
  }

  /** Whether the invoice was made for an order. */
  isOrdered(invoiceId: string): boolean {
    return (
      this.#tables.ids('SELECT order_id AS id FROM orders WHERE invoice_id = ?', invoiceId).length >
      0
    );
  }

  /** Keeps the invoice that was made for an order; the first one stays. */
  setInvoice(orderId: string, { invoiceId, receiverId }: Invoice): void {
    this.#tables.run(
      'UPDATE orders SET invoice_id = ?, receiver_id = ? WHERE order_id = ? AND invoice_id IS NULL',
      invoiceId,
      receiverId,
      orderId,
    );
  }

  /** A paid order is not forgotten before it was handled, whenever that is. */
  hold(orderId: string, until: number = FOR_EVER): void {
    this.#tables.run('UPDATE orders SET held_until = ? WHERE order_id = ?', until, orderId);
  }

  /**
   * Forgets what was over before this time, but no order that is held; and orders that nobody has
   * opened as soon as they are over.
   */
  clean(before: number, now: number): void {
    this.#tables.run('DELETE FROM orders WHERE opened = 0 AND until < ?', now);
    this.#tables.run('DELETE FROM orders WHERE until < ? AND held_until < ?', before, before);
  }
}
