import { isFinal, type PaystateError } from '../core/errors/index.ts';
import {
  type Capabilities,
  type Connection,
  internals,
  type Slot,
  stateOf,
} from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';

// The SDK's assumptions about the service, each number in one place, and the lessons that the
// service's answers have taught this client.

export { PAGE } from '../core/lists/index.ts';

/** A replica of the service lags by at most this. */
export const LAG_MS = 30_000;
/** An event is visible at most this long after its creation. */
export const EVENT_LATENESS_MS = 300_000;
/** The service lists events for this long. It repeats webhook deliveries for less. */
export const EVENT_HISTORY_MS: number = 30 * 86_400_000;
/** The local clock and the service's differ by less than this. */
export const CLOCK_SKEW_MS = 3_600_000;
/** Webhook deliveries are smaller than this. A larger body is not read. */
export const MAX_DELIVERY_BYTES = 65_536;

/**
 * Numbers of ids that a list may ask for; tried in turn, because services of this kind refuse long
 * filters at different lengths.
 */
const LIST_WIDTHS = [15, 30, 60, 100];
/**
 * After this many successful lists, one list tries the next width. The others keep the proven one.
 */
const CLEAN_ANSWERS = 20;

/** Time for which a refused way of asking is avoided, for each refusal in a row. */
const RETRY_REFUSED_MS = [60_000, 120_000, 300_000, 600_000];

/** A way of asking that the service has refused. */
interface Refused {
  readonly times: number;
  /** When it may be tried again, on the monotonic clock. */
  readonly until: number;
}

/** Learns from answers how many resources can be read at once. Lives as long as the client. */
export class LearnedCapabilities {
  readonly #may: Capabilities;
  readonly #clock: Clock;
  readonly #refused: Partial<Record<keyof Capabilities, Refused>> = {};
  /** Number of ids that a list may ask for: an accepted number, or the first one. */
  width: number = LIST_WIDTHS[0]!;
  #clean = 0;
  /** The smallest width that was refused. It is never tried again. */
  #tooLong = Infinity;

  constructor(may: Capabilities, clock: Clock) {
    this.#may = may;
    this.#clock = clock;
  }

  /** The rights of this credential that were not refused recently. */
  get capabilities(): Capabilities {
    return { list: this.#isOpen('list'), feed: this.#isOpen('feed') };
  }

  /** Lists are allowed, and were not refused recently. */
  get canList(): boolean {
    return this.#isOpen('list');
  }

  #isOpen(way: keyof Capabilities): boolean {
    const refused = this.#refused[way];
    return this.#may[way] && (!refused || this.#clock.monotonic() >= refused.until);
  }

  /** Notes that the service refuses a way of asking. It is avoided for a while; no watch ends. */
  refuse(way: keyof Capabilities): void {
    const { times = 0 } = this.#refused[way] ?? {};
    if (!this.#isOpen(way)) return; // several requests were sent together
    const pause = RETRY_REFUSED_MS[times] ?? RETRY_REFUSED_MS.at(-1)!;
    this.#refused[way] = { times: times + 1, until: this.#clock.monotonic() + pause };
  }

  /** Notes that the service accepts a way of asking. */
  accept(way: keyof Capabilities): void {
    delete this.#refused[way];
  }

  /** The width of the next list, if `available` ids are waiting. */
  widthFor(available: number): number {
    const next = LIST_WIDTHS.find((step) => step > this.width && step < this.#tooLong);
    return !next || next > available || this.#clean < CLEAN_ANSWERS ? this.width : next;
  }

  /** Like `widthFor`; called when the list is sent, so that only one list tries a new width. */
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
   * Learns from an error that refuses such a list; returns false for other errors. An answer that
   * is not from the service, such as a proxy's, has no lasting effect: lists are narrower until
   * enough of them succeed.
   */
  noteRefused(error: PaystateError, asked: number): boolean {
    const { code, status = 0 } = error;
    const isRefused = isFinal(error);
    if ((code === 'INVALID_DATA_QUERY' && isRefused) || [413, 414, 431].includes(status)) {
      this.width = Math.min(this.width, Math.max(1, asked >> 1)); // several may be refused
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

/** Returns the capabilities that this client has learned. */
export function getLearnedCapabilities(client: Connection): LearnedCapabilities {
  return stateOf(client, LEARNED);
}
