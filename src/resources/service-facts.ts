import { isFinal, type PaystateError } from '../core/errors/index.ts';
import {
  type Capabilities,
  type Connection,
  internals,
  type Slot,
  slotState,
} from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';

// Assumptions about the service, and the limits that a client has learned from responses.

export { PAGE } from '../core/lists/index.ts';

/** Maximum time that one of the service's replicas may lag behind. */
export const LAG_MS = 30_000;
/** Maximum time it takes for a new event to become visible. */
export const EVENT_LATENESS_MS = 300_000;
/**
 * How long the service keeps listing an event. Webhook deliveries are retried for a shorter time.
 */
export const EVENT_HISTORY_MS: number = 30 * 86_400_000;
/** Maximum difference between the local clock and the service's clock. */
export const CLOCK_SKEW_MS = 3_600_000;
/** Maximum size of a webhook delivery in bytes. Larger bodies aren't read. */
export const MAX_DELIVERY_BYTES = 65_536;

/**
 * How many ids to include in a list filter. The numbers are tried in ascending order, because the
 * maximum filter length isn't known.
 */
const LIST_WIDTHS = [15, 30, 60, 100];
/** Number of successful list requests after which the next one tries a larger number of ids. */
const CLEAN_ANSWERS = 20;

/** How long to avoid a kind of read that was refused, by number of consecutive refusals. */
const RETRY_REFUSED_MS = [60_000, 120_000, 300_000, 600_000];

interface Refused {
  readonly times: number;
  /** When the read may be tried again, in milliseconds on the monotonic clock. */
  readonly until: number;
}

/**
 * Learns from responses how many resources can be read at once and which reads the service refuses.
 */
export class LearnedCapabilities {
  readonly #may: Capabilities;
  readonly #clock: Clock;
  readonly #refused: Partial<Record<keyof Capabilities, Refused>> = {};
  /** Number of ids to include in a list filter. It grows as the service accepts larger numbers. */
  width: number = LIST_WIDTHS[0]!;
  #clean = 0;
  /** Smallest number of ids that the service refused. It's never tried again. */
  #tooLong = Infinity;

  constructor(may: Capabilities, clock: Clock) {
    this.#may = may;
    this.#clock = clock;
  }

  /** The credential's permissions, minus reads that were refused recently. */
  get capabilities(): Capabilities {
    return { list: this.#isOpen('list'), feed: this.#isOpen('feed') };
  }

  /** Whether the credential may read lists and hasn't been refused recently. */
  get canList(): boolean {
    return this.#isOpen('list');
  }

  #isOpen(way: keyof Capabilities): boolean {
    const refused = this.#refused[way];
    return this.#may[way] && (!refused || this.#clock.monotonic() >= refused.until);
  }

  /**
   * Records that the service refused a kind of read. The read is avoided for a while, but watches
   * continue.
   */
  refuse(way: keyof Capabilities): void {
    const { times = 0 } = this.#refused[way] ?? {};
    if (!this.#isOpen(way)) return; // several requests were in progress at the same time
    const pause = RETRY_REFUSED_MS[times] ?? RETRY_REFUSED_MS.at(-1)!;
    this.#refused[way] = { times: times + 1, until: this.#clock.monotonic() + pause };
  }

  accept(way: keyof Capabilities): void {
    delete this.#refused[way];
  }

  /** Returns how many ids to include in the next list request if `available` ids are waiting. */
  widthFor(available: number): number {
    const next = LIST_WIDTHS.find((step) => step > this.width && step < this.#tooLong);
    return !next || next > available || this.#clean < CLEAN_ANSWERS ? this.width : next;
  }

  /**
   * Works like `widthFor`, but is called when the list request is sent, so that only one request
   * tries a larger number of ids.
   */
  take(available: number): number {
    const width = this.widthFor(available);
    if (width > this.width) this.#clean = 0;
    return width;
  }

  noteAccepted(asked: number): void {
    this.accept('list');
    this.#clean++;
    this.width = Math.max(this.width, asked);
  }

  /**
   * Learns from the error if a list request was refused, and returns false for any other error. If
   * the filter was too long, later list requests include fewer ids. A response that isn't from the
   * service, such as a proxy's, only has a temporary effect.
   */
  noteRefused(error: PaystateError, asked: number): boolean {
    const { code, status = 0 } = error;
    const isRefused = isFinal(error);
    if ((code === 'INVALID_DATA_QUERY' && isRefused) || [413, 414, 431].includes(status)) {
      // several list requests may be refused at the same time
      this.width = Math.min(this.width, Math.max(1, asked >> 1));
      if (isRefused) this.#tooLong = Math.min(this.#tooLong, asked);
      this.#clean = 0;
    } else if (isRefused) this.refuse('list');
    else return false;
    return true;
  }
}

const LEARNED: Slot<LearnedCapabilities> = {
  name: 'resources.learned',
  make: (client) =>
    new LearnedCapabilities(client[internals].capabilities, client[internals].clock),
};

export function getLearnedCapabilities(client: Connection): LearnedCapabilities {
  return slotState(client, LEARNED);
}
