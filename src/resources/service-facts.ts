import { isFinal, type PaystateError } from '../core/errors/index.ts';
import {
  type Capabilities,
  type Connection,
  internals,
  type Slot,
  slotState,
} from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';

// What the SDK assumes about the service, with each number in one place, and the limits that this
// client has learned from responses.

export { PAGE } from '../core/lists/index.ts';

/** Longest time a replica of the service may lag. */
export const LAG_MS = 30_000;
/** Longest time between an event's creation and when it becomes visible. */
export const EVENT_LATENESS_MS = 300_000;
/** How long the service lists events. It retries webhook deliveries for less time. */
export const EVENT_HISTORY_MS: number = 30 * 86_400_000;
/** Largest possible difference between the local clock and the service's. */
export const CLOCK_SKEW_MS = 3_600_000;
/** Webhook deliveries are smaller than this. Larger bodies aren't read. */
export const MAX_DELIVERY_BYTES = 65_536;

/**
 * How many ids to put into a list's filter. Tried in turn, because services of this kind reject
 * long filters at different lengths.
 */
const LIST_WIDTHS = [15, 30, 60, 100];
/**
 * After this many successful lists, one list tries the next width. The others keep the proven one.
 */
const CLEAN_ANSWERS = 20;

/** How long a refused kind of read is avoided, by number of refusals in a row. */
const RETRY_REFUSED_MS = [60_000, 120_000, 300_000, 600_000];

interface Refused {
  readonly times: number;
  /** When it may be tried again, by the monotonic clock. */
  readonly until: number;
}

/** Learns from responses how many resources can be read at once. Lives as long as the client. */
export class LearnedCapabilities {
  readonly #may: Capabilities;
  readonly #clock: Clock;
  readonly #refused: Partial<Record<keyof Capabilities, Refused>> = {};
  /**
   * How many ids to put into a list's filter. Starts with the first width, and grows as wider ones
   * are accepted.
   */
  width: number = LIST_WIDTHS[0]!;
  #clean = 0;
  /** The smallest width that was refused. Never tried again. */
  #tooLong = Infinity;

  constructor(may: Capabilities, clock: Clock) {
    this.#may = may;
    this.#clock = clock;
  }

  /** What this credential can do, without the reads that were refused recently. */
  get capabilities(): Capabilities {
    return { list: this.#isOpen('list'), feed: this.#isOpen('feed') };
  }

  /** Whether lists are allowed and weren't refused recently. */
  get canList(): boolean {
    return this.#isOpen('list');
  }

  #isOpen(way: keyof Capabilities): boolean {
    const refused = this.#refused[way];
    return this.#may[way] && (!refused || this.#clock.monotonic() >= refused.until);
  }

  /**
   * Records that the service refused a kind of read. It's avoided for a while, but no watch ends.
   */
  refuse(way: keyof Capabilities): void {
    const { times = 0 } = this.#refused[way] ?? {};
    if (!this.#isOpen(way)) return; // several requests were sent together
    const pause = RETRY_REFUSED_MS[times] ?? RETRY_REFUSED_MS.at(-1)!;
    this.#refused[way] = { times: times + 1, until: this.#clock.monotonic() + pause };
  }

  accept(way: keyof Capabilities): void {
    delete this.#refused[way];
  }

  /** Returns the width of the next list if `available` ids are waiting. */
  widthFor(available: number): number {
    const next = LIST_WIDTHS.find((step) => step > this.width && step < this.#tooLong);
    return !next || next > available || this.#clean < CLEAN_ANSWERS ? this.width : next;
  }

  /** Like `widthFor`, but called when the list is sent, so only one list tries a new width. */
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
   * Learns from an error that refuses such a list, and returns false for any other error. A
   * response that isn't from the service, such as a proxy's, has no lasting effect. Lists are
   * narrower until enough of them succeed.
   */
  noteRefused(error: PaystateError, asked: number): boolean {
    const { code, status = 0 } = error;
    const isRefused = isFinal(error);
    if ((code === 'INVALID_DATA_QUERY' && isRefused) || [413, 414, 431].includes(status)) {
      this.width = Math.min(this.width, Math.max(1, asked >> 1)); // several lists may be refused
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
