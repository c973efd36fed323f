import type { DurableStorage } from '../core/platform.ts';
import type { HeldState } from '../resources/held-state.ts';
import type { Invoice, InvoiceDraft } from '../resources/invoices.ts';
import { sqlMigration } from '../stores/index.ts';
import type { InvoiceVersion, NewOrder } from './calls.ts';
import type { HeldFacts } from './relay-store.ts';

const TABLES = [
  `CREATE TABLE IF NOT EXISTS invoices (invoice_id TEXT PRIMARY KEY,
   until INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0,
   as_of INTEGER NOT NULL DEFAULT 0, json TEXT NOT NULL DEFAULT '',
   held TEXT NOT NULL DEFAULT '', confirmed INTEGER NOT NULL DEFAULT 0)`,
  'CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, json TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS orders (order_id TEXT PRIMARY KEY, hash TEXT NOT NULL, draft ' +
    'TEXT NOT NULL, invoice_id TEXT, until INTEGER NOT NULL)',
  'CREATE INDEX IF NOT EXISTS orders_by_invoice ON orders (invoice_id)',
  'CREATE INDEX IF NOT EXISTS invoices_by_until ON invoices (until)',
];

/** Columns that were added later: also where the table is there already. */
const LATER_COLUMNS = {
  invoices: { unconfirmed: 'TEXT', followed_at: 'INTEGER NOT NULL DEFAULT 0' },
  orders: {
    receiver_id: 'TEXT',
    held_until: 'INTEGER NOT NULL DEFAULT 0',
    opened: 'INTEGER NOT NULL DEFAULT 1',
  },
};

type Row = Record<string, string | number | null>;

/** The account object's own tables, in addition to those of its inbox. */
export class AccountTables {
  readonly #storage: DurableStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    for (const table of [...TABLES, ...sqlMigration('sqlite')]) this.run(table);
    for (const [table, columns] of Object.entries(LATER_COLUMNS)) this.#addColumns(table, columns);
  }

  #addColumns(table: string, columns: Readonly<Record<string, string>>): void {
    const known = this.rows<{ name: string }>(`PRAGMA table_info(${table})`);
    for (const [name, type] of Object.entries(columns))
      if (!known.some((column) => column.name === name))
        this.run(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  }

  /**
   * Forgets what came from a service that is not there any more: a sandbox's world has ended.
   * Orders whose invoice was not made yet stay.
   */
  forgetService(): void {
    this.atOnce(() => {
      for (const table of ['invoices', 'notes']) this.run(`DELETE FROM ${table}`);
      this.run('DELETE FROM orders WHERE invoice_id IS NOT NULL');
      // leases that are held are void then
      for (const name of ['events', 'leases', 'dead_letters', 'cursor'])
        this.run(`DELETE FROM paystate_${name}`);
    });
  }

  /** All that is written within is kept, or nothing of it. */
  atOnce<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  ids(query: string, ...bindings: readonly unknown[]): readonly string[] {
    return this.rows<{ id: string }>(query, ...bindings).map(({ id }) => id);
  }

  rows<R extends Row>(query: string, ...bindings: readonly unknown[]): R[] {
    return this.#storage.sql.exec<R>(query, ...bindings).toArray();
  }

  run(query: string, ...bindings: readonly unknown[]): void {
    this.#storage.sql.exec(query, ...bindings);
  }
}

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

  /** True if the invoice was made for an order. */
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

type InvoiceRow = {
  number: number;
  as_of: number;
  json: string;
  held: string;
  unconfirmed: string | null;
};
const KNOWN =
  'SELECT number, as_of, json, held, unconfirmed FROM invoices WHERE invoice_id = ? AND number > 0';

/**
 * The account object's record of invoices, besides its inbox: which ones pages follow, what was
 * read, what rooms have confirmed.
 */
export class AccountStore {
  readonly #tables: AccountTables;

  constructor(tables: AccountTables) {
    this.#tables = tables;
  }

