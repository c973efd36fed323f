import type { DurableStorage } from '../core/platform/index.ts';
import type { HeldState } from '../resources/held-state.ts';
import type { Invoice, InvoiceDraft } from '../resources/invoices/model.ts';
import type { InvoiceVersion, NewOrder } from './contracts.ts';

/** An order whose price the shop has decided; its invoice is made when it is first asked for. */
export interface Order extends NewOrder {
  /** The invoice that was made for it; absent until the response to its creation is kept. */
  readonly invoiceId?: string | undefined;
  /** Account that the invoice was made by and for. */
  readonly receiverId?: string | undefined;
}

/** What decides which read of an invoice wins, beside its value. */
export type HeldFacts = Omit<HeldState<unknown>, 'value'>;

type InvoiceRow = {
  number: number;
  as_of: number;
  json: string;
  held: string;
  unconfirmed: string | null;
};
type OrderRow = {
  order_id: string;
  hash: string;
  draft: string;
  invoice_id: string | null;
  receiver_id: string | null;
  until: number;
};

const TABLES = [
  `CREATE TABLE IF NOT EXISTS invoices (invoice_id TEXT PRIMARY KEY, until INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0,
   as_of INTEGER NOT NULL DEFAULT 0, json TEXT NOT NULL DEFAULT '', held TEXT NOT NULL DEFAULT '', confirmed INTEGER NOT NULL DEFAULT 0)`,
  'CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, json TEXT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS orders (order_id TEXT PRIMARY KEY, hash TEXT NOT NULL, draft TEXT NOT NULL, invoice_id TEXT, until INTEGER NOT NULL)`,
  'CREATE INDEX IF NOT EXISTS orders_by_invoice ON orders (invoice_id)',
];

/** Columns that were added later: also where the table is there already. */
const LATER_COLUMNS = {
  invoices: { unconfirmed: 'TEXT' },
  orders: {
    receiver_id: 'TEXT',
    held_until: 'INTEGER NOT NULL DEFAULT 0',
    opened: 'INTEGER NOT NULL DEFAULT 1',
  },
};
/** The last millisecond that a date can name. */
const FOR_EVER = 8_640_000_000_000_000;

const KNOWN =
  'SELECT number, as_of, json, held, unconfirmed FROM invoices WHERE invoice_id = ? AND number > 0';

/**
 * What the account object keeps beside its inbox: invoices that pages follow, what was read, what
 * rooms have confirmed, orders.
 */
