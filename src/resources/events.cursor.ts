import {
  type CallOptions,
  type Connection,
  internals,
  send,
  serviceTime,
} from '../core/http/index.ts';
import { between, readCount, inOrder } from '../core/lists/index.ts';
import { toSeconds, type Ticks, TICKS_PER_SECOND, parseTicks } from '../core/time.ts';
import { listEndpoint, type ServiceEvent } from './events.ts';
import { PAGE } from './service-facts.ts';

/** A period in which events may be missing from the feed. It starts and ends on a full second. */
export interface Gap {
  /** When the gap starts, in milliseconds since 1970. */
  readonly startsAt: number;
  /** When the gap ends, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Why events may be missing. */
  readonly reason: string;
  /** Id of the event, if the gap is a single unreadable event with an id. */
  readonly eventId?: string | undefined;
  /** Id of the unreadable event's resource, if it's known. */
  readonly entityId?: string | undefined;
}

export interface Read {
  /** Number of events in the window, or `undefined` if the service didn't count them. */
  readonly count: number | undefined;
  readonly length: number;
  readonly ids: readonly string[];
  readonly ended: boolean;
  /** Whether the page contains at least one previously seen event. */
  readonly overlapped: boolean;
  /** Whether this page and all earlier pages were in the requested order. */
  readonly sorted: boolean;
  /** Whether all events on the page have the same time, so the order can't be determined. */
  readonly orderless: boolean;
  readonly first: Ticks;
  readonly last: Ticks;
}

/** A row on a page of events. `event` is absent if the row couldn't be parsed. */
interface Item {
  readonly id: string;
  readonly ticks: Ticks;
  readonly event?: ServiceEvent | undefined;
  readonly entityId?: string | undefined;
}

type Dated = Item & { readonly event: ServiceEvent };

/**
 * Reads time windows of the event list and remembers which events it has seen. Doesn't rely on page
 * sizes, distinct times or the local clock.
 */
export class FeedCursor {
  /** The second before which all events have been emitted, or `NaN` before the first read. */
  floor: number;
  /** Newest creation time seen so far, in seconds. `#second` is the second-newest. */
  newest: number = -Infinity;
  #second: number = -Infinity;
  /** The service's time in whole seconds, or `NaN` if its responses have no `Date` header. */
  now: number = NaN;
  requests: number = 0;
  readonly seen: Map<string, Ticks> = new Map();
  readonly gaps: Gap[] = [];
  /**
   * For each event, the start of the latest window that contained it, in seconds. The service
   * counts the event in that window, even if the event's timestamp is outside it.
   */
  readonly #shownAfter: Map<string, number> = new Map();
  readonly #undated: Set<string> = new Set();
  #saidAt: number = NaN;
  #fresh: Dated[] = [];
  #biggest = 0;
  /**
   * Becomes false when a page isn't in the requested order. From then on, the page order is no
   * longer relied on.
   */
  #isSorted = true;
  #slack = TICKS_PER_SECOND;
  readonly #connection: Connection;
  readonly #options: CallOptions;

  constructor(connection: Connection, floor: number, options: CallOptions) {
    this.#connection = connection;
    this.floor = floor;
    this.#options = { ...options, reason: 'event feed' };
  }

