import { type Bucket, type Connection, internals } from '../core/http/index.ts';
import type { LogCounter } from '../stores/rate-limits.ts';
import { Refused } from './calls.ts';
import { refusalBy } from './requests.ts';

/** What pages can make the account object ask of the service. */
type PageRequest = 'read' | 'open' | 'quote';

/** For whom the service is asked. */
interface Asker {
  /** The invoice or order. */
  readonly id: string;
  /** The address, if one is known. */
  readonly visitor?: string | undefined;
}

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
/** Part of what all pages may use that one address may. */
const VISITOR_PART = 1 / 3;

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
   * Counts a request to the service: beside the whole by invoice or order, and by address, so that
   * one customer with many orders leaves the others theirs. Throws `Refused` where a share is spent;
   * nothing is sent then.
   */
  take(request: PageRequest, { id, visitor }: Asker): void {
    const { rateLimits, rateLimitShare } = this.#client[internals].settings;
    const { bucket, part, each } = SHARES[request];
    const { limit, window } = rateLimits[bucket];
    const whole = limit * rateLimitShare * part;
    const byVisitor = { places: whole * VISITOR_PART, window };
    const shares = [
      [`pages ${request}`, { places: whole, window }],
      [`pages ${request} ${id}`, { places: each, window: MINUTE }],
      ...(visitor ? ([[`pages ${request} from ${visitor}`, byVisitor]] as const) : []),
    ] as const;
    const waits = shares.map(([name, places]) => this.#counter.read(name, places).delay);
    const wait = Math.max(...waits);
    if (wait > 0) throw new Refused(refusalBy('RATE_LIMIT_EXCEEDED', wait));
    for (const [name, places] of shares) this.#counter.take(name, places);
  }
}
