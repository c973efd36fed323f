import type { Client } from 'paystate';
import type { RefundStatus, RefundWish } from '../till/till.ts';
import type { Books, NewOrder, Order, Refund } from './books.ts';
import { cameIn, close } from './close.ts';
import { compared, keyOf } from './fulfil.ts';
import { log } from './log.ts';
import { reconcile } from './reconcile.ts';

interface DeskOptions {
  readonly client: Client;
  readonly books: Books;
  /** Asks the Till, which pays once for each name. Rejects if the Till is away. */
  readonly refund: (wish: RefundWish) => Promise<RefundStatus>;
}

/** A request from the back office. A refund has a destination and a name. */
export interface Wish extends Pick<NewOrder, 'orderId'>, Partial<Refund> {
  /** The reason of the refund, for the history. */
  readonly reason?: string;
}

/** The advice to a person if nobody can know whether it was paid. */
const LOOK = 'look at the service';
/** In these phases nothing was paid back, and nothing will be. */
const NOT_PAID = ['refused', 'failed', 'stopped'];

/** Answers the shop next to its books. Only the shop reaches it, and it has checked the caller. */
export class Desk {
  readonly #options: DeskOptions;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  async answer(request: Request): Promise<Response> {
    const { books } = this.#options;
    const act = new URL(request.url).pathname.slice('/shop/'.length);
    const wish = (await request.json()) as NewOrder & Wish;
    if (act === 'add') return new Response(null, { status: (await books.add(wish)) ? 201 : 409 });
    if (act === 'reconcile') return Response.json(await this.reconcile());
    const order = await books.get(wish.orderId);
    if (!order) return new Response(null, { status: 404 });
    if (act === 'order') return Response.json(order);
    if (act === 'look') return Response.json(await this.#look(order));
    const said = await this.#act(act, order, wish);
    log('office', { act, orderId: order.orderId, said });
    return Response.json({ said });
  }

  /** Compares the books and the service, then goes on with the refunds. The cron calls it. */
  async reconcile() {
    const { client, books } = this.#options;
    const differences = await reconcile(client, books, Date.now());
    await this.payBack();
    return { differences };
  }

  /** Goes on with the refunds in the books. If the Till is away, the next call tries again. */
  async payBack(): Promise<void> {
    const { books } = this.#options;
    for (const order of await books.in('refunding')) await this.#payBack(order).catch(() => {});
  }

  async #act(act: string, order: Order, wish: Wish): Promise<string> {
    const { client, books } = this.#options;
    const { orderId, state, invoiceId } = order;
    if (act === 'cancel' && state === 'open') return close(client, books, order, 'cancelled');
    if (act === 'ship' && state === 'held' && invoiceId) {
      const invoice = await client.invoices.get(invoiceId);
      if (invoice.state !== 'PAID') return `the invoice is ${invoice.state}`;
      if (await books.ship(order, keyOf(invoice), invoiceId)) return 'shipped';
    }
    if (act === 'refund' && ['shipped', 'held'].includes(state) && invoiceId) {
      const { to, name, amount = '', reason = '' } = wish;
      if (!to || !name) return 'not possible: it needs a destination';
      if (amount && !/^\d{1,9}(\.\d{1,8})?$/.test(amount)) return 'not possible: no such amount';
      const sum = `${amount || order.total.amount} ${order.total.currency}`;
      const note = reason ? `${sum} (${reason.slice(0, 200)})` : sum;
      if (await books.beginRefund(order, { to, name, amount }, note))
        return this.#payBack((await books.get(orderId))!);
    }
    return `not possible: the order is ${(await books.get(orderId))!.state}`;
  }

  /** Reads the service, and returns an order with its history, its payments and the comparison. */
  async #look(order: Order): Promise<object> {
    const { client, books } = this.#options;
    const history = await books.history(order.orderId);
    if (!order.invoiceId) return { history, payments: [], compared: [] };
    const invoice = await client.invoices.get(order.invoiceId, { includeTransactions: true });
    const { state } = invoice;
    return { history, payments: cameIn(invoice), compared: compared(order, invoice), state };
  }

  /**
   * Sends the refund in the books to the Till. A second time it's the same refund. If the money may
   * still be on its way, or the Till is away, the order stays as it is.
   */
  async #payBack(order: Order): Promise<string> {
    const { books, refund } = this.#options;
    const { orderId, invoiceId } = order;
    if (!invoiceId || !order.refund) return 'not known yet';
    const { name, to, amount } = order.refund;
    const money = amount && { money: { amount, currency: order.total.currency } };
    const { phase, note } = await refund({ orderId, invoiceId, name, to, ...money });
    if (phase === 'paid') await books.change(order, 'refunded', note || order.note);
    else if (NOT_PAID.includes(phase))
      await books.change(order, 'held', `refund ${phase}: ${note}`);
    else if (phase === 'unknown' && order.note !== LOOK)
      await books.change(order, 'refunding', LOOK);
    return phase;
  }
}
