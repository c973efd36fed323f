import {
  type CallOptions,
  type Connection,
  internals,
  send,
  serviceTime,
} from '../core/http/index.ts';
import { between, countOf } from '../core/lists/index.ts';
import { secondsOf, type Ticks, TICKS_PER_SECOND, ticksOf } from '../core/time.ts';
import { EventSchema } from './events.schemas.ts';
import { listEndpoint, type ServiceEvent } from './events.ts';
import { PAGE } from './service-facts.ts';
import { orUnread, pageOf, shapeOf, type Unread, type WirePage } from './wire.ts';

/** A stretch of time whose events could not all be read; it begins and ends with a second. */
export interface Gap {
  /** Where the gap begins, milliseconds since 1970. */
  readonly startsAt: number;
  /** Where the gap ends, milliseconds since 1970. */
  readonly endsAt: number;
  /** Why events may be missing. */
  readonly reason: string;
  /** The event that could not be read, where it is one that has an id. */
  readonly eventId?: string | undefined;
  /** What that event is about, where this much of it can be read. */
  readonly entityId?: string | undefined;
}

/** One page, and what it says about the window it was asked for. */
export interface Read {
  /** How many events the window holds; `undefined` where the service does not count. */
  readonly count: number | undefined;
  readonly length: number;
  readonly ids: readonly string[];
  /** The page reached the end of the window. */
  readonly ended: boolean;
  /** At least one event had been seen before. */
  readonly overlapped: boolean;
  /** The order is the one that was asked for, as far as this page and earlier ones show. */
  readonly sorted: boolean;
  /** All were created in one instant, so that this page shows no order. */
  readonly orderless: boolean;
  readonly first: Ticks;
  readonly last: Ticks;
}

/** An item of a page; without an event it could not be read. */
interface Item {
  readonly id: string;
  readonly ticks: Ticks;
  readonly event?: ServiceEvent | undefined;
  readonly entityId?: string | undefined;
}

type Dated = Item & { readonly event: ServiceEvent };

/**
 * What has been seen, and the reading of windows; nothing is assumed of page size, ties or our own
 * clock.
 */
export class FeedCursor {
  /** Everything created before this second has been emitted. `NaN` before the first read. */
  floor: number;
  /** Newest creation seen, whole second, and the one before. */
  newest: number = -Infinity;
  #second: number = -Infinity;
  /** Latest time of the service, whole second; `NaN` where its responses do not say. */
  now: number = NaN;
  requests: number = 0;
  readonly seen: Map<string, Ticks> = new Map();
  readonly gaps: Gap[] = [];
  /**
   * After which second of a window an event was shown: it is counted there, whatever is printed.
   */
  readonly #shownAfter: Map<string, number> = new Map();
  /** Items without a readable time. */
  readonly #undated: Set<string> = new Set();
  /** When `now` was said, monotonic. */
  #saidAt: number = NaN;
  #fresh: Dated[] = [];
  #biggest = 0;
  /** A page has come in another order than was asked for: none is relied on any more. */
  #isUnsorted = false;
  #slack = TICKS_PER_SECOND;
  /** The list of events, of which single ones may be unreadable. */
  readonly #page = {
    ...listEndpoint,
    output: shapeOf<WirePage<ServiceEvent | Unread>>(pageOf(orUnread<ServiceEvent>(EventSchema))),
  };
  readonly #connection: Connection;
  readonly #options: CallOptions;

  constructor(connection: Connection, floor: number, options: CallOptions) {
    this.#connection = connection;
    this.floor = floor;
    this.#options = { ...options, reason: 'event feed' };
  }

  /**
   * The service's second, as far as its responses tell; never by our own clock. Without their time
   * the last but one event stands for it: a single one may be dated ahead.
   */
  get latest(): number {
    const { clock } = this.#connection[internals];
    const said = this.now + Math.floor((clock.monotonic() - this.#saidAt) / 1_000);
    return said || this.#second;
  }

  /** How far all is known to have been seen after a complete poll, but for what is late. */
  get reached(): number {
    return this.now ? Math.min(this.newest, this.now) : this.#second;
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
      this.#page,
      { where },
      this.#options,
    ).withResponse();
    this.requests++;
    this.now = Math.floor(serviceTime(headers, NaN) / 1_000);
    this.#saidAt = this.#connection[internals].clock.monotonic();
    const items = value.items.map((item) => this.#itemOf(item));
    const overlapped = items.map((item) => this.#note(item, after)).includes(true);
    const ticks = items.map((item) => item.ticks);
    const { length, 0: first = 0n, [length - 1]: last = 0n } = ticks;
    const count = countOf(value);
    this.#biggest = Math.max(this.#biggest, length);
    const said = items.filter(({ id }) => !this.#undated.has(id)).map((item) => item.ticks);
    this.#isUnsorted ||= !said.every(
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
      sorted: !this.#isUnsorted,
      orderless: first === last,
    };
  }

  /**
   * An item without a readable time counts as the newest: it stays remembered while it is shown.
   */
  #itemOf(item: ServiceEvent | Unread): Item {
    const isUnread = 'unread' in item;
    const said: Partial<ServiceEvent> = Object(isUnread ? item.unread : item);
    const { id, created, data } = said;
    // most of a page is known already: its times are not read again
    const ticks = this.seen.get(id!) ?? ticksOf(String(created));
    const entityId = data?.entityId;
    const name = typeof id === 'string' ? id : JSON.stringify(item);
    if (ticks === undefined) this.#undated.add(name);
    return {
      id: name,
      entityId: typeof entityId === 'string' ? entityId : undefined,
      ticks: ticks ?? BigInt(Math.max(0, this.now || this.newest)) * TICKS_PER_SECOND,
      event: isUnread || ticks === undefined ? undefined : item,
    };
  }

  /** Keeps an item; returns whether it had been seen before. */
  #note({ id, ticks, event, entityId }: Item, after: number = -Infinity): boolean {
    const isKnown = this.seen.has(id);
    this.#shownAfter.set(id, Math.max(after, this.#shownAfter.get(id) ?? -Infinity));
    if (isKnown) return true;
    const second = secondsOf(ticks);
    this.seen.set(id, ticks);
    this.#second = Math.max(this.#second, Math.min(second, this.newest));
    this.newest = Math.max(this.newest, second);
    if (ticks % TICKS_PER_SECOND) this.#slack = TICKS_PER_SECOND / 1_000n; // fractions are printed
    if (event) this.#fresh.push({ id, ticks, event });
    else {
      const eventId = id.slice(0, 100);
      this.noteGap(second, second + 1, 'an event that cannot be read', { eventId, entityId });
    }
    return false;
  }

  /** Notes that events between two seconds may be missing. */
  noteGap(from: number, to: number, reason: string, event?: Partial<Gap>): void {
    this.gaps.push({ startsAt: from * 1_000, endsAt: to * 1_000, reason, ...event });
  }

  /**
   * A lower bound of the events that have been seen in (after, upTo]: printed times may be a little
   * off.
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

  /** Events that were read and not yet handed on, in order of creation. */
  take(): ServiceEvent[] {
    const fresh = this.#fresh.sort((a, b) =>
      a.ticks < b.ticks || (a.ticks === b.ticks && a.id < b.id) ? -1 : 1,
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
      if (secondsOf(ticks) < this.floor - 4) {
        this.seen.delete(id);
        this.#shownAfter.delete(id);
        this.#undated.delete(id);
      }
  }
}
