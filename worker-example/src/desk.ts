import type { Client } from 'paystate';
import type { Books, NewOrder, Order } from './books.ts';
import { close } from './close.ts';
import type { Env } from './env.ts';
import type { Live } from './live.ts';
import { log } from './log.ts';
import { reconcile } from './reconcile.ts';

interface DeskOptions {
  readonly client: Client;
  readonly books: Books;
  readonly live: Live;
  readonly env: Env;
}

/** What a person in the back office asks for. */
export interface Wish {
  readonly orderId: string;
  /** Where a refund goes: what the customer has named, such as a Lightning address. */
  readonly to?: string;
  /** Names one refund, so that a second click is none. */
  readonly name?: string;
}

/** What the Till says of a refund. */
export interface RefundStatus {
  readonly name: string;
  readonly orderId: string;
  readonly phase: string;
  readonly note: string;
}

/** Answers the shop's Worker inside the account object. Only that Worker reaches it; it has checked who asks. */
export class Desk {
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  async answer(request: Request): Promise<Response> {
    const { books, live } = this.#options;
    const act = new URL(request.url).pathname.slice('/shop/'.length);
    if (act === 'live') return live.open();
    const wish = (await request.json()) as NewOrder & Wish;
    if (act === 'add') return new Response(null, { status: books.add(wish) ? 201 : 409 });
    if (act === 'reconcile') return Response.json(await this.#reconcile());
    const order = books.get(wish.orderId);
    if (!order) return new Response(null, { status: 404 });
    if (act === 'order') return Response.json(order);
    const said = await this.#act(act, order, wish);
    log('office', { act, orderId: order.orderId, said });
    return Response.json({ said });
  }

  async #act(act: string, order: Order, wish: Wish): Promise<string> {
    const { client, books } = this.#options;
    const { orderId, state, invoiceId } = order;
    if (act === 'cancel' && state === 'open') return close(client, books, order, 'cancelled');
    if (act === 'ship' && state === 'held' && invoiceId) {
      const { state: now } = await client.invoices.get(invoiceId);
      if (now !== 'PAID') return `the invoice is ${now}`;
      books.ship(order, `invoice:${invoiceId}:PAID`, invoiceId);
      return 'shipped';
    }
    if (act === 'refund' && ['shipped', 'held', 'refunding'].includes(state) && invoiceId) {
      books.change(orderId, 'refunding', order.note);
      return this.#note(await this.#askTill('refund', { ...wish, orderId, invoiceId }));
    }
    return `not possible: the order is ${state}`;
  }

  /** What the cron does: compares books and service, then hears how refunds have ended. */
  async #reconcile() {
    const { client, books } = this.#options;
    const differences = await reconcile(client, books, Date.now());
    for (const { orderId } of books.in('refunding'))
      this.#note(await this.#askTill('status', { orderId }));
    return { differences };
  }

  async #askTill(path: string, body: object): Promise<RefundStatus | undefined> {
    const { TILL } = this.#options.env;
    const till = TILL.get(TILL.idFromName('main'));
    const answer = await till.fetch(`https://object/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return answer.ok ? ((await answer.json()) as RefundStatus) : undefined;
  }

  /** Money that may still be on its way leaves the order as it is. */
  #note(refund: RefundStatus | undefined): string {
    if (!refund) return 'the till does not know of it';
    const { orderId, phase, note } = refund;
    const { books } = this.#options;
    if (phase === 'paid') books.change(orderId, 'refunded', note);
    else if (['refused', 'failed', 'stopped'].includes(phase))
      books.change(orderId, 'held', `refund ${phase}: ${note}`);
    else if (phase === 'unknown')
      books.change(orderId, 'refunding', 'not known: look at the service');
    return phase;
  }
}
