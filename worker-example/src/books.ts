import type { Money } from 'paystate/money';
import type { SqlDriver, SqlRow, SqlText } from 'paystate/stores';
import { Rows, type Statement } from './rows.ts';

/**
 * `open` not paid · `shipped` paid and packed · `held` money came in, and a person has to look: see
 * `note` · `cancelled` by the shop · `expired` not paid for a day · `refunding` · `refunded` ·
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
  /** The order's number; its invoice has it as `correlationId`. */
  readonly orderId: string;
  /** SHA-256 of the order's secret. */
  readonly hash: string;
  readonly what: string;
  readonly total: Money;
}

/** A refund that the back office has asked for. */
export interface Refund {
  /** Names it, so that a second request for it pays nothing. */
  readonly name: string;
  /** Where the money goes. */
  readonly to: string;
  /** In the order's currency; everything that came in when absent. */
  readonly amount?: string | undefined;
}

export interface Order extends NewOrder {
  readonly state: OrderState;
  /** Why it is held, or what else a person should know. */
  readonly note: string;
  readonly invoiceId?: string | undefined;
  /** The latest one, kept before the Till is asked for it. */
  readonly refund?: Refund | undefined;
  readonly created: number;
  /** Rises by one with each change. */
  readonly revision: number;
}

/** An order as it was read: a change of what has changed since then is not made. */
export type Seen = Pick<Order, 'orderId' | 'revision'>;

/** A change of an order, with its time. */
export type Change = Pick<Order, 'state' | 'note'> & { readonly at: number };

/** Times are milliseconds since 1970, which an INTEGER of PostgreSQL cannot hold. */
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

/** Most orders that the back office is shown. */
const MOST_RECENT = 200;

/**
 * The shop's books: orders, parcels, and money that is no order's. Any number of processes may
 * write them at once: each change names the revision that it expects, in the same statement. Every
 * change of this process is told to `onChange`.
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
   * Writes a new order; the same one again changes nothing. False: the number is another order's.
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

  /** Changes an order. False: it is not as it was seen any more, and nothing was changed. */
  async change(seen: Seen, state: OrderState, note = '', invoiceId?: string): Promise<boolean> {
    return this.#write(seen, [changed(seen, state, note, invoiceId)]);
  }

  /** Packs an order, once, in one transaction with its new state. False: as in `change`. */
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

  /**
   * Keeps that an order is to be paid back, before anybody is asked for it. False: as in `change`.
   */
  async beginRefund(seen: Seen, { name, to, amount = '' }: Refund, note: string): Promise<boolean> {
    const statement: Statement = [
      `UPDATE shop_order SET state = 'refunding', note = ?, refund_name = ?, refund_to = ?,
        refund_amount = ?, revision = revision + 1 WHERE ${AS_SEEN} RETURNING order_id`,
      ...[note, name, to, amount, seen.orderId, seen.revision],
    ];
    return this.#write(seen, [statement]);
  }

  /** The receipts of a shipped order were read; a note says what is remarkable about them. */
  async check(seen: Seen, note?: string): Promise<void> {
    // what has changed since then is read again by the next cron
    if (note !== undefined && !(await this.change(seen, 'shipped', note))) return;
    await this.#rows.run([
      "UPDATE shop_order SET checked = 1 WHERE order_id = ? AND state = 'shipped'",
      seen.orderId,
    ]);
  }

  /** What became of an order, the oldest change first. */
  async history(orderId: string): Promise<readonly Change[]> {
    const [changes] = await this.#rows.run([
      'SELECT at, state, note FROM shop_change WHERE order_id = ? ORDER BY revision',
      orderId,
    ]);
    return changes as unknown as readonly Change[];
  }

  /** Money that came in and is no order's, for a person to look at. */
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

  /** What the back office shows: what is open or held, and what ended last. */
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

  /** When the oldest order was made that is open, or younger than `young`. */
  async since(young: number): Promise<number | undefined> {
    const found = await this.#rows.run(
      ["SELECT min(created) AS since FROM shop_order WHERE state = 'open'"],
      ['SELECT min(created) AS since FROM shop_order WHERE created > ?', young],
    );
    const times = found.flatMap(([row]) => (row?.['since'] ?? []) as number | []);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Shipped orders whose payments were not read yet. */
  unchecked(most: number): Promise<readonly Order[]> {
    return this.#orders("WHERE state = 'shipped' AND checked = 0 ORDER BY created LIMIT ?", most);
  }

  /**
   * Whether this process is the one that does something now: one of them each `period`,
   * milliseconds.
   */
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

  /** Runs a change, which returns whether it was made, and keeps it in the order's history. */
  async #write({ orderId, revision }: Seen, statements: readonly Statement[]): Promise<boolean> {
    const keep: Statement = [
      // a change that somebody else has made is kept already
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
