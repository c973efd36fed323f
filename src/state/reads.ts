import {
  isFinal,
  isPaystateError,
  type PaystateError,
  UnreachableError,
} from '../core/errors/index.ts';
import {
  beginRead,
  type CallOptions,
  type Connection,
  quietly,
  send,
  withPriority,
} from '../core/http/index.ts';
import { anyOf, between, countOf, type ListQuery, type Page } from '../core/lists/index.ts';
import { type Clock, secondsOf, type Ticks, ticksOf, TICKS_PER_SECOND } from '../core/time.ts';
import { frozenCopy } from '../core/watch.ts';
import { idKey } from '../resources/resource.ts';
import {
  LAG_MS,
  type LearnedCapabilities,
  learnedCapabilitiesOf,
  PAGE,
} from '../resources/service-facts.ts';
import { type AnyEntry, createdOf, isSettled } from './entry.ts';
import { type Entries, findEntry } from './known.ts';

/** The result of a read for one entry; a list did not hold it if all members are absent. */
export interface ReadResult {
  readonly value?: unknown;
  readonly error?: PaystateError;
  /** Milliseconds since the service gave this answer, where a cache answered in its place. */
  readonly age?: number;
  /** A list of open states did not hold the entry, which may have changed. */
  readonly isMissing?: boolean;
}

type OnResult = (entry: AnyEntry, result: ReadResult, sentAt: number) => void;

/**
 * How entries are read: `asked` and `turn` have a walk each, so that what is asked for does not
 * break the round. What has changed may not be open any more, and is read by its id.
 */
export type ReadWay = 'asked' | 'turn' | 'by id';

/**
 * One request: a single read, a list by ids, or the next page of a walk, which takes entries along
 * by their ids.
 */
export interface WatchRead {
  readonly entries: readonly AnyEntry[];
  readonly walk?: Walk;
}

/** The latest page has this weight in the average number of watched resources in a page. */
const PAGE_SMOOTHING = 0.1;
/** What else a page asks for takes the place of this number of ids, and each state that of one. */
const MAX_OTHER_TERMS = 3;
/** From this part of a page on, nearly all of its items are watched. */
const ALL_WATCHED = 0.95;
/** A walk rests for this time after its first failure, and twice as long after each more. */
const REST_MS = 1_000;
/** The longest rest, milliseconds. */
const MAX_REST_MS = 20_000;

/**
 * Walks through the open resources of the account in the order of creation, again and again, page
 * by page. It jumps over what nobody wants to be read. Times are monotonic milliseconds.
 */
interface Walk {
  readonly type: AnyEntry['type'];
  /** The walk has come to this second of creation; `Infinity` at the end. */
  at: number;
  /** The first page that reached this second was sent then. */
  since: number;
  /** The times of creation of the rows that the next page may repeat. */
  seen: readonly Ticks[];
  /** The next page begins in this second. */
  from: number;
  /** It ends before this second; `Infinity` where it may reach the end of the list. */
  to: number;
  isUnderWay: boolean;
  failures: number;
  restsUntil: number;
}

/** Reads entries in as few requests as it can: alone, by lists of ids, or by pages of a walk. */
export class Reader {
  /** The way in which changes are noticed now; each request names it as a part of its reason. */
  plan: string = '';
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #report: OnResult;
  readonly #learned: LearnedCapabilities;
  readonly #entries: Entries;
  readonly #walks: Map<string, Walk> = new Map();
  /** The average number of watched resources in a page. */
  #perPage: number = PAGE;
  /** The service has not refused a list of some states. */
  #canAskForStates: boolean = true;
  /** The service has not refused a page that takes entries along. */
  #canTakeAlong: boolean = true;

