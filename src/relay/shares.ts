import { type Bucket, type Connection, internals } from '../core/http/index.ts';
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

interface Sent {
  readonly at: number;
  readonly id: string;
}

/**
 * Keeps a flood of one request within its share of the service's limits, and one page from using
 * all of that. Lost with the object: the client's own rate limiter and the service's limits still
 * hold.
 */
export class Shares {
  readonly #client: Connection;
  readonly #sent: Readonly<Record<PageRequest, Sent[]>> = { read: [], open: [], quote: [] };

  constructor(client: Connection) {
    this.#client = client;
  }

  /**
   * Counts a request to the service. Throws `Refused` where this page's share is spent; nothing is
   * sent then.
   */
  take(request: PageRequest, id: string): void {
    const { clock, settings } = this.#client[internals];
    const { bucket, part, each } = SHARES[request];
    const { limit, window } = settings.rateLimits[bucket];
    const now = clock.monotonic();
    const sent = this.#sent[request];
    while (sent[0] && sent[0].at <= now - window) sent.shift();
    const ofAll = Math.max(1, Math.floor(limit * settings.rateLimitShare * part));
    const ofThis = sent.filter((one) => one.id === id);
    const wait = Math.max(waitIn(sent, ofAll, now - window), waitIn(ofThis, each, now - MINUTE));
    if (wait > 0) throw new Refused(refusalBy('RATE_LIMIT_EXCEEDED', wait));
    sent.push({ at: now, id });
  }
}

/** How long until fewer than `most` lie after `since`, milliseconds. */
function waitIn(sent: readonly Sent[], most: number, since: number): number {
  const last = sent.at(-most);
  return last ? Math.max(0, last.at - since) : 0;
}
