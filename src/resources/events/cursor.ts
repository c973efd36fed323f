import type { Connection } from '../../core/connection.ts';
import { secondsOf, textOfSecond, type Ticks, TICKS_PER_SECOND, ticksOf } from '../../core/instant.ts';
import { countOf } from '../../core/list.ts';
import { allOf, PAGE } from '../../core/odata.ts';
import { serviceTime } from '../../core/retry-after.ts';
import { send } from '../../core/send.ts';
import * as rows from './endpoints.ts';
import type { ServiceEvent } from './model.ts';

/** A stretch of time, in seconds since 1970, whose events could not all be read. */
export interface Gap {
  readonly from: number;
  readonly to: number;
  readonly why: string;
}

/** One page, and what it says about the window it was asked for. Times are whole seconds of the service. */
export interface Read {
  readonly now: number;
  /** How many events the window holds; `undefined` where the service does not count. */
  readonly count: number | undefined;
  readonly length: number;
  /** The page reached the end of the window. */
  readonly ended: boolean;
  /** At least one event had been seen before. */
  readonly overlapped: boolean;
  readonly sorted: boolean;
  readonly newest: Ticks;
  readonly oldest: Ticks;
}

export type Order = 'asc' | 'desc';

/** What has been seen, and the reading of windows; nothing is assumed of page size, ties or our own clock. */
export class Cursor {
  /** Everything created before this second has been emitted. */
  floor: number | undefined;
  /** Newest creation seen, whole second. */
  newest: number = -Infinity;
  requests: number = 0;
  readonly seen: Map<string, Ticks> = new Map();
  #fresh: ServiceEvent[] = [];
  #biggest = 0;
  #hasFractions = false;
  readonly #connection: Connection;
  readonly #signal: AbortSignal | undefined;

  constructor(connection: Connection, signal: AbortSignal | undefined) {
    this.#connection = connection;
    this.#signal = signal;
  }

  /** Reads one page of the open window (after, before). */
  async read(after: number | undefined, before: number | undefined, order: Order, skip = 0, top: number = PAGE): Promise<Read> {
    const filter = allOf(
      after === undefined ? undefined : `created gt ${textOfSecond(after)}`,
      before === undefined ? undefined : `created lt ${textOfSecond(before)}`,
    );
    const where = { filter, orderBy: `created ${order}`, top, skip };
    const { value, headers } = await send(this.#connection, rows.list, { where }, { signal: this.#signal, why: 'event feed' }).withResponse();
    this.requests++;
    const now = Math.floor(serviceTime(headers, this.#connection.clock.now()) / 1_000);
    const ticks = value.items.map((event) => ticksOf(event.created) ?? BigInt(now) * TICKS_PER_SECOND);
    const overlapped = value.items.some((event) => this.seen.has(event.id));
    value.items.forEach((event, at) => this.#note(event, ticks[at]!));
    const count = countOf(value);
    this.#biggest = Math.max(this.#biggest, ticks.length);
    return {
      now, count, overlapped,
      length: ticks.length,
      ended: ticks.length === 0 || (count === undefined ? ticks.length < Math.min(PAGE, this.#biggest) : skip + ticks.length >= count),
      sorted: ticks.every((tick, at) => at === 0 || (order === 'asc' ? tick >= ticks[at - 1]! : tick <= ticks[at - 1]!)),
      newest: ticks.reduce((a, b) => (a > b ? a : b), ticks[0] ?? 0n),
      oldest: ticks.reduce((a, b) => (a < b ? a : b), ticks[0] ?? 0n),
    };
  }

  #note(event: ServiceEvent, ticks: Ticks): void {
    if (!this.seen.has(event.id)) this.#fresh.push(event);
    this.seen.set(event.id, ticks);
    this.newest = Math.max(this.newest, secondsOf(ticks));
    this.#hasFractions ||= ticks % TICKS_PER_SECOND !== 0n;
  }

  /** A lower bound of the events that have been seen in (after, upTo]: printed times may be a little off. */
  known(after: number, upTo?: Ticks): number {
    const slack = this.#hasFractions ? TICKS_PER_SECOND / 1_000n : TICKS_PER_SECOND;
    const from = BigInt(after) * TICKS_PER_SECOND + slack;
    let known = 0;
    for (const ticks of this.seen.values()) if (ticks > from && (upTo === undefined || ticks <= upTo)) known++;
    return known;
  }

  /** Events that were read and not yet handed on, in order of creation. */
  take(): ServiceEvent[] {
    const events = this.#fresh.sort((a, b) => compare(this.seen.get(a.id)!, this.seen.get(b.id)!) || compare(a.id, b.id));
    this.#fresh = [];
    return events;
  }

  /** Forgets what was read and is older than `second`, so that nobody is told of it. */
  silence(second: number): void {
    this.#fresh = this.#fresh.filter((event) => secondsOf(this.seen.get(event.id)!) >= second);
  }

  /** Moves the floor forward and forgets what lies safely behind it. */
  raise(floor: number): void {
    this.floor = Math.max(this.floor ?? -Infinity, floor);
    for (const [id, ticks] of this.seen) if (secondsOf(ticks) < this.floor - 4) this.seen.delete(id);
  }
}

function compare<T>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
