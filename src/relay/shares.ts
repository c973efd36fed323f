import { type Bucket, type Connection, internals } from '../core/http/index.ts';
import { refusalBy } from './answers.ts';
import { Refused } from './calls.ts';

/** What pages can make the account's feed ask of the service. */
export type PageCall = 'look' | 'open' | 'quote';

interface Share {
  /** Which of the service's limits it is counted in. */
  readonly group: Bucket;
  /** Part of that limit that all pages together may use. */
  readonly part: number;
  /** Requests a minute for one invoice or order. */
  readonly each: number;
}

/** What is left of each limit is for what must not wait for pages: reads after webhooks, watches of open pages, the shop itself. */
const SHARES: Readonly<Record<PageCall, Share>> = {
  look: { group: 'others', part: 0.3, each: 40 },
  open: { group: 'invoices', part: 0.8, each: 6 },
  quote: { group: 'invoice-quotes', part: 0.8, each: 12 },
};

const MINUTE = 60_000;

interface Sending {
  readonly at: number;
  readonly id: string;
}

/**
 * Keeps a flood of one call within its share of the service's limits, and one page from using all of that. Forgotten
 * with the object: the client's own budget and the service's limits still hold.
 */
export class Shares {
  readonly #client: Connection;
  readonly #sent: Readonly<Record<PageCall, Sending[]>> = { look: [], open: [], quote: [] };

  constructor(client: Connection) {
    this.#client = client;
  }

  /** Notes that the service is asked now. Throws `Refused` where that is not this page's turn; the service then hears nothing. */
  take(call: PageCall, id: string): void {
    const { clock, settings } = this.#client[internals];
    const { group, part, each } = SHARES[call];
    const { limit, window } = settings.rateLimits[group];
    const now = clock.monotonic();
    const sent = this.#sent[call];
    while (sent[0] && sent[0].at <= now - window) sent.shift();
    const wait = Math.max(
      waitIn(sent, Math.max(1, Math.floor(limit * settings.rateLimitShare * part)), now - window),
      waitIn(
        sent.filter((one) => one.id === id),
        each,
        now - MINUTE,
      ),
    );
    if (wait > 0) throw new Refused(refusalBy('RATE_LIMIT_EXCEEDED', wait));
    sent.push({ at: now, id });
  }
}

/** How long until fewer than `most` lie after `since`, milliseconds. */
function waitIn(sent: readonly Sending[], most: number, since: number): number {
  const last = sent.at(-most);
  return last ? Math.max(0, last.at - since) : 0;
}