  /** Notes that pages show this invoice from now on, at least until `until`. */
  follow(invoiceId: string, until: number, now: number): void {
    this.#tables.run(
      `INSERT INTO invoices (invoice_id, until, followed_at) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET until = max(until, excluded.until),
       followed_at = CASE WHEN until > excluded.followed_at THEN followed_at
         ELSE excluded.followed_at END`,
      invoiceId,
      until,
      now,
    );
  }

  /** The time since which pages show this invoice without a pause; never where none does. */
  followedAt(invoiceId: string, now: number): number {
    const query = 'SELECT followed_at FROM invoices WHERE invoice_id = ? AND until > ?';
    const [row] = this.#tables.rows<{ followed_at: number }>(query, invoiceId, now);
    return row?.followed_at ?? Infinity;
  }

  /** Forgets an invoice that the service refuses to show. */
  drop(invoiceId: string): void {
    this.#tables.run('DELETE FROM invoices WHERE invoice_id = ?', invoiceId);
  }

  /**
   * Returns the ids of the invoices that pages show now.
   *
   * @param has tells which are wanted, by the state that is kept; those without one always are
   */
  followedIds(now: number, has?: (state: string) => boolean): readonly string[] {
    if (!has) return this.#tables.ids('SELECT invoice_id AS id FROM invoices WHERE until > ?', now);
    const rows = this.#tables.rows<{ id: string; state: string | null }>(
      `SELECT invoice_id AS id, CASE WHEN number > 0 THEN json_extract(json, '$.state') END AS state
       FROM invoices WHERE until > ?`,
      now,
    );
    return rows.flatMap(({ id, state }) => (state === null || has(state) ? [id] : []));
  }

  isFollowed(invoiceId: string, now: number): boolean {
    const query = 'SELECT invoice_id AS id FROM invoices WHERE invoice_id = ? AND until > ?';
    return this.#tables.ids(query, invoiceId, now).length > 0;
  }

  version(invoiceId: string): InvoiceVersion | undefined {
    const [row] = this.#tables.rows<InvoiceRow>(KNOWN, invoiceId);
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
    this.#tables.run(change, state ?? null, invoiceId);
    return true;
  }

  /** The held value of an invoice, as the rule for reads takes it. */
  heldState(invoiceId: string): HeldState<Invoice> | undefined {
    const [row] = this.#tables.rows<InvoiceRow>(KNOWN, invoiceId);
    if (!row) return undefined;
    const facts = JSON.parse(row.held) as HeldFacts;
    return { ...facts, value: JSON.parse(row.json) as Invoice };
  }

  /** Keeps what decides about later reads, where no value is new. */
  keepFacts(invoiceId: string, facts: HeldFacts): void {
    this.#tables.run(
      'UPDATE invoices SET held = ? WHERE invoice_id = ?',
      JSON.stringify(facts),
      invoiceId,
    );
  }

  /** Keeps what was read. Resolves to whether it is new: then it has to be sent to the room. */
  keep(invoiceId: string, value: unknown, facts: HeldFacts): boolean {
    const json = JSON.stringify(value);
    return this.#tables.atOnce(() => {
      const [row] = this.#tables.rows<InvoiceRow>(KNOWN, invoiceId);
      if (row?.json === json) return false;
      // rises even where the row was forgotten in between
      const number = Math.max((row?.number ?? 0) + 1, facts.sentAt);
      this.#tables.run('INSERT OR IGNORE INTO invoices (invoice_id) VALUES (?)', invoiceId);
      this.#tables.run(
        'UPDATE invoices SET number = ?, as_of = ?, json = ?, held = ?, unconfirmed = NULL ' +
          'WHERE invoice_id = ?',
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
    return this.#tables.ids(
      'SELECT invoice_id AS id FROM invoices WHERE number > confirmed AND until > ?',
      now,
    );
  }

  confirm(invoiceId: string, number: number): void {
    this.#tables.run(
      'UPDATE invoices SET confirmed = max(confirmed, ?) WHERE invoice_id = ?',
      number,
      invoiceId,
    );
  }

  /** The object's notes of its own work. */
  note<T>(name: string): T | undefined {
    const [row] = this.#tables.rows<{ json: string }>(
      'SELECT json FROM notes WHERE name = ?',
      name,
    );
    return row && (JSON.parse(row.json) as T);
  }

  setNote(name: string, value: object): void {
    this.#tables.run('INSERT OR REPLACE INTO notes VALUES (?, ?)', name, JSON.stringify(value));
  }

  /** Forgets what was over before this time. */
  clean(before: number): void {
    this.#tables.run('DELETE FROM invoices WHERE until < ? AND as_of < ?', before, before);
  }
}
