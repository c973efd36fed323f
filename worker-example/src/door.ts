import type { DurableObjectContext } from 'paystate/relay';

const MOST = 10;
const MINUTE = 60_000;

/** Counts the orders of one visitor: ten a minute, so that no client uses up the shop's limit at the service. */
export class Door {
  readonly #storage: DurableObjectContext['storage'];

  constructor({ storage }: DurableObjectContext) {
    this.#storage = storage;
  }

  /** The count is kept in the database: the object sleeps after seconds, and would begin anew. */
  async fetch(): Promise<Response> {
    const { sql } = this.#storage;
    const now = Date.now();
    sql.exec('CREATE TABLE IF NOT EXISTS orders (at INTEGER NOT NULL)');
    sql.exec('DELETE FROM orders WHERE at <= ? OR at > ?', now - MINUTE, now);
    const orders = sql.exec<{ at: number }>('SELECT at FROM orders ORDER BY at').toArray();
    const isFull = orders.length >= MOST;
    if (!isFull) sql.exec('INSERT INTO orders VALUES (?)', now);
    await this.#storage.setAlarm(now + MINUTE); // then there is nothing left to keep
    return Response.json({ wait: isFull ? orders[0]!.at + MINUTE - now : 0 });
  }

  async alarm(): Promise<void> {
    await this.#storage.deleteAll();
  }
}
