import type { Money } from 'paystate/money';
import type { DurableObjectContext } from 'paystate/relay';

/**
 * `open` not paid · `shipped` paid and packed · `held` money came in, and a person has to look: see `note` ·
 * `cancelled` by the shop · `expired` not paid for a day · `refunding` · `refunded` · `reversed` the money went back.
 */
export type OrderState =
  | 'open'
  | 'shipped'
  | 'held'
  | 'cancelled'
  | 'expired'
  | 'refunding'
  | 'refunded'
  | 'reversed';

export interface NewOrder {
  /** The order's number; its invoice has it as `correlationId`. */
  readonly orderId: string;
  /** SHA-256 of the order's secret. */
  readonly hash: string;
  readonly what: string;
  readonly total: Money;
}

export interface Order extends NewOrder {
  readonly state: OrderState;
  /** Why it is held, or what else a person should know. */
  readonly note: string;
  readonly invoiceId?: string | undefined;
  readonly created: number;
}

/** A change of an order, with its time. */
export type Change = Pick<Order, 'state' | 'note'> & { readonly at: number };

type Row = Record<'order_id' | 'hash' | 'what' | 'amount' | 'currency' | 'note', string> & {
  state: OrderState;
  invoice_id: string | null;
  created: number;
};

const TABLES = [
  `CREATE TABLE IF NOT EXISTS shop_orders (order_id TEXT PRIMARY KEY, hash TEXT NOT NULL, what TEXT NOT NULL,
   amount TEXT NOT NULL, currency TEXT NOT NULL, state TEXT NOT NULL, note TEXT NOT NULL DEFAULT '',
   invoice_id TEXT, created INTEGER NOT NULL, checked INTEGER NOT NULL DEFAULT 0)`,
  'CREATE INDEX IF NOT EXISTS shop_orders_by_state ON shop_orders (state, created)',
  'CREATE TABLE IF NOT EXISTS parcels (order_id TEXT PRIMARY KEY, what TEXT NOT NULL, key TEXT NOT NULL UNIQUE)',
  'CREATE TABLE IF NOT EXISTS history (order_id TEXT NOT NULL, at INTEGER NOT NULL, state TEXT NOT NULL, note TEXT NOT NULL)',
  'CREATE INDEX IF NOT EXISTS history_by_order ON history (order_id)',
  'CREATE TABLE IF NOT EXISTS strays (invoice_id TEXT PRIMARY KEY, reason TEXT NOT NULL)',
];

/** The shop's books: orders, parcels, and money that is no order's. Every change is told to `onChange`. */
export class Books {
  readonly #sql: DurableObjectContext['storage']['sql'];
  readonly #now: () => number;
  onChange: (orderId: string) => void = () => {};

  constructor({ sql }: Pick<DurableObjectContext['storage'], 'sql'>, now: () => number = Date.now) {
    this.#sql = sql;
    this.#now = now;
    for (const table of TABLES) sql.exec(table);
  }

  /** Writes a new order; the same one again changes nothing. False: the number is another order's. */
  add({ orderId, hash, what, total }: NewOrder): boolean {
    const known = this.get(orderId);
    if (known) return known.hash === hash && known.what === what;
    this.#sql.exec(
      "INSERT INTO shop_orders (order_id, hash, what, amount, currency, state, created) VALUES (?, ?, ?, ?, ?, 'open', ?)",
      ...[orderId, hash, what, total.amount, total.currency, this.#now()],
    );
    this.#keep(orderId, 'open', '');
    return true;
  }

  get(orderId: string): Order | undefined {
    return this.#orders('WHERE order_id = ?', orderId)[0];
  }

  change(orderId: string, state: OrderState, note = '', invoiceId?: string): void {
    this.#sql.exec(
      'UPDATE shop_orders SET state = ?, note = ?, invoice_id = coalesce(?, invoice_id) WHERE order_id = ?',
      ...[state, note, invoiceId ?? null, orderId],
    );
    this.#keep(orderId, state, note);
  }

  /** Keeps a change in the order's history, and tells of it. */
  #keep(orderId: string, state: OrderState, note: string): void {
    const values = [orderId, this.#now(), state, note];
    this.#sql.exec('INSERT INTO history VALUES (?, ?, ?, ?)', ...values);
    this.onChange(orderId);
  }

  /** What became of an order, the oldest change first. */
  history(orderId: string): readonly Change[] {
    return this.#sql
      .exec<{ at: number; state: OrderState; note: string }>(
        'SELECT at, state, note FROM history WHERE order_id = ? ORDER BY rowid',
        orderId,
      )
      .toArray();
  }

  /** Packs an order; the second time it changes nothing. */
  ship({ orderId, what }: Order, key: string, invoiceId: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO parcels VALUES (?, ?, ?)', orderId, what, key);
    this.change(orderId, 'shipped', '', invoiceId);
  }

  /** Money that came in and is no order's, for a person to look at. */
  addStray(invoiceId: string, reason: string): void {
    this.#sql.exec('INSERT OR IGNORE INTO strays VALUES (?, ?)', invoiceId, reason);
  }

  strays(): readonly { readonly invoice_id: string; readonly reason: string }[] {
    return this.#sql
      .exec<{ invoice_id: string; reason: string }>(
        'SELECT * FROM strays ORDER BY rowid DESC LIMIT 50',
      )
      .toArray();
  }

  /** What the back office shows: what is open or held, and what ended last. */
  recent(): readonly Order[] {
    const open = "state IN ('open', 'held', 'refunding')";
    return this.#orders(`ORDER BY ${open} DESC, created DESC LIMIT 200`);
  }

  in(state: OrderState, before = Infinity): readonly Order[] {
    return this.#orders('WHERE state = ? AND created < ? ORDER BY created', state, before);
  }

  /** When the oldest order was made that is open, or younger than `young`. */
  since(young: number): number | undefined {
    const [row] = this.#sql
      .exec<{ at: number | null }>(
        "SELECT min(created) AS at FROM shop_orders WHERE state = 'open' OR created > ?",
        young,
      )
      .toArray();
    return row?.at ?? undefined;
  }

  /** Shipped orders whose payments were not read yet. */
  unchecked(most: number): readonly Order[] {
    return this.#orders("WHERE state = 'shipped' AND checked = 0 ORDER BY created LIMIT ?", most);
  }

  check(orderId: string): void {
    this.#sql.exec('UPDATE shop_orders SET checked = 1 WHERE order_id = ?', orderId);
  }

  #orders(where: string, ...bindings: readonly unknown[]): readonly Order[] {
    return this.#sql
      .exec<Row>(`SELECT * FROM shop_orders ${where}`, ...bindings)
      .toArray()
      .map(({ order_id: orderId, amount, currency, invoice_id, ...row }) => ({
        ...row,
        orderId,
        total: { amount, currency },
        invoiceId: invoice_id ?? undefined,
      }));
  }
}
