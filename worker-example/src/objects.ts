import { createClient } from 'paystate';
import { AccountObject, InvoiceRoom as RelayRoom, type DurableObjectContext } from 'paystate/relay';
import { type Env, feedOf, tokensOf } from './env.ts';

/** Makes every call to the service, keeps webhooks, tells the rooms. */
export class Feed extends AccountObject {
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
        // the draft. Written as one with the mark that it was handled: each paid order is packed exactly once.
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
      // Money that came without an order, such as somebody else's invoice: for a person to look at, and never a parcel.
      onProblem: (trouble) =>
        void (
          trouble.kind === 'not-ours' &&
          console.warn('paid, but no order', trouble.invoiceId, trouble.why)
        ),
    });
  }
}

/** One invoice for all pages that show it. */
export class Room extends RelayRoom {
  constructor(ctx: DurableObjectContext, env: Env) {
    super(ctx, { accountName: feedOf(env), ...tokensOf(env) });
  }
}

const MOST = 10;
const MINUTE = 60_000;

/** Counts the orders of one address: ten a minute, so that nobody uses up the shop's limit at the service. */
export class Door {
  #entries: number[] = [];

  async fetch(): Promise<Response> {
    const now = Date.now();
    this.#entries = this.#entries.filter((at) => at > now - MINUTE);
    const isFull = this.#entries.length >= MOST;
    if (!isFull) this.#entries.push(now);
    const wait = isFull ? this.#entries[0]! + MINUTE - now : 0;
    return Response.json({ wait });
  }
}
