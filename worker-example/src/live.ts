import type { Books, Order } from './books.ts';
import { log } from './log.ts';

/** The protocol that the back office's page names before its secret. */
export const LIVE = 'office';

/** Pages ping every 25 s. After this time without a ping, nobody is there. */
const SILENCE_MS = 90_000;

/** The shop's end of a back office socket. */
export interface OfficeSocket {
  /** Throws if it's closed. */
  send(text: string): void;
  close(): void;
}

interface LiveOptions {
  readonly books: Books;
  readonly sockets: () => Iterable<OfficeSocket>;
  /**
   * Keeps the books up to date, and returns a function that ends it. It calls `onEnd` if it ends by
   * itself, and `onFreshness` with the freshness of the service's list.
   */
  readonly follow: (onEnd: () => void, onFreshness: (freshness: string) => void) => () => void;
  /**
   * How often to read the books while a page is open, milliseconds, because other processes write
   * them too.
   */
  readonly readEvery?: number;
}

/**
 * The sockets of the back office. While a page is open and pings, it keeps the books up to date,
 * which keeps a Durable Object awake. When the last page is closed, hidden or silent, it stops, and
 * the object can sleep.
 */
export class Live {
  readonly #options: LiveOptions;
  #stop: (() => void) | undefined;
  #freshness = 'loading';
  #silence: ReturnType<typeof setTimeout> | undefined;
  #reading: ReturnType<typeof setInterval> | undefined;
  /** The last message about each order, while the books are read for a page. */
  #sent: Map<string, string> = new Map();
  /** Sends one message after the other, in the order of their reads. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: LiveOptions) {
    this.#options = options;
    options.books.onChange = (orderId) => this.#inTurn(() => this.#tell(orderId));
  }

  /** Sends a page all orders. */
  opened(socket: OfficeSocket): void {
    this.#inTurn(async () => {
      const { books } = this.#options;
      const [orders, strays] = [(await books.recent()).map(shown), await books.strays()];
      send(socket, JSON.stringify({ orders, strays, freshness: this.#freshness }));
    });
    this.#begin();
  }

  /**
   * Answers a page's `ping`. The platform could answer by itself, but then an object that slept or
   * restarted under open sockets wouldn't know that somebody is there.
   */
  heard(socket: OfficeSocket): void {
    send(socket, 'pong');
    this.#begin();
  }

  closed(socket: OfficeSocket): void {
    if ([...this.#options.sockets()].every((one) => one === socket)) this.#end();
    socket.close(); // otherwise the page waits for it
  }

  #begin(): void {
    const { follow, readEvery } = this.#options;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#end(), SILENCE_MS);
    this.#stop ??= follow(
      () => this.#end(), // the next `ping` tries again
      (freshness) => this.#tellFreshness(freshness),
    );
    if (readEvery) this.#reading ??= setInterval(() => this.#inTurn(() => this.#read()), readEvery);
  }

  #end(): void {
    clearTimeout(this.#silence);
    clearInterval(this.#reading);
    this.#reading = undefined;
    this.#sent.clear();
    this.#stop?.();
    this.#stop = undefined;
    this.#tellFreshness('stale');
  }

  #tellFreshness(freshness: string): void {
    if (freshness === this.#freshness) return;
    this.#freshness = freshness;
    this.#inTurn(async () => this.#sendAll({ orders: [], freshness }));
  }

  #inTurn(work: () => Promise<void>): void {
    // the books are away, and a page that reconnects gets everything
    const fail = () => log('not-shown');
    this.#last = this.#last.then(work).catch(fail);
  }

  async #tell(orderId: string): Promise<void> {
    const sockets = [...this.#options.sockets()];
    const order = sockets.length > 0 ? await this.#options.books.get(orderId) : undefined;
    if (order) this.#sendAll({ orders: [shown(order)] });
  }

  /**
   * Sends the orders that have changed since the last message. After a pause that's all of them.
   */
  async #read(): Promise<void> {
    const before = this.#sent;
    const orders = (await this.#options.books.recent()).map(shown);
    this.#sent = new Map(orders.map((order) => [order.orderId, JSON.stringify(order)]));
    const news = orders.filter(({ orderId }) => before.get(orderId) !== this.#sent.get(orderId));
    if (news.length > 0) this.#sendAll({ orders: news });
  }

  #sendAll(message: object): void {
    for (const socket of this.#options.sockets()) send(socket, JSON.stringify(message));
  }
}

/** If the socket has just closed, its page gets everything when it reconnects. */
function send(socket: OfficeSocket, text: string): void {
  try {
    socket.send(text);
  } catch {}
}

/** Returns an order without the hash of its secret. */
function shown({ orderId, what, total, state, note, created }: Order) {
  return { orderId, what, total, state, note, created };
}