  /**
   * The service's current time in seconds, derived from its responses. If responses have no `Date`
   * header, it's the time of the second-newest event, because a single event may have a time in the
   * future.
   */
  get latest(): number {
    const { clock } = this.#connection[internals];
    const said = this.now + Math.floor((clock.monotonic() - this.#saidAt) / 1_000);
    return said || this.#second;
  }

  /**
   * The second up to which a complete poll has seen all events, except those that become visible
   * late.
   */
  get reached(): number {
    return this.now ? Math.min(this.newest, this.now) : this.#second;
  }

  /** Reads one page of the events created after `after` and before `before`, in seconds. */
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
      listEndpoint,
      { where },
      this.#options,
    ).withResponse();
    this.requests++;
    this.now = Math.floor(serviceTime(headers, NaN) / 1_000);
    this.#saidAt = this.#connection[internals].clock.monotonic();
    const items = inOrder(
      value.items,
      (event) => this.#itemOf(event, event),
      ({ row }) => this.#itemOf(row),
    );
    const overlapped = items.map((item) => this.#note(item, after)).includes(true);
    const ticks = items.map((item) => item.ticks);
    const { length, 0: first = 0n, [length - 1]: last = 0n } = ticks;
    const count = readCount(value);
    this.#biggest = Math.max(this.#biggest, length);
    const said = items.filter(({ id }) => !this.#undated.has(id)).map((item) => item.ticks);
    this.#isSorted &&= said.every(
      (tick, at) => at === 0 || tick === said[at - 1] || tick > said[at - 1]! === (order === 'asc'),
    );
    return {
      count,
      overlapped,
      length,
      ids: items.map(({ id }) => id),
      first,
      last,
      ended:
        length === 0 ||
        (count === undefined ? length < Math.min(PAGE, this.#biggest) : skip + length >= count),
      sorted: this.#isSorted,
      orderless: first === last,
    };
  }

  /**
   * Converts a row to an item. A row without a valid time is treated as the newest one, so it isn't
   * forgotten while the service still lists it.
   */
  #itemOf(row: unknown, event?: ServiceEvent): Item {
    const { id, created, data }: Partial<ServiceEvent> = Object(row);
    // Most items on a page are already known, so their times aren't parsed again.
    const ticks = this.seen.get(id!) ?? parseTicks(String(created));
    const entityId = data?.entityId;
    const name = typeof id === 'string' ? id : JSON.stringify(row);
    if (ticks === undefined) this.#undated.add(name);
    return {
      id: name,
      entityId: typeof entityId === 'string' ? entityId : undefined,
      ticks: ticks ?? BigInt(Math.max(0, this.now || this.newest)) * TICKS_PER_SECOND,
      event: ticks === undefined ? undefined : event,
    };
  }

  /** Remembers an item. Returns whether the item had been seen before. */
  #note({ id, ticks, event, entityId }: Item, after: number = -Infinity): boolean {
    const isKnown = this.seen.has(id);
    this.#shownAfter.set(id, Math.max(after, this.#shownAfter.get(id) ?? -Infinity));
    if (isKnown) return true;
    const second = toSeconds(ticks);
    this.seen.set(id, ticks);
    this.#second = Math.max(this.#second, Math.min(second, this.newest));
    this.newest = Math.max(this.newest, second);
    // the service's times have fractions of a second
    if (ticks % TICKS_PER_SECOND) this.#slack = TICKS_PER_SECOND / 1_000n;
    if (event) this.#fresh.push({ id, ticks, event });
    else {
      const eventId = id.slice(0, 100);
      this.noteGap(second, second + 1, 'an event that cannot be read', { eventId, entityId });
    }
    return false;
  }

  /** Records that events between two points in time, given in seconds, may be missing. */
  noteGap(from: number, to: number, reason: string, event?: Partial<Gap>): void {
    this.gaps.push({ startsAt: from * 1_000, endsAt: to * 1_000, reason, ...event });
  }

  /**
   * Counts the known events after `after`, up to and including `upTo`. The result is a lower bound,
   * because the service's timestamps may be slightly off.
   */
  known(after: number, upTo?: Ticks): number {
    const from = BigInt(after) * TICKS_PER_SECOND + this.#slack;
    let known = 0;
    for (const [id, ticks] of this.seen)
      if (
        (upTo === undefined || ticks <= upTo) &&
        (ticks >= from || this.#shownAfter.get(id)! >= after)
      )
        known++;
    return known;
  }

  /** Returns the new events since the last call, in order of creation. */
  take(): ServiceEvent[] {
    const fresh = this.#fresh.sort((a, b) =>
      a.ticks < b.ticks || (a.ticks === b.ticks && a.id < b.id) ? -1 : 1,
    );
    this.#fresh = [];
    return fresh.map(({ event }) => event);
  }

  /** Discards events older than `second` that were read but not yet returned by `take`. */
  silence(second: number): void {
    this.#fresh = this.#fresh.filter(({ ticks }) => toSeconds(ticks) >= second);
  }

  /** Raises the floor and forgets events that are well before it. */
  raise(floor: number): void {
    this.floor = Math.max(this.floor, floor);
    for (const [id, ticks] of this.seen)
      if (toSeconds(ticks) < this.floor - 4) {
        this.seen.delete(id);
        this.#shownAfter.delete(id);
        this.#undated.delete(id);
      }
  }
}
