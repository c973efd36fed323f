import { createClient } from 'paystate';
import { AccountObject, type DurableObjectContext, InvoiceRoom } from 'paystate/relay';
import { type Env, accountOf, tokensOf } from './env.ts';

/** Makes every call to the service, keeps webhooks, sends the rooms what is new. */
export class Account extends AccountObject {
  constructor(ctx: DurableObjectContext, env: Env) {
    ctx.storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS parcels (order_id TEXT PRIMARY KEY, what TEXT NOT NULL, key TEXT NOT NULL)',
    );
    super(ctx, {
      client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
      rooms: env.ROOMS,
      secrets: env.WEBHOOK_SECRET,
      webhookUrl: `${env.ORIGIN}/hooks/main`,
      on: {
        // Called for the invoice that was made for the order, paid as the draft asked, and for no other. What is packed stands in
        // the draft. Written as one with the record that it was handled: each paid order is packed exactly once.
        orderPaid: ({ orderId, draft }, { key, tx }) =>
          tx(
            (sql) =>
              void sql.exec(
                'INSERT OR IGNORE INTO parcels VALUES (?, ?, ?)',
                orderId,
                draft.description,
                key,
              ),
          ),
      },
      // Money that came without an order, such as a stranger's invoice: for a person to look at, and never a parcel.
      onProblem: (problem) =>
        void (
          problem.kind === 'not-ours' &&
          console.warn('paid, but no order', problem.invoiceId, problem.reason)
        ),
    });
  }
}

/** One invoice for all pages that show it. */
export class Room extends InvoiceRoom {
  constructor(ctx: DurableObjectContext, env: Env) {
    // A function: a room may outlive the account object, whose stubs end with it.
    super(ctx, { account: () => accountOf(env), ...tokensOf(env) });
  }
}

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
