import type { DurableObjectContext, LiveSocket } from 'paystate/relay';
import type { Books, Order } from './books.ts';

declare const WebSocketPair: new () => { readonly 0: unknown; readonly 1: LiveSocket };
declare const WebSocketRequestResponsePair: new (request: string, response: string) => unknown;

/** The protocol that the back office's page names, before its secret. */
export const LIVE = 'office';

/** The sockets of the back office. The platform keeps them while the object sleeps, and answers their `ping` itself. */
export class Live {
  readonly #ctx: DurableObjectContext;
  readonly #books: Books;

  constructor(ctx: DurableObjectContext, books: Books) {
    this.#ctx = ctx;
    this.#books = books;
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
    // after the transaction that the change belongs to: what is told is read again
    books.onChange = (orderId) => queueMicrotask(() => this.#tell(orderId));
  }

  /** Opens a socket, and sends it everything that there is to see. */
  open(): Response {
    const { 0: page, 1: own } = new WebSocketPair();
    this.#ctx.acceptWebSocket(own);
    const orders = this.#books.recent().map(shown);
    own.send(JSON.stringify({ orders, strays: this.#books.strays() }));
    const init = { status: 101, webSocket: page, headers: { 'sec-websocket-protocol': LIVE } };
    return new Response(null, init);
  }

  #tell(orderId: string): void {
    const order = this.#books.get(orderId);
    if (!order) return;
    for (const socket of this.#ctx.getWebSockets())
      try {
        socket.send(JSON.stringify({ orders: [shown(order)] }));
      } catch {
        // it has just closed; a page that comes back is sent everything
      }
  }
}

/** An order without what its customer's secret is known by. */
function shown({ orderId, what, total, state, note, created }: Order) {
  return { orderId, what, total, state, note, created };
}
