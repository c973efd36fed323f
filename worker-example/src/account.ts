import { createClient } from 'paystate';
import { AccountObject, type DurableObjectContext, type LiveSocket } from 'paystate/relay';
import { Books } from './books.ts';
import { Desk } from './desk.ts';
import type { Env } from './env.ts';
import { follow } from './follow.ts';
import { fulfil } from './fulfil.ts';
import { Live } from './live.ts';
import { log } from './log.ts';

/**
 * Makes every call to the service, keeps webhooks, sends the rooms what is new. The shop's books are in the same database,
 * so a parcel and the record that its payment was handled are written as one.
 */
export class Account extends AccountObject {
  readonly #desk: Desk;
  readonly #live: Live;

  constructor(ctx: DurableObjectContext, env: Env) {
    const client = createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY });
    const books = new Books(ctx.storage);
    super(ctx, {
      client,
      rooms: env.ROOMS,
      secrets: env.WEBHOOK_SECRET,
      webhookUrl: `${env.ORIGIN}/hooks/main`, // subscribed once, by the service's own list
      on: {
        // Called for the invoice that was made for the order, and for no other. No handler for other states: then a
        // stranger's invoices delay no order. The cron finds what was cancelled or reversed elsewhere.
        orderPaid: ({ invoice }, { tx }) => tx(() => fulfil(books, invoice)),
      },
      onProblem: (problem) => {
        const { kind } = problem;
        if (kind === 'not-ours') books.addStray(problem.invoiceId, problem.reason);
        // what a handler has thrown may hold anything: it is not logged
        const { invoiceId, reason, key } = problem as Partial<Record<string, string>>;
        log('problem', { kind, invoiceId, reason, key });
      },
    });
    this.#live = new Live(ctx, books, (...told) => follow(client, books, ...told));
    this.#desk = new Desk({ client, books, live: this.#live, env });
  }

  /** The shop's own questions begin with /shop/; the relay's are answered as ever. */
  override fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    return pathname.startsWith('/shop/') ? this.#desk.answer(request) : super.fetch(request);
  }

  webSocketMessage(socket: LiveSocket): void {
    this.#live.heard(socket);
  }

  webSocketClose(socket: LiveSocket): void {
    this.#live.closed(socket);
  }

  /** The platform calls this, and not `webSocketClose`, where the connection fails. */
  webSocketError(socket: LiveSocket): void {
    this.#live.closed(socket);
  }
}
