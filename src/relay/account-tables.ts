import type { DurableStorage } from '../core/platform.ts';
import { sqlMigration } from '../stores/index.ts';

const TABLES = [
  `CREATE TABLE IF NOT EXISTS invoices (invoice_id TEXT PRIMARY KEY, until INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0,
   as_of INTEGER NOT NULL DEFAULT 0, json TEXT NOT NULL DEFAULT '', held TEXT NOT NULL DEFAULT '', confirmed INTEGER NOT NULL DEFAULT 0)`,
  'CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, json TEXT NOT NULL)',
  `CREATE TABLE IF NOT EXISTS orders (order_id TEXT PRIMARY KEY, hash TEXT NOT NULL, draft TEXT NOT NULL, invoice_id TEXT, until INTEGER NOT NULL)`,
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

/** The account object's own tables, beside those of its inbox. */
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
   * Forgets what came from a service that is not there any more: a sandbox's world has ended. Orders
   * whose invoice was not made yet stay.
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
