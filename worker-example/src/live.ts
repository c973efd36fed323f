import type { Books, Order } from './books.ts';
import { log } from './log.ts';

/** The protocol that the back office's page names, before its secret. */
export const LIVE = 'office';

/**
 * A page asks every 25 s whether its line holds. If none has asked for this long, nobody is there.
 */
const SILENCE_MS = 90_000;

/** The shop's end of a socket of the back office. */
export interface OfficeSocket {
  /** Throws where it is closed. */
  send(text: string): void;
  close(): void;
}

interface LiveOptions {
  readonly books: Books;
  /** The sockets that are open. */
  readonly sockets: () => Iterable<OfficeSocket>;
  /**
   * Begins to keep the books up to date, and returns what ends it; `onEnd` is called where it ends
   * by itself, `onFreshness` with how old the service's list is.
   */
  readonly follow: (onEnd: () => void, onFreshness: (freshness: string) => void) => () => void;
  /**
   * Other processes write the books too, so that they are read this often while a page is open,
   * milliseconds.
   */
  readonly readEvery?: number;
}

/**
 * The sockets of the back office. While a page is open and asks for a `pong`, the books are kept up
 * to date, which keeps a Durable Object awake. When the last page has closed, is hidden or has gone
 * silent, that ends, and the object can sleep.
 */
export class Live {
  readonly #options: LiveOptions;
  #stop: (() => void) | undefined;
  #freshness = 'loading';
  #silence: ReturnType<typeof setTimeout> | undefined;
  #reading: ReturnType<typeof setInterval> | undefined;
  /** What pages have last been sent of each order, while the books are read for them. */
  #sent: Map<string, string> = new Map();
  /** One message after the other: what was read first is sent first. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: LiveOptions) {
    this.#options = options;
    options.books.onChange = (orderId) => this.#inTurn(() => this.#tell(orderId));
  }

  /** Sends a page everything that there is to see. */
  opened(socket: OfficeSocket): void {
    this.#inTurn(async () => {
      const { books } = this.#options;
      const [orders, strays] = [(await books.recent()).map(shown), await books.strays()];
      send(socket, JSON.stringify({ orders, strays, freshness: this.#freshness }));
    });
    this.#begin();
  }

  /**
   * A page says nothing but `ping`. The platform could answer that by itself, but then an object
   * that it has put to sleep, or started again, under open sockets would not know that somebody is
   * there.
   */
  heard(socket: OfficeSocket): void {
    send(socket, 'pong');
    this.#begin();
  }

  closed(socket: OfficeSocket): void {
    if ([...this.#options.sockets()].every((one) => one === socket)) this.#end();
    socket.close(); // else the page waits for it
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
    // the books are away; a page that comes back is sent everything
    const fail = () => log('not-shown');
    this.#last = this.#last.then(work).catch(fail);
  }

  async #tell(orderId: string): Promise<void> {
    const sockets = [...this.#options.sockets()];
    const order = sockets.length > 0 ? await this.#options.books.get(orderId) : undefined;
    if (order) this.#sendAll({ orders: [shown(order)] });
  }

  /** Sends what is not as it was sent. The first time after a pause that is everything. */
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

/** A socket that has just closed is sent everything when its page comes back. */
function send(socket: OfficeSocket, text: string): void {
  try {
    socket.send(text);
  } catch {}
}

/** An order without what its customer's secret is known by. */
function shown({ orderId, what, total, state, note, created }: Order) {
  return { orderId, what, total, state, note, created };
}