export class AccountStore {
  readonly #storage: DurableStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    for (const table of TABLES) storage.sql.exec(table);
    for (const [table, columns] of Object.entries(LATER_COLUMNS)) this.#addColumns(table, columns);
  }

  #addColumns(table: string, columns: Readonly<Record<string, string>>): void {
    const known = this.#rows<{ name: string }>(`PRAGMA table_info(${table})`);
    for (const [name, type] of Object.entries(columns))
      if (!known.some((column) => column.name === name))
        this.#run(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  }

  /** Pages look at this invoice, until then at least. */
  follow(invoiceId: string, until: number): void {
    this.#run(
      'INSERT INTO invoices (invoice_id, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = max(until, excluded.until)',
      invoiceId,
      until,
    );
  }

  /** Forgets an invoice that the service refuses to show. */
  drop(invoiceId: string): void {
    this.#run('DELETE FROM invoices WHERE invoice_id = ?', invoiceId);
  }

  followedIds(now: number): readonly string[] {
    return this.#ids('SELECT invoice_id AS id FROM invoices WHERE until > ?', now);
  }

  isFollowed(invoiceId: string, now: number): boolean {
    const query = 'SELECT invoice_id AS id FROM invoices WHERE invoice_id = ? AND until > ?';
    return this.#ids(query, invoiceId, now).length > 0;
  }

  version(invoiceId: string): InvoiceVersion | undefined {
    const [row] = this.#rows<InvoiceRow>(KNOWN, invoiceId);
    if (!row) return undefined;
    const { number, as_of: asOf, json, unconfirmed } = row;
    const value = JSON.parse(json) as Invoice;
    return { number, asOf, value, ...(unconfirmed !== null && { unconfirmed }) };
  }

  /** Notes a state that was read and is not believed yet. Returns whether that is new. */
  noteUnconfirmed(invoiceId: string, state: string | undefined): boolean {
    const known = this.version(invoiceId);
    if (!known || known.unconfirmed === state) return false;
    const change = 'UPDATE invoices SET number = number + 1, unconfirmed = ? WHERE invoice_id = ?';
    this.#run(change, state ?? null, invoiceId);
    return true;
  }

  /** What is held of an invoice, as the rule for reads takes it. */
  heldState(invoiceId: string): HeldState<Invoice> | undefined {
    const [row] = this.#rows<InvoiceRow>(KNOWN, invoiceId);
    if (!row) return undefined;
    const facts = JSON.parse(row.held) as HeldFacts;
    return { ...facts, value: JSON.parse(row.json) as Invoice };
  }

  /** Keeps what decides about later reads, where no value is new. */
  keepFacts(invoiceId: string, facts: HeldFacts): void {
    this.#run(
      'UPDATE invoices SET held = ? WHERE invoice_id = ?',
      JSON.stringify(facts),
      invoiceId,
    );
  }

  /** Keeps what was read. Resolves to whether it is new: then it has to be sent to the room. */
  keep(invoiceId: string, value: unknown, facts: HeldFacts): boolean {
    const json = JSON.stringify(value);
    return this.#storage.transactionSync(() => {
      const [row] = this.#rows<InvoiceRow>(KNOWN, invoiceId);
      if (row?.json === json) return false;
      // rises even where the row was forgotten in between
      const number = Math.max((row?.number ?? 0) + 1, facts.sentAt);
      this.follow(invoiceId, 0);
      this.#run(
        'UPDATE invoices SET number = ?, as_of = ?, json = ?, held = ?, unconfirmed = NULL WHERE invoice_id = ?',
        number,
        facts.sentAt,
        json,
        JSON.stringify(facts),
        invoiceId,
      );
      return true;
    });
  }

  /** Followed invoices whose rooms have not confirmed the newest version. */
  unconfirmedIds(now: number): readonly string[] {
    return this.#ids(
      'SELECT invoice_id AS id FROM invoices WHERE number > confirmed AND until > ?',
      now,
    );
  }

  confirm(invoiceId: string, number: number): void {
    this.#run(
      'UPDATE invoices SET confirmed = max(confirmed, ?) WHERE invoice_id = ?',
      number,
      invoiceId,
    );
  }

  /** Writes an order; false where there is one with this id. */
  addOrder({ orderId, hash, draft, until }: NewOrder): boolean {
    return this.#storage.transactionSync(() => {
      if (this.order(orderId)) return false;
      this.#run(
        'INSERT INTO orders (order_id, hash, draft, until, opened) VALUES (?, ?, ?, ?, 0)',
        orderId,
        hash,
        JSON.stringify(draft),
        until,
      );
      return true;
    });
  }

  order(orderId: string): Order | undefined {
    const [row] = this.#rows<OrderRow>(
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
  openOrder(orderId: string): void {
    this.#run('UPDATE orders SET opened = 1 WHERE order_id = ?', orderId);
  }

  /** Whether the invoice was made for an order. */
  isOrdered(invoiceId: string): boolean {
    return (
      this.#ids('SELECT order_id AS id FROM orders WHERE invoice_id = ?', invoiceId).length > 0
    );
  }

  /** Keeps the invoice that was made for an order; the first one stays. */
  setInvoice(orderId: string, { invoiceId, receiverId }: Invoice): void {
    this.#run(
      'UPDATE orders SET invoice_id = ?, receiver_id = ? WHERE order_id = ? AND invoice_id IS NULL',
      invoiceId,
      receiverId,
      orderId,
    );
  }

  /** A paid order is not forgotten before it was handled, whenever that is. */
  holdOrder(orderId: string, until: number = FOR_EVER): void {
    this.#run('UPDATE orders SET held_until = ? WHERE order_id = ?', until, orderId);
  }

  /** What the object has noted of its own work. */
  note<T>(name: string): T | undefined {
    const [row] = this.#rows<{ json: string }>('SELECT json FROM notes WHERE name = ?', name);
    return row && (JSON.parse(row.json) as T);
  }

  setNote(name: string, value: object): void {
    this.#run('INSERT OR REPLACE INTO notes VALUES (?, ?)', name, JSON.stringify(value));
  }

  /**
   * Forgets what was over before this time, but no order that is held; and orders that nobody has
   * opened as soon as they are over.
   */
  clean(before: number, now: number): void {
    this.#run('DELETE FROM orders WHERE opened = 0 AND until < ?', now);
    this.#run('DELETE FROM invoices WHERE until < ? AND as_of < ?', before, before);
    this.#run('DELETE FROM orders WHERE until < ? AND held_until < ?', before, before);
  }

  #ids(query: string, ...bindings: readonly unknown[]): readonly string[] {
    return this.#rows<{ id: string }>(query, ...bindings).map(({ id }) => id);
  }

  #rows<Row extends Record<string, string | number | null>>(
    query: string,
    ...bindings: readonly unknown[]
  ): Row[] {
    return this.#storage.sql.exec<Row>(query, ...bindings).toArray();
  }

  #run(query: string, ...bindings: readonly unknown[]): void {
    this.#storage.sql.exec(query, ...bindings);
  }
}