  /** `clock` is that of the hub. */
  constructor(
    client: Connection,
    clock: Clock,
    signal: AbortSignal,
    entries: Entries,
    report: OnResult,
  ) {
    this.#entries = entries;
    this.#connection = quietly(withPriority(client, 'normal'));
    this.#clock = clock;
    this.#signal = signal;
    this.#report = report;
    this.#learned = learnedCapabilitiesOf(client);
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** One list may ask for this number of ids. */
  get width(): number {
    return this.#learned.width;
  }

  /** Says whether a list can hold an entry. */
  isListed({ type, isReadAlone }: AnyEntry): boolean {
    return this.#learned.canList && type.watch.list !== undefined && !isReadAlone;
  }

  /** Says whether a walk finds an entry: it is open, and its second of creation is known. */
  isWalked(entry: AnyEntry): boolean {
    return entry.created! >= 0 && this.isListed(entry) && !isSettled(entry);
  }

  /** Says whether a page of this walk is under way that may bring this entry. */
  isPaging(entry: AnyEntry, way: ReadWay): boolean {
    return this.#walks.get(keyOf(entry.type, way))?.isUnderWay === true && this.isWalked(entry);
  }

  /** Returns the number of requests that read all of these entries once. */
  cost(entries: readonly AnyEntry[]): number {
    const listed = new Map<unknown, number>();
    let [alone, walked] = [0, 0];
    // the first read of an entry by its id brings its time of creation
    for (const entry of entries)
      if (this.isWalked(entry) || (entry.created === undefined && this.isListed(entry))) walked++;
      else if (!this.isListed(entry)) alone += entry.rows?.requests ?? 1;
      else listed.set(entry.type, (listed.get(entry.type) ?? 0) + 1);
    const { width } = this.#learned;
    const byPage = Math.max(width, Math.min(walked, this.#perPage));
    const byIds = [...listed.values()].reduce((sum, count) => sum + Math.ceil(count / width), 0);
    return alone + byIds + Math.ceil(walked / byPage);
  }

  /**
   * Returns the request that reads the first of these entries, and others with it. A page takes as
   * many of `along` with it as it can, those that come first.
   */
  next(
    entries: readonly AnyEntry[],
    way: ReadWay,
    along: readonly AnyEntry[] = [],
  ): WatchRead | undefined {
    const [first] = entries;
    if (!first) return undefined;
    if (!this.isListed(first)) return { entries: [first] };
    const alike = entries.filter((entry) => entry.type === first.type && this.isListed(entry));
    const isWalked = this.isWalked(first);
    const kin = alike.filter((entry) => this.isWalked(entry) === isWalked);
    const width = this.#learned.widthFor(alike.length);
    if (way !== 'by id' && isWalked && kin.length > width && this.#canWalk(kin, way)) {
      const walk = this.#walkTo(kin, way);
      return { entries: this.#takeAlong(walk, along), walk };
    }
    const batch = alike.length <= width || kin.length < width ? alike : kin;
    return { entries: batch.slice(0, this.#learned.take(alike.length)) };
  }

  /** Says whether a walk takes fewer requests for these entries than lists of ids. */
  #canWalk(wanted: readonly AnyEntry[], way: ReadWay): boolean {
    const { type } = wanted[0]!;
    if ((this.#walks.get(keyOf(type, way))?.restsUntil ?? 0) > this.#now) return false;
    const seconds: number[] = [];
    for (const entry of this.#entries.values())
      if (entry.type === type && this.isWalked(entry)) seconds.push(entry.created!);
    const perPage = Math.max(1, Math.floor(this.#perPage));
    const lists = Math.ceil(wanted.length / this.#learned.width);
    if (seconds.length <= lists * perPage) return true;
    const all = Float64Array.from(seconds).sort();
    let [pages, covered, position] = [0, 0, -1];
    for (const created of Float64Array.from(wanted, (entry) => entry.created!).sort()) {
      do position++;
      while (all[position]! < created);
      if (position < covered) continue;
      pages++;
      covered = position + perPage;
    }
    return pages <= lists;
  }

  /** Lets the next page of the walk begin with the next of these entries, which it finds first. */
  #walkTo(wanted: readonly AnyEntry[], way: ReadWay): Walk {
    const { type } = wanted[0]!;
    const walk = this.#walks.get(keyOf(type, way)) ?? {
      type,
      at: Infinity,
      since: -Infinity,
      seen: [],
      from: 0,
      to: Infinity,
      isUnderWay: false,
      failures: 0,
      restsUntil: 0,
    };
    this.#walks.set(keyOf(type, way), walk);
    let [ahead, earliest] = [Infinity, Infinity];
    for (const { created, readSentAt } of wanted) {
      earliest = Math.min(earliest, created!);
      const isAhead = created! > walk.at || (created === walk.at && readSentAt < walk.since);
      if (isAhead) ahead = Math.min(ahead, created!);
    }
    walk.from = ahead < Infinity ? ahead : earliest;
    if (ahead === Infinity) walk.seen = [];
    if (walk.from !== walk.at || ahead === Infinity) walk.since = this.#now;
    return walk;
  }

  /**
   * Returns those of these entries that the next page of a walk can hold too, and ends the page
   * early enough: its items are in the order of creation, whatever they were asked by.
   */
  #takeAlong(walk: Walk, wanted: readonly AnyEntry[]): readonly AnyEntry[] {
    const { from, type } = walk;
    walk.to = Infinity;
    const room = this.width - openStatesOf(type).length - MAX_OTHER_TERMS;
    // `skip` would count these entries too
    const canSkip = repeatedOf(walk).length < room;
    const alike = wanted.filter((entry) => entry.type === type && this.isListed(entry));
    const dated = canSkip && this.#canTakeAlong ? alike.filter((one) => placeOf(one) >= 0) : [];
    const taken = dated.slice(0, Math.max(0, room));
    const passed = taken.filter((entry) => placeOf(entry) < from);
    if (passed.length === taken.length) return taken;
    const ahead: number[] = [];
    for (const entry of this.#entries.values())
      if (entry.type === type && entry.created! >= from && this.isWalked(entry))
        ahead.push(entry.created!);
    const last = Math.floor(this.#perPage) - taken.length - repeatedOf(walk).length;
    const to = Float64Array.from(ahead).sort()[last] ?? Infinity;
    // where many items of others lie between, the end of a page cannot be foretold
    if (to <= from || this.#perPage < ALL_WATCHED * PAGE) return passed;
    walk.to = to;
    return taken;
  }

  /** Sends a request and reports what it brings. */
  async send({ entries, walk }: WatchRead, reason: string): Promise<void> {
    if (walk) await this.#readPage(walk, entries, reason);
    else if (entries.length > 1) await this.#readByIds(entries, reason);
    else await this.#readAlone(entries[0]!, reason);
  }

  async #readAlone(entry: AnyEntry, reason: string): Promise<void> {
    const sentAt = this.#now;
    const read = beginRead(this.#connection);
    try {
      const value = await entry.type.read(read.connection, entry.id, this.#options(reason));
      this.#report(entry, { value: frozenCopy(value), age: read.age }, sentAt);
    } catch (thrown) {
      this.#fail([entry], thrown, sentAt - read.age);
    }
  }

  /** Where the service refuses such a list, the entries still wait, and are read another way. */
  async #readByIds(batch: readonly AnyEntry[], reason: string): Promise<void> {
    const { type } = batch[0]!;
    const sentAt = this.#now;
    const wanted = new Map(batch.map((entry) => [idKey(entry.id), entry]));
    const filter = anyOf(type.watch.list!.id, [...wanted.keys()]);
    try {
      const why = `${reason}, ${batch.length} in one list`;
      const { found } = await this.#list(type, { filter, top: PAGE }, why);
      this.#learned.noteAccepted(batch.length);
      for (const entry of batch) if (!found.has(entry)) this.#report(entry, {}, sentAt);
    } catch (thrown) {
      if (this.#learned.noteRefused(thrown as PaystateError, batch.length)) return;
      this.#fail(batch, thrown, sentAt);
    }
  }

  async #readPage(walk: Walk, along: readonly AnyEntry[], reason: string): Promise<void> {
    const { from, since, to, type } = walk;
    const sentAt = this.#now;
    const repeated = repeatedOf(walk);
    const states = this.#canAskForStates ? openStatesOf(type) : [];
    const isByState = states.length > 0;
    const skip = along.length > 0 ? 0 : repeated.length;
    walk.isUnderWay = true;
    try {
      const filter = filterOf(walk, states, along);
      const where = { filter, orderBy: 'created asc', top: PAGE, skip };
      const { page, found } = await this.#list(type, where, `${reason}, by pages`);
      const { items } = page;
      const isOver = (countOf(page) ?? Infinity) <= skip + items.length || items.length === 0;
      const last = isOver ? to : Math.max(from, createdOf(type, items.at(-1)) ?? Infinity);
      walk.failures = 0;
      walk.at = last;
      walk.since = last === from ? since : sentAt;
      walk.seen = [...repeated, ...items.map((item) => ticksIn(item))].filter(
        (ticks) => secondsOf(ticks) >= last - 1 && secondsOf(ticks) <= last,
      );
      if (!isOver) this.#countPage(found);
      for (const entry of along)
        if (!found.has(entry) && (isOver || placeOf(entry) < last)) this.#report(entry, {}, sentAt);
      this.#noteMissing(type, { from, last, since, sentAt, isByState });
    } catch (thrown) {
      const [error, hasAlong] = [thrown as PaystateError, along.length > 0];
      this.#failPage(walk, error, { isByState, hasAlong, sentAt });
    } finally {
      walk.isUnderWay = false;
    }
  }

  /** Learns how many of a page are watched. Where these are few, ids take fewer requests. */
  #countPage(found: ReadonlySet<AnyEntry>): void {
    this.#perPage += PAGE_SMOOTHING * (found.size - this.#perPage);
    if (found.size < this.#learned.width) for (const entry of found) entry.created = NaN;
  }

  /** Handles entries that a page should have held: they changed, or the copy of the data lags. */
  #noteMissing(
    type: AnyEntry['type'],
    page: {
      readonly from: number;
      readonly last: number;
      readonly since: number;
      readonly sentAt: number;
      readonly isByState: boolean;
    },
  ): void {
    const { from, last, since, sentAt, isByState } = page;
    for (const entry of [...this.#entries.values()]) {
      const { created = NaN, readSentAt, bornAt } = entry;
      const isPassed = created >= from && created < last && bornAt <= sentAt;
      if (!isPassed || entry.type !== type || !this.isWalked(entry)) continue;
      if (readSentAt >= (created === from ? since : sentAt)) continue;
      const isYoung = sentAt - bornAt < 2 * LAG_MS;
      entry.created = isYoung || isByState ? undefined : NaN;
      if (isByState) this.#report(entry, { isMissing: true }, sentAt);
    }
  }

  /** A page that fails says nothing of a hundred entries: one of them shows the error. */
  #failPage(
    walk: Walk,
    error: PaystateError,
    page: { readonly isByState: boolean; readonly hasAlong: boolean; readonly sentAt: number },
  ): void {
    const { isByState, hasAlong, sentAt } = page;
    walk.at = Infinity;
    if (isFinal(error)) {
      const isFilter = error.code === 'INVALID_DATA_QUERY';
      if (isFilter && hasAlong) this.#canTakeAlong = false;
      else if (isFilter && isByState) this.#canAskForStates = false;
      else this.#learned.refuse('list'); // single reads may be allowed
      return;
    }
    walk.restsUntil = this.#now + Math.min(MAX_REST_MS, REST_MS * 2 ** walk.failures++);
    for (const entry of this.#entries.values())
      if (entry.type === walk.type && entry.created === walk.from)
        return this.#fail([entry], error, sentAt);
  }

  #fail(entries: readonly AnyEntry[], thrown: unknown, sentAt: number): void {
    if (this.#signal.aborted) return;
    const error = isPaystateError(thrown) ? thrown : notRead();
    for (const entry of entries) this.#report(entry, { error }, sentAt);
  }

  /** Reads a page of a list, and reports each watched item. */
  async #list(
    type: AnyEntry['type'],
    where: ListQuery,
    reason: string,
  ): Promise<{ readonly page: Page<unknown>; readonly found: ReadonlySet<AnyEntry> }> {
    const sentAt = this.#now;
    const read = beginRead(this.#connection);
    const { endpoint } = type.watch.list!;
    const page = await send(read.connection, endpoint, { where }, this.#options(reason));
    this.#learned.accept('list');
    const found: Set<AnyEntry> = new Set();
    for (const value of page.items) {
      const entry = findEntry(this.#entries, type.name, type.idOf(value));
      if (!entry) continue;
      found.add(entry);
      this.#report(entry, { value: frozenCopy(value), age: read.age }, sentAt);
    }
    return { page, found };
  }

  #options(cause: string): CallOptions {
    return { signal: this.#signal, maxAttempts: 1, reason: `${cause}, by ${this.plan}` };
  }
}

/** Makes the error to show where a framework, for its own reasons, kept a request from being sent. */
function notRead(): UnreachableError {
  return new UnreachableError('the read was not sent', {
    code: 'UNREACHABLE',
    outcome: 'not-done',
    next: 'retry',
  });
}

const keyOf = (type: AnyEntry['type'], way: ReadWay): string => `${way} ${type.name}`;

/** Returns the second of creation of an entry, by which lists are sorted; -1 if it is not known. */
function placeOf({ created = NaN, held, type }: AnyEntry): number {
  return created >= 0 ? created : ((held && createdOf(type, held.value)) ?? -1);
}

/** Returns the times of creation of the rows that the next page repeats. */
function repeatedOf({ from, seen }: Walk): readonly Ticks[] {
  // a filter "created gt" also lists the second that it names
  const after = BigInt(from - 1) * TICKS_PER_SECOND;
  return seen.filter((ticks) => ticks > after);
}

function filterOf(
  { from, to, type }: Walk,
  states: readonly string[],
  along: readonly AnyEntry[],
): string {
  const created = between(from - 1, to < Infinity ? to : undefined)!;
  const some = states.length > 0 ? `${created} and (${anyOf('state', states)})` : created;
  const ids = along.map(({ id }) => idKey(id));
  return ids.length > 0 ? `(${some}) or ${anyOf(type.watch.list!.id, ids)}` : some;
}

function ticksIn(item: unknown): Ticks {
  return ticksOf(String((item as { readonly created?: unknown }).created)) ?? 0n;
}

/** Returns the states in which a change is still expected. */
function openStatesOf({ states }: AnyEntry['type']): readonly string[] {
  return states ? Object.keys(states.transitions).filter((state) => !states.isSettled(state)) : [];
}
