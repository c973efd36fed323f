import { type Bucket, type Connection, internals } from '../core/http/index.ts';
import type { LogCounter } from '../stores/log-counter.ts';
import { Refused } from './calls.ts';
import { refusalBy } from './responses.ts';

/** What pages can make the account object ask of the service. */
type PageRequest = 'read' | 'open' | 'quote';

interface Share {
  /** The rate limit that it is counted in. */
  readonly bucket: Bucket;
  /** Part of that limit that all pages together may use. */
  readonly part: number;
  /** Requests a minute for one invoice or order. */
  readonly each: number;
}

/**
 * The rest of each limit is for what must not wait for pages: reads after webhooks, watches of open
 * pages, the shop itself.
 */
const SHARES: Readonly<Record<PageRequest, Share>> = {
  read: { bucket: 'others', part: 0.3, each: 40 },
  open: { bucket: 'invoices', part: 0.8, each: 6 },
  quote: { bucket: 'invoice-quotes', part: 0.8, each: 12 },
};

const MINUTE = 60_000;

/**
 * Keeps a flood of one request within its share of the service's limits, and one page from using
 * all of that, however often the object sleeps.
 */
export class Shares {
  readonly #client: Connection;
  readonly #counter: LogCounter;

  constructor(client: Connection, counter: LogCounter) {
    this.#client = client;
    this.#counter = counter;
  }

  /**
   * Counts a request to the service. Throws `Refused` where this page's share is spent; nothing is
   * sent then.
   */
  take(request: PageRequest, id: string): void {
    const { rateLimits, rateLimitShare } = this.#client[internals].settings;
    const { bucket, part, each } = SHARES[request];
    const { limit, window } = rateLimits[bucket];
    const shares = [
      [`pages ${request}`, { places: limit * rateLimitShare * part, window }],
      [`pages ${request} ${id}`, { places: each, window: MINUTE }],
    ] as const;
    const waits = shares.map(([name, places]) => this.#counter.read(name, places).delay);
    const wait = Math.max(...waits);
    if (wait > 0) throw new Refused(refusalBy('RATE_LIMIT_EXCEEDED', wait));
    for (const [name, places] of shares) this.#counter.take(name, places);
  }
}
