import { type Connection, internals, send, serviceTime } from '../../core/http/index.ts';
import { secondsOf, type Ticks, TICKS_PER_SECOND, ticksOf } from '../../core/time/index.ts';
import { between, countOf } from '../../core/lists/index.ts';
import { PAGE } from '../service-facts.ts';
import * as endpoints from './endpoints.ts';
import type { ServiceEvent } from './model.ts';

/** A stretch of time whose events could not all be read; it begins and ends with a second. */
export interface Gap {
  /** Where the gap begins, milliseconds since 1970. */
  readonly startsAt: number;
  /** Where the gap ends, milliseconds since 1970. */
  readonly endsAt: number;
  /** Why events may be missing. */
  readonly reason: string;
}

/** One page, and what it says about the window it was asked for. */
export interface Read {
  /** How many events the window holds; `undefined` where the service does not count. */
  readonly count: number | undefined;
  readonly length: number;
  /** The page reached the end of the window. */
  readonly ended: boolean;
  /** At least one event had been seen before. */
  readonly overlapped: boolean;
  /** The order is the one that was asked for. */
  readonly sorted: boolean;
  readonly first: Ticks;
  readonly last: Ticks;
}

interface Dated {
  readonly event: ServiceEvent;
  readonly ticks: Ticks;
}

/**
 * What has been seen, and the reading of windows; nothing is assumed of page size, ties or our own
 * clock.
 */
export class FeedCursor {
  /** Everything created before this second has been emitted. `NaN` before the first read. */
  floor: number;
  /** Newest creation seen, whole second. */
  newest: number = -Infinity;
  /** Latest time of the service, whole second. */
  now: number = -Infinity;
  requests: number = 0;
  readonly seen: Map<string, Ticks> = new Map();
  #fresh: Dated[] = [];
  #biggest = 0;
  #slack = TICKS_PER_SECOND;
  readonly #connection: Connection;
  readonly #signal: AbortSignal | undefined;

  constructor(connection: Connection, floor: number, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.floor = floor;
    this.#signal = signal;
  }

  /** Reads one page of the open window (after, before). */
  async read(
    after: number | undefined,
    before: number | undefined,
    order: 'asc' | 'desc' = 'desc',
    skip = 0,
    top: number = PAGE,
  ): Promise<Read> {
    const where = { filter: between(after, before), orderBy: `created ${order}`, top, skip };
    const { value, headers } = await send(
      this.#connection,
      endpoints.list,
      { where },
      { signal: this.#signal, reason: 'event feed' },
    ).withResponse();
    this.requests++;
    this.now = Math.floor(serviceTime(headers, this.#connection[internals].clock.now()) / 1_000);
    const dated = value.items.map((event) => ({
      event,
      ticks: ticksOf(event.created) ?? BigInt(this.now) * TICKS_PER_SECOND,
    }));
    const overlapped = dated.map((one) => this.#note(one)).includes(true);
    const ticks = dated.map((one) => one.ticks);
    const { length, 0: first = 0n, [length - 1]: last = 0n } = ticks;
    const count = countOf(value);
    this.#biggest = Math.max(this.#biggest, length);
    return {
      count,
      overlapped,
      length,
      first,
      last,
      ended:
        length === 0 ||
        (count === undefined ? length < Math.min(PAGE, this.#biggest) : skip + length >= count),
      sorted: ticks.every(
        (tick, at) =>
          at === 0 || tick === ticks[at - 1] || tick > ticks[at - 1]! === (order === 'asc'),
      ),
    };
  }

  /** Keeps an event; returns whether it had been seen before. */
  #note({ event, ticks }: Dated): boolean {
    const countKnown = this.seen.has(event.id);
    if (!countKnown) this.#fresh.push({ event, ticks });
    this.seen.set(event.id, ticks);
    this.newest = Math.max(this.newest, secondsOf(ticks));
    if (ticks % TICKS_PER_SECOND) this.#slack = TICKS_PER_SECOND / 1_000n; // fractions are printed
    return countKnown;
  }

  /**
   * A lower bound of the events that have been seen in (after, upTo]: printed times may be a little
   * off.
   */
  known(after: number, upTo?: Ticks): number {
    const from = BigInt(after) * TICKS_PER_SECOND + this.#slack;
    return [...this.seen.values()].filter(
      (ticks) => ticks > from && (upTo === undefined || ticks <= upTo),
    ).length;
  }

  /** Events that were read and not yet handed on, in order of creation. */
  take(): ServiceEvent[] {
    const fresh = this.#fresh.sort((a, b) =>
      a.ticks < b.ticks || (a.ticks === b.ticks && a.event.id < b.event.id) ? -1 : 1,
    );
    this.#fresh = [];
    return fresh.map(({ event }) => event);
  }

  /** Forgets what was read and is older than `second`, so that it is not given out again. */
  silence(second: number): void {
    this.#fresh = this.#fresh.filter(({ ticks }) => secondsOf(ticks) >= second);
  }

  /** Moves the floor forward and forgets what lies safely behind it. */
  raise(floor: number): void {
    this.floor = Math.max(this.floor, floor);
    for (const [id, ticks] of this.seen)
      if (secondsOf(ticks) < this.floor - 4) this.seen.delete(id);
  }
}
