import type { DurableObjectContext, LiveSocket } from 'paystate/relay';
import type { Books, Order } from './books.ts';

declare const WebSocketPair: new () => { readonly 0: unknown; readonly 1: LiveSocket };

/** The protocol that the back office's page names, before its secret. */
export const LIVE = 'office';

/** A page asks every 25 s whether its line holds. If none has asked for this long, nobody is there. */
const SILENCE_MS = 90_000;

/**
 * Begins to keep the books up to date, and returns what ends it; `onEnd` is called where it ends by itself, `onFreshness`
 * with how old the service's list is.
 */
type Follow = (onEnd: () => void, onFreshness: (freshness: string) => void) => () => void;

/**
 * The sockets of the back office. While a page is open and asks for a `pong`, the books are kept up to date, which keeps the
 * object awake. When the last page has closed, is hidden or has gone silent, that ends, and the object can sleep.
 */
export class Live {
  readonly #ctx: DurableObjectContext;
  readonly #books: Books;
  readonly #follow: Follow;
  #stop: (() => void) | undefined;
  #freshness = 'loading';
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(ctx: DurableObjectContext, books: Books, follow: Follow) {
    this.#ctx = ctx;
    this.#books = books;
    this.#follow = follow;
    // after the transaction that the change belongs to: what is told is read again
    books.onChange = (orderId) => queueMicrotask(() => this.#tell(orderId));
  }

  /** Opens a socket, and sends it everything that there is to see. */
  open(): Response {
    const { 0: page, 1: own } = new WebSocketPair();
    this.#ctx.acceptWebSocket(own);
    const orders = this.#books.recent().map(shown);
    this.#begin();
    own.send(JSON.stringify({ orders, strays: this.#books.strays(), freshness: this.#freshness }));
    const init = { status: 101, webSocket: page, headers: { 'sec-websocket-protocol': LIVE } };
    return new Response(null, init);
  }

  /**
   * A page says nothing but `ping`. The platform could answer that by itself, but then an object that it has put to sleep, or
   * started again, under open sockets would not know that somebody is there.
   */
  heard(socket: LiveSocket): void {
    socket.send('pong');
    this.#begin();
  }

  closed(socket: LiveSocket): void {
    if (this.#ctx.getWebSockets().every((one) => one === socket)) this.#end();
    socket.close(); // else the page waits for it
  }

  #begin(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#end(), SILENCE_MS);
    this.#stop ??= this.#follow(
      () => this.#end(), // the next `ping` tries again
      (freshness) => this.#tellFreshness(freshness),
    );
  }

  #end(): void {
    clearTimeout(this.#silence);
    this.#stop?.();
    this.#stop = undefined;
    this.#tellFreshness('stale');
  }

  #tellFreshness(freshness: string): void {
    if (freshness === this.#freshness) return;
    this.#freshness = freshness;
    this.#send({ orders: [], freshness });
  }

  #tell(orderId: string): void {
    const order = this.#books.get(orderId);
    if (order) this.#send({ orders: [shown(order)] });
  }

  #send(message: object): void {
    for (const socket of this.#ctx.getWebSockets())
      try {
        socket.send(JSON.stringify(message));
      } catch {
        // it has just closed; a page that comes back is sent everything
      }
  }
}

/** An order without what its customer's secret is known by. */
function shown({ orderId, what, total, state, note, created }: Order) {
  return { orderId, what, total, state, note, created };
}
