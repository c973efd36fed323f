import type { Money } from 'paystate/money';
import type { SqlDriver, SqlRow, SqlText } from 'paystate/stores';
import { Rows, type Statement } from './rows.ts';

/**
 * `open` not paid · `shipped` paid and packed · `held` money came in and a person has to decide,
 * see `note` · `cancelled` by the shop · `expired` not paid for a day · `refunding` · `refunded` ·
 * `reversed` the money went back.
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
  /** The order's number, which is the `correlationId` of its invoice. */
  readonly orderId: string;
  /** SHA-256 of the order's secret. */
  readonly hash: string;
  readonly what: string;
  readonly total: Money;
}

/** A refund that the back office has requested. */
export interface Refund {
  /** The name of the refund. A second request under the same name pays nothing. */
  readonly name: string;
  /** The destination of the money. */
  readonly to: string;
  /** In the order's currency. If absent, everything that came in. */
  readonly amount?: string | undefined;
}

export interface Order extends NewOrder {
  readonly state: OrderState;
  /** Why it's held, or another hint for a person. */
  readonly note: string;
  readonly invoiceId?: string | undefined;
  /** The latest refund, kept before we send it to the Till. */
  readonly refund?: Refund | undefined;
  readonly created: number;
  /** Rises by one with each change. */
  readonly revision: number;
}

/** An order as you read it. A change is refused if the order has changed since then. */
export type Seen = Pick<Order, 'orderId' | 'revision'>;

/** A change of an order, with its time. */
export type Change = Pick<Order, 'state' | 'note'> & { readonly at: number };

/** Times are milliseconds since 1970, which don't fit into an INTEGER of PostgreSQL. */
const TABLES = [
  `CREATE TABLE IF NOT EXISTS shop_order (order_id TEXT PRIMARY KEY, hash TEXT NOT NULL,
    what TEXT NOT NULL, amount TEXT NOT NULL, currency TEXT NOT NULL, state TEXT NOT NULL,
    note TEXT NOT NULL DEFAULT '', invoice_id TEXT, refund_name TEXT NOT NULL DEFAULT '',
    refund_to TEXT NOT NULL DEFAULT '', refund_amount TEXT NOT NULL DEFAULT '',
    created DOUBLE PRECISION NOT NULL, revision INTEGER NOT NULL DEFAULT 1,
    checked INTEGER NOT NULL DEFAULT 0)`,
  'CREATE INDEX IF NOT EXISTS shop_order_by_state ON shop_order (state, created)',
  'CREATE INDEX IF NOT EXISTS shop_order_by_time ON shop_order (created)',
  `CREATE INDEX IF NOT EXISTS shop_order_unchecked ON shop_order (created)
    WHERE state = 'shipped' AND checked = 0`,
  `CREATE TABLE IF NOT EXISTS shop_parcel (order_id TEXT PRIMARY KEY, what TEXT NOT NULL,
    key TEXT NOT NULL UNIQUE)`,
  `CREATE TABLE IF NOT EXISTS shop_change (order_id TEXT NOT NULL, revision INTEGER NOT NULL,
    at DOUBLE PRECISION NOT NULL, state TEXT NOT NULL, note TEXT NOT NULL,
    PRIMARY KEY (order_id, revision))`,
  `CREATE TABLE IF NOT EXISTS shop_stray (invoice_id TEXT PRIMARY KEY, reason TEXT NOT NULL,
    seen DOUBLE PRECISION NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS shop_turn (name TEXT PRIMARY KEY, taken DOUBLE PRECISION NOT NULL)`,
];

/** Most orders that the back office shows. */
const MOST_RECENT = 200;

/**
 * The shop's books have the orders, the parcels, and money without an order. Any number of
 * processes may write them at once, because each change names the expected revision in the same
 * statement. `onChange` gets every change of this process.
 */
export class Books {
  readonly #rows: Rows;
  readonly #now: () => number;
  onChange: (orderId: string) => void = () => {};

