import type { PaystateError } from '../core/errors/index.ts';
import {
  type Capabilities,
  type Connection,
  internals,
  type Slot,
  stateOf,
} from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';

// What the service is assumed to do, and its limits: one place for each number. Durations are
// milliseconds.

export { PAGE } from '../core/lists/index.ts';

/** A replica of the service is at most this far behind. */
export const LAG_MS = 30_000;
/** An event is visible at most this long after its creation. */
export const EVENT_LATENESS_MS = 300_000;
/** The service lists events for this long, and repeats deliveries of webhooks for less. */
export const EVENT_HISTORY_MS: number = 30 * 86_400_000;
/** Our clock and the service's differ by less. */
export const CLOCK_SKEW_MS = 3_600_000;
/** Deliveries of webhooks are smaller; a larger body is not read. */
export const MAX_DELIVERY_BYTES = 65_536;

/**
 * List widths that are tried in turn; services of this kind refuse long filters at different
 * lengths.
 */
const LIST_WIDTHS = [15, 30, 60, 100];
/** Clean answers before one list tries the next step; all others keep to the proven width. */
const CLEAN_ANSWERS = 20;

/** What was refused is tried again after so long, longer each time in a row; milliseconds. */
const RETRY_REFUSED_MS = [60_000, 120_000, 300_000, 600_000];

/** A way of asking that the service has refused. */
interface Refused {
  readonly times: number;
  /** When it may be tried again, monotonic. */
  readonly until: number;
}

/** What the answers have taught about asking for many, kept as long as the client. */
export class LearnedCapabilities {
  readonly #may: Capabilities;
  readonly #clock: Clock;
  readonly #refused: Partial<Record<keyof Capabilities, Refused>> = {};
  /** How many ids one list may ask for: was accepted, or is the careful start. */
  width: number = LIST_WIDTHS[0]!;
  #clean = 0;
  /** A width that was refused; never tried again. */
  #tooLong = Infinity;

  constructor(may: Capabilities, clock: Clock) {
    this.#may = may;
    this.#clock = clock;
  }

  /** What this credential may do, as far as it was not refused lately. */
  get capabilities(): Capabilities {
    return { list: this.#isOpen('list'), feed: this.#isOpen('feed') };
  }

  #isOpen(way: keyof Capabilities): boolean {
    return this.#may[way] && this.#clock.monotonic() >= (this.#refused[way]?.until ?? -Infinity);
  }

  /** The service refuses a way of asking: it is left for a while, and ends no watch. */
  refuse(way: keyof Capabilities): void {
    const { times = 0 } = this.#refused[way] ?? {};
    if (!this.#isOpen(way)) return; // by requests that were sent together
    const pause = RETRY_REFUSED_MS[times] ?? RETRY_REFUSED_MS.at(-1)!;
    this.#refused[way] = { times: times + 1, until: this.#clock.monotonic() + pause };
  }

  /** The service has accepted a way of asking. */
  accept(way: keyof Capabilities): void {
    delete this.#refused[way];
  }

  /** Width that the next list may have, when `available` ids wait. */
  widthFor(available: number): number {
    const next = LIST_WIDTHS.find((step) => step > this.width && step < this.#tooLong);
    return !next || next > available || this.#clean < CLEAN_ANSWERS ? this.width : next;
  }

  /** Width for the next list: one of many tries the next step. */
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
   * Learns from an error that says that such a list is not for us; else returns false. What does
   * not come from the service teaches nothing that lasts: lists are narrower until they are trusted
   * again.
   */
  noteRefused({ code, kind, status = 0 }: PaystateError, asked: number): boolean {
    const isRefused = kind === 'refused';
    if (status === 403 && isRefused) this.refuse('list');
    else if ((code === 'INVALID_DATA_QUERY' && isRefused) || [413, 414, 431].includes(status)) {
      this.width = Math.min(this.width, Math.max(1, asked >> 1)); // many may be refused at once
      if (isRefused) this.#tooLong = Math.min(this.#tooLong, asked);
      this.#clean = 0;
    } else return false;
    return true;
  }
}

const LEARNED: Slot<LearnedCapabilities> = {
  name: 'resources.learned',
  make: (client) =>
    new LearnedCapabilities(client[internals].capabilities, client[internals].clock),
};

/** What the responses to this client have taught. */
export function learnedCapabilitiesOf(client: Connection): LearnedCapabilities {
  return stateOf(client, LEARNED);
}
