import type { Client } from 'paystate';
import type { Books, NewOrder, Order } from './books.ts';
import { close, cameIn } from './close.ts';
import type { Env } from './env.ts';
import { compared } from './fulfil.ts';
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
  /** The amount of a refund, in the order's currency; everything when absent. */
  readonly amount?: string;
  /** Why it is refunded, for the history. */
  readonly reason?: string;
}

/** Nothing was and will be paid back; `never begun`: the Till has not heard of it. */
const OVER = ['refused', 'failed', 'stopped', 'never begun'];

/** What the Till says of an order's latest refund. */
interface RefundStatus {
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
    if (act === 'look') return Response.json(await this.#look(order));
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
    if (act === 'refund' && ['shipped', 'held'].includes(state) && invoiceId) {
      const { to, name, amount = '', reason = '' } = wish;
      if (!to || !name) return 'not possible: it needs a destination';
      const money = amount && { amount, currency: order.total.currency };
      if (amount && !/^\d{1,9}(\.\d{1,8})?$/.test(amount)) return 'not possible: no such amount';
      const sum = `${amount || order.total.amount} ${order.total.currency}`;
      books.change(orderId, 'refunding', reason ? `${sum} (${reason.slice(0, 200)})` : sum);
      const asked = { to, name, orderId, invoiceId, ...(money && { money }) };
      return this.#note(orderId, await this.#askTill('refund', asked));
    }
    return `not possible: the order is ${state}`;
  }

  /** Everything about one order: its history, what came in, and what has to agree. The service is read now. */
  async #look(order: Order): Promise<object> {
    const { client, books } = this.#options;
    const history = books.history(order.orderId);
    if (!order.invoiceId) return { history, payments: [], compared: [] };
    const invoice = await client.invoices.get(order.invoiceId, { includeTransactions: true });
    return {
      history,
      payments: cameIn(invoice),
      compared: compared(order, invoice),
      state: invoice.state,
    };
  }

  /** What the cron does: compares books and service, then hears how refunds have ended. */
  async #reconcile() {
    const { client, books } = this.#options;
    const differences = await reconcile(client, books, Date.now());
    for (const { orderId } of books.in('refunding'))
      this.#note(orderId, await this.#askTill('status', { orderId }).catch(() => undefined));
    return { differences };
  }

  #askTill(path: string, wish: object): Promise<RefundStatus> {
    const { TILL } = this.#options.env;
    const till = TILL.get(TILL.idFromName('main'));
    const init = { method: 'POST', body: JSON.stringify(wish) };
    return till.fetch(`https://object/${path}`, init).then((answer) => answer.json());
  }

  /** Money that may still be on its way leaves the order as it is; so does a till that is away. */
  #note(orderId: string, refund: RefundStatus | undefined): string {
    const { books } = this.#options;
    const { phase, note } = refund ?? { phase: 'not known yet', note: '' };
    if (phase === 'paid')
      books.change(orderId, 'refunded', note || (books.get(orderId)?.note ?? ''));
    else if (OVER.includes(phase)) books.change(orderId, 'held', `refund ${phase}: ${note}`);
    else if (phase === 'unknown') books.change(orderId, 'refunding', 'look at the service');
    return phase;
  }
}