  constructor(driver: SqlDriver, now: () => number = Date.now) {
    this.#rows = new Rows(driver, 'SELECT name FROM shop_turn LIMIT 1', TABLES);
    this.#now = now;
  }

  /**
   * Writes a new order. The same one again changes nothing. Returns false if the number belongs to
   * another order.
   */
  async add({ orderId, hash, what, total }: NewOrder): Promise<boolean> {
    const insert: Statement = [
      `INSERT INTO shop_order (order_id, hash, what, amount, currency, state, created)
        VALUES (?, ?, ?, ?, ?, 'open', ?) ON CONFLICT (order_id) DO NOTHING RETURNING order_id`,
      ...[orderId, hash, what, total.amount, total.currency, this.#now()],
    ];
    if (await this.#write({ orderId, revision: 0 }, [insert])) return true;
    const known = await this.get(orderId);
    return known?.hash === hash && known.what === what;
  }

  async get(orderId: string): Promise<Order | undefined> {
    return (await this.#orders('WHERE order_id = ?', orderId))[0];
  }

  /**
   * Changes an order. Returns false, without a change, if somebody else has changed it since you
   * read it.
   */
  async change(seen: Seen, state: OrderState, note = '', invoiceId?: string): Promise<boolean> {
    return this.#write(seen, [changed(seen, state, note, invoiceId)]);
  }

  /** Packs an order once, in one transaction with its new state. Returns false as `change` does. */
  async ship(seen: Seen, key: string, invoiceId: string): Promise<boolean> {
    return this.#write(seen, [
      changed(seen, 'shipped', '', invoiceId),
      [
        `INSERT INTO shop_parcel (order_id, what, key)
          SELECT order_id, what, ? FROM shop_order WHERE order_id = ? AND state = 'shipped'
          ON CONFLICT (order_id) DO NOTHING`,
        ...[key, seen.orderId],
      ],
    ]);
  }

  /** Keeps a refund before we send it to anybody. Returns false as `change` does. */
  async beginRefund(seen: Seen, { name, to, amount = '' }: Refund, note: string): Promise<boolean> {
    const statement: Statement = [
      `UPDATE shop_order SET state = 'refunding', note = ?, refund_name = ?, refund_to = ?,
        refund_amount = ?, revision = revision + 1 WHERE ${AS_SEEN} RETURNING order_id`,
      ...[note, name, to, amount, seen.orderId, seen.revision],
    ];
    return this.#write(seen, [statement]);
  }

  /**
   * Marks the receipts of a shipped order as read. A note names something remarkable about them.
   */
  async check(seen: Seen, note?: string): Promise<void> {
    // if the order has changed, the next cron reads it again
    if (note !== undefined && !(await this.change(seen, 'shipped', note))) return;
    await this.#rows.run([
      "UPDATE shop_order SET checked = 1 WHERE order_id = ? AND state = 'shipped'",
      seen.orderId,
    ]);
  }

  /** Returns the history of an order, the oldest change first. */
  async history(orderId: string): Promise<readonly Change[]> {
    const [changes] = await this.#rows.run([
      'SELECT at, state, note FROM shop_change WHERE order_id = ? ORDER BY revision',
      orderId,
    ]);
    return changes as unknown as readonly Change[];
  }

  /** Keeps money without an order, for a person to look at. */
  async addStray(invoiceId: string, reason: string): Promise<void> {
    await this.#rows.run([
      `INSERT INTO shop_stray (invoice_id, reason, seen) VALUES (?, ?, ?)
        ON CONFLICT (invoice_id) DO NOTHING`,
      ...[invoiceId, reason, this.#now()],
    ]);
  }

  async strays(): Promise<readonly SqlRow[]> {
    const [strays] = await this.#rows.run([
      'SELECT invoice_id, reason FROM shop_stray ORDER BY seen DESC LIMIT 50',
    ]);
    return strays!;
  }

  /** Returns the open and held orders, and those that ended last. */
  async recent(): Promise<readonly Order[]> {
    const [open, newest] = await this.#rows.run(
      [
        `SELECT * FROM shop_order WHERE state IN ('open', 'held', 'refunding')
          ORDER BY created DESC LIMIT ?`,
        MOST_RECENT,
      ],
      ['SELECT * FROM shop_order ORDER BY created DESC LIMIT ?', MOST_RECENT],
    );
    const orders = [...open!, ...newest!].map((row) => orderOf(row as unknown as Row));
    const known = new Map(orders.map((order) => [order.orderId, order]));
    return [...known.values()].slice(0, MOST_RECENT);
  }

  in(state: OrderState, before = Number.MAX_SAFE_INTEGER): Promise<readonly Order[]> {
    return this.#orders('WHERE state = ? AND created < ? ORDER BY created', state, before);
  }

  /** Returns when the oldest order was made that is open, or younger than `young`. */
  async since(young: number): Promise<number | undefined> {
    const found = await this.#rows.run(
      ["SELECT min(created) AS since FROM shop_order WHERE state = 'open'"],
      ['SELECT min(created) AS since FROM shop_order WHERE created > ?', young],
    );
    const times = found.flatMap(([row]) => (row?.['since'] ?? []) as number | []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Returns shipped orders whose payments were not read yet. */
  unchecked(most: number): Promise<readonly Order[]> {
    return this.#orders("WHERE state = 'shipped' AND checked = 0 ORDER BY created LIMIT ?", most);
  }

  /** Returns true for one of the processes each `period`, milliseconds. */
  async takeTurn(name: string, period: number): Promise<boolean> {
    const now = this.#now();
    const [taken] = await this.#rows.run([
      `INSERT INTO shop_turn (name, taken) VALUES (?, ?)
        ON CONFLICT (name) DO UPDATE SET taken = excluded.taken WHERE shop_turn.taken <= ?
        RETURNING name`,
      ...[name, now, now - period],
    ]);
    return taken!.length > 0;
  }

  /** Runs a change, and keeps it in the order's history. Returns true if it was made. */
  async #write({ orderId, revision }: Seen, statements: readonly Statement[]): Promise<boolean> {
    const keep: Statement = [
      // somebody else's change is in the history already
      `INSERT INTO shop_change (order_id, revision, at, state, note)
        SELECT order_id, revision, CAST(? AS DOUBLE PRECISION), state, note FROM shop_order
          WHERE order_id = ? AND revision = ?
        ON CONFLICT (order_id, revision) DO NOTHING`,
      ...[this.#now(), orderId, revision + 1],
    ];
    const [rows] = await this.#rows.run(...statements, keep);
    const isMade = rows!.length > 0;
    if (isMade) this.onChange(orderId);
    return isMade;
  }

  async #orders(where: string, ...values: readonly SqlText[]): Promise<readonly Order[]> {
    const [rows] = await this.#rows.run([`SELECT * FROM shop_order ${where}`, ...values]);
    return rows!.map((row) => orderOf(row as unknown as Row));
  }
}

const AS_SEEN = 'order_id = ? AND revision = ?';

function changed(seen: Seen, state: OrderState, note: string, invoiceId?: string): Statement {
  return [
    `UPDATE shop_order SET state = ?, note = ?, invoice_id = coalesce(?, invoice_id),
      revision = revision + 1 WHERE ${AS_SEEN} RETURNING order_id`,
    ...[state, note, invoiceId ?? null, seen.orderId, seen.revision],
  ];
}

type Text = 'order_id' | 'hash' | 'what' | 'amount' | 'currency' | 'note';
type Row = Readonly<Record<Text | `refund_${'name' | 'to' | 'amount'}`, string>> & {
  readonly state: OrderState;
  readonly invoice_id: string | null;
  readonly created: number;
  readonly revision: number;
};

function orderOf(row: Row): Order {
  const { order_id: orderId, amount, currency, refund_name: name, refund_to: to } = row;
  const { hash, what, state, note, created, revision, refund_amount: part } = row;
  return {
    ...{ orderId, hash, what, state, note, created, revision, total: { amount, currency } },
    invoiceId: row.invoice_id ?? undefined,
    refund: name ? { name, to, ...(part && { amount: part }) } : undefined,
  };
}
