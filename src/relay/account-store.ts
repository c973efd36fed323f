import type { HeldState } from '../resources/held-state.ts';
import type { Invoice } from '../resources/invoices.ts';
import type { AccountTables } from './account-tables.ts';
import type { InvoiceVersion } from './contracts.ts';

/** What decides which read of an invoice wins, beside its value. */
export type HeldFacts = Omit<HeldState<unknown>, 'value'>;

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
 * What the account object keeps of invoices beside its inbox: which ones pages follow, what was read,
 * what rooms have confirmed.
 */
export class AccountStore {
  readonly #tables: AccountTables;

  constructor(tables: AccountTables) {
    this.#tables = tables;
  }

  /** Pages look at this invoice from now on, until then at least. */
  follow(invoiceId: string, until: number, now: number): void {
    this.#tables.run(
      `INSERT INTO invoices (invoice_id, until, followed_at) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET
       until = max(until, excluded.until),
       followed_at = CASE WHEN until > excluded.followed_at THEN followed_at ELSE excluded.followed_at END`,
      invoiceId,
      until,
      now,
    );
  }

  /** Since when pages look at this invoice, without a pause; never where none does. */
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
   * Those that pages look at now.
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

  /** What is held of an invoice, as the rule for reads takes it. */
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

  /** What the object has noted of its own work. */
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
