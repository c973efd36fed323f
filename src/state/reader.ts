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
import { anyOf, between, readCount, type ListQuery, type Page } from '../core/lists/index.ts';
import type { Clock } from '../core/time.ts';
import { frozenCopy } from '../core/watch.ts';
import { idKey } from '../resources/resource.ts';
import {
  LAG_MS,
  type LearnedCapabilities,
  getLearnedCapabilities,
  PAGE,
} from '../resources/service-facts.ts';
import { type AnyEntry, createdOf, isSettled } from './entry.ts';
import { type Entries, findEntry, hasEntry } from './known.ts';

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

/** A page is expected to hold at most this number of entries, and leaves the rest to the next. */
const MAX_WANTED = 200;
/** The filter of a span of creation times takes the place of at most this number of ids. */
const MAX_PER_SPAN = 3;
/** From this part of a page on, nearly all of its items are watched. */
const ALL_WATCHED = 0.95;
/** At most this number of entries wait for a page. */
const MAX_DEFERRED = 25;
/** The latest page has this weight in the average number of entries in a page. */
const PAGE_SMOOTHING = 0.1;

/** A span of whole seconds since 1970, including both ends. */
type Seconds = readonly [from: number, to: number];

/** A walk reads the list of one type page by page, in the order of creation. */
export interface PageWalk {
  readonly type: AnyEntry['type'];
  /** The walk reads entries of this kind; a first read or a re-read may read any. */
  readonly kind: 'any' | 'open' | 'settled';
  /** The entries that it asks for and has not found yet, by `idKey`. */
  wanted: Map<string, AnyEntry>;
  /** It asks for what was created in this second or later. */
  readonly from: number;
  /** It asks for what was created up to this second; undefined means up to the end. */
  readonly to: number | undefined;
  /** A page that reaches the end of the list wraps around, and also asks for this span. */
  readonly wrap?: Seconds | undefined;
  /** The entries among `extras` that wait for their first read were created in this span. */
  readonly firsts?: Seconds | undefined;
  /** It asks for these states only; an empty array means all. */
  readonly states: readonly string[];
  /** The first page takes these urgent reads along: new entries by their span, others by id. */
  extras: readonly AnyEntry[];
  /** The ids of the others. */
  readonly ids: readonly string[];
  readonly reason: string;
  /** It began at this time, monotonic. */
  readonly begunAt: number;
  /** The pages that were read so far held this number of items. */
  skip: number;
  /** It continues after this second of creation; `Infinity` at the end or after a failure. */
  last: number;
}

/** A read in turn is a page of a walk, a list of ids, or a single read. */
interface TurnRead {
  readonly entries: readonly AnyEntry[];
  readonly walk?: PageWalk;
}

/** Reads entries in as few requests as it can: alone, by pages of creation times, or by ids. */
export class Reader {
  /** The way in which changes are noticed now; each request names it as a part of its reason. */
  plan: string = '';
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #report: OnResult;
  readonly #learned: LearnedCapabilities;
  readonly #entries: Entries;
  /** The average number of watched resources in a page. */
  #perPage: number = PAGE;
  /** A page that is not the last one holds this number of items. */
  #pageSize: number = PAGE;
  /** The service has not refused a list of some states. */
  #canAskForStates: boolean = true;
  /** The service has not refused a list of several spans of creation times. */
  #canAskForSpans: boolean = true;
  /** The service has not refused a list of a span of creation times together with some ids. */
  #canAskForIds: boolean = true;
  /** The next page takes the urgent reads of these entries along. */
  readonly #deferred: Set<AnyEntry> = new Set();

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
    this.#learned = getLearnedCapabilities(client);
  }

  /** Reads all of these entries at once, in as many requests as that takes. */
  async read(entries: readonly AnyEntry[]): Promise<void> {
    const rest = new Set(entries);
    const work: Promise<unknown>[] = [];
    while (rest.size > 0) work.push(this.#readFully(this.take(rest)));
    await Promise.all(work);
  }

  async #readFully(batch: readonly AnyEntry[]): Promise<void> {
    if (!(await this.readBatch(batch))) await this.read(batch);
  }

  /** One list may ask for this number of ids. */
  get width(): number {
    return this.#learned.width;
  }

  /**
   * Returns the request that reads the first of these entries, and others with it. That is a page
   * of a list in the order of creation, a list of ids, or a single read. A page continues `walk`
   * where that is of the same kind.
   */
  nextRead(oldest: readonly AnyEntry[], walk: PageWalk | undefined): TurnRead {
    const all = oldest.filter((entry) => !this.#deferred.has(entry));
    const [first] = all;
    if (!first || !this.isListed(first)) return { entries: all.slice(0, 1) };
    const kind = this.#kindOf(first);
    const alike = all.filter((entry) => entry.type === first.type && this.#kindOf(entry) === kind);
    const width = this.#learned.widthFor(alike.length);
    if (kind === 'by id' || alike.length <= width) return { entries: alike.slice(0, width) };
    const sorted = alike.toSorted((a, b) => a.created! - b.created! || a.readSentAt - b.readSentAt);
    const same = walk?.type === first.type && walk.kind === kind ? walk : undefined;
    const sameSecond =
      same?.last === same?.from ? sorted.filter((entry) => isLeft(entry, same)) : [];
    if (same && sameSecond.length > 0) {
      same.wanted = byId(sameSecond); // more than a page of them were created in one second
      return { entries: sameSecond.slice(0, PAGE), walk: same };
    }
    // a walk that has reached the end wraps around to the earliest entry
    const at = sorted.findIndex((entry) => (same ? isAhead(entry, same) : entry === first));
    const page = this.#walkFrom(sorted, Math.max(0, at), kind);
    return { entries: [...page.wanted.values()], walk: page };
  }

  /** Returns how a list asks for an entry. */
  #kindOf(entry: AnyEntry): 'by id' | 'open' | 'settled' {
    if (!this.isDated(entry)) return 'by id';
    return isSettled(entry) ? 'settled' : 'open';
  }

  /**
   * Returns a page that begins with the entry at this index and ends between two seconds, so that
   * no second is cut. It takes deferred entries along. If it reaches the end of the list with room
   * to spare, it wraps around and also asks for the earliest entries.
   */
  #walkFrom(sorted: readonly AnyEntry[], at: number, kind: 'open' | 'settled'): PageWalk {
    const { type, created: from = NaN, trigger } = sorted[at]!;
    // later pages of one second count by `skip`, which a filter of states would shift
    const isOneSecond = sorted[at + PAGE / 2]?.created === from;
    const isByState = kind === 'open' && this.#canAskForStates && !isOneSecond;
    const states = isByState ? openStatesOf(type) : [];
    const isFirst = (one: AnyEntry) => this.#isDatedFirst(one);
    const firsts = isOneSecond
      ? []
      : this.#takeDeferred((one) => one.type === type && isFirst(one));
    const others = states.length + (firsts.length > 0 ? 2 * MAX_PER_SPAN : MAX_PER_SPAN);
    const max = isOneSecond ? 0 : Math.max(0, this.width - others);
    const byIds = this.#takeDeferred((one) => one.type === type && !isFirst(one), max);
    const extras = [...firsts, ...byIds];
    const seconds = this.#secondsOf(type, isByState ? kind : undefined);
    const perPage = Math.floor(Math.min(PAGE, this.#perPage));
    const room = Math.max(1, perPage - extras.length);
    const begin = indexOfSecond(seconds, from);
    // a filter "created gt" also lists the second that it names, so each span begins one earlier
    const listed = indexOfSecond(seconds, from - 1);
    const left = seconds.length - listed;
    const isLast = left <= room;
    // where many items of others lie between, the end of a page cannot be foretold
    const isMixed = extras.length === 0 && perPage < ALL_WATCHED * this.#pageSize;
    const isOpen = isLast || isOneSecond || isMixed;
    const to = isOpen ? undefined : lastWhole(seconds, begin, listed + room);
    const earliest = sorted[0]!.created!;
    const first = indexOfSecond(seconds, earliest);
    const wrapEnd = indexOfSecond(seconds, earliest - 1) + room - left;
    const wraps = isLast && this.#canAskForSpans;
    const wrap = wraps ? lastWhole(seconds, first, Math.min(wrapEnd, begin)) : undefined;
    const isWithin = ({ created = NaN }: AnyEntry, n: number) =>
      n < at ? created <= wrap! : !(created > to!) && n < at + MAX_WANTED;
    return {
      type,
      kind,
      wanted: byId([...sorted.filter(isWithin), ...extras]),
      from,
      to,
      wrap: wrap === undefined ? wrap : [seconds[first]!, wrap],
      firsts: spanOf(firsts),
      states,
      extras,
      ids: [...byId(byIds).keys()],
      reason: `${trigger}, by pages`,
      begunAt: this.#now,
      skip: 0,
      last: from,
    };
  }

  /** Returns the sorted seconds of creation of all entries that a page may hold. */
  #secondsOf(type: AnyEntry['type'], kind: 'open' | 'settled' | undefined): Float64Array {
    const seconds: number[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.type !== type || !this.isDated(entry)) continue;
      if (kind === undefined || this.#kindOf(entry) === kind) seconds.push(entry.created!);
    }
    return Float64Array.from(seconds).sort();
  }

  /** Says whether the next page can take an entry along. */
  canDefer(entry: AnyEntry): boolean {
    return this.#isAskable(entry) && this.isListed(entry) && this.#deferred.size < MAX_DEFERRED;
  }

  /** Says whether the service has not refused what a page needs to take this entry along. */
  #isAskable(entry: AnyEntry): boolean {
    return this.#isDatedFirst(entry) ? this.#canAskForSpans : this.#canAskForIds;
  }

  /** Says whether an entry waits for its first read and its time of creation is known. */
  #isDatedFirst(entry: AnyEntry): boolean {
    return entry.readSentAt === -Infinity && this.isDated(entry);
  }

  isDeferred(entry: AnyEntry): boolean {
    return this.#deferred.has(entry);
  }

  /** Removes an entry from those that the next page takes along. */
  dismiss(entry: AnyEntry): void {
    this.#deferred.delete(entry);
  }

  /** Lets the next page of a walk take an entry along. */
  defer(entry: AnyEntry): void {
    this.#deferred.add(entry);
  }

  get hasDeferred(): boolean {
    return this.#deferred.size > 0;
  }

  /**
   * Removes and returns the deferred entries that would wait in vain: all of them after a read that
   * is no page; those of its type after a page that takes none along, as one of a single second.
   */
  takeWaiting(walk: PageWalk | undefined): readonly AnyEntry[] {
    if (walk && walk.extras.length > 0) return [];
    return this.#takeDeferred((entry) => !walk || entry.type === walk.type);
  }

  #takeDeferred(isWanted: (entry: AnyEntry) => boolean, max: number = PAGE): readonly AnyEntry[] {
    const taken = [...this.#deferred]
      .filter((entry) => isWanted(entry) && hasEntry(this.#entries, entry))
      .slice(0, max);
    for (const entry of taken) this.#deferred.delete(entry);
    return taken;
  }

  /** Returns the number of requests that read all of these entries once by id. */
  cost(entries: readonly AnyEntry[]): number {
    const listed = new Map<unknown, number>();
    let alone = 0;
    for (const entry of entries)
      if (this.isListed(entry)) listed.set(entry.type, (listed.get(entry.type) ?? 0) + 1);
      else alone += entry.rows?.requests ?? 1;
    return [...listed.values()].reduce((sum, count) => sum + Math.ceil(count / this.width), alone);
  }

  /** Returns the number of requests that read all of these entries once, mostly by pages. */
  roundCost(entries: readonly AnyEntry[]): number {
    // entries without a first read count as dated: that read brings the time of creation
    const others = entries.filter(
      (entry) => !this.isListed(entry) || (entry.created !== undefined && !this.isDated(entry)),
    );
    const dated = entries.length - others.length;
    const byPage = Math.max(this.width, Math.min(dated, this.#perPage));
    return Math.ceil(dated / byPage) + this.cost(others);
  }

  /** Says whether a list can hold an entry and its second of creation is known. */
  isDated(entry: AnyEntry): boolean {
    return entry.created! >= 0 && this.isListed(entry);
  }

  /** Says whether a list can hold an entry. */
  isListed({ type, isReadAlone }: AnyEntry): boolean {
    return this.#learned.canList && type.watch.list !== undefined && !isReadAlone;
  }

  /** Removes from a set its first entry and those that one request can read with it. */
  take(from: Set<AnyEntry>): AnyEntry[] {
    const [first] = from as Iterable<AnyEntry> as [AnyEntry];
    const batch: AnyEntry[] = [];
    const max = this.isListed(first) ? this.#learned.take(from.size) : 1;
    for (const entry of from) {
      if (batch.length === max) break;
      if (entry.type !== first.type || (max > 1 && !this.isListed(entry))) continue;
      batch.push(entry);
      from.delete(entry);
    }
    return batch;
  }

  /**
   * Removes from a set the entries that a walk in the order of creation can find, and returns the
   * walk, if one list of ids is not enough for them.
   */
  takeWalk(from: Set<AnyEntry>): PageWalk | undefined {
    const [first] = from;
    if (!first) return undefined;
    const dated = [...from].filter((entry) => entry.type === first.type && this.isDated(entry));
    if (dated.length <= this.#learned.widthFor(dated.length)) return undefined;
    for (const entry of dated) from.delete(entry);
    const seconds = dated.map((entry) => entry.created!);
    const earliest = Math.min(...seconds);
    return {
      type: first.type,
      kind: 'any',
      wanted: byId(dated),
      from: earliest,
      to: Math.max(...seconds),
      states: [],
      extras: [],
      ids: [],
      reason: `${first.trigger} of ${dated.length}`,
      begunAt: this.#now,
      skip: 0,
      last: earliest,
    };
  }

  /**
   * Reads the next page of a walk. Resolves to true when nothing is left to read, or when lists of
   * ids take fewer requests for the entries that are still wanted.
   */
  async readPage(walk: PageWalk): Promise<boolean> {
    const { type, wanted, reason, skip, extras } = walk;
    const sentAt = this.#now;
    try {
      const filter = filterOf(walk);
      const query = { filter, orderBy: 'created asc', top: PAGE, skip };
      const { page, found } = await this.#listWanted(type, wanted, query, reason);
      const { items } = page;
      const left = (readCount(page) ?? Infinity) - skip - items.length;
      const isOver = left <= 0 || items.length === 0;
      walk.skip += items.length;
      walk.last = isOver ? Infinity : (createdOf(type, items.at(-1)) ?? Infinity);
      if (!isOver) this.#pageSize = items.length;
      const expected = (this.#perPage * items.length) / this.#pageSize;
      this.#perPage += PAGE_SMOOTHING * (found.length - expected);
      // few of a full page are watched: reading these by id takes fewer requests
      if (!isOver && found.length < this.width) for (const entry of found) entry.created = NaN;
      this.#noteMissing(walk, sentAt, isOver);
      const end = walk.to ?? Infinity;
      // where a page ends before its first second, the next hundred of the same list follow
      walk.last = isOver ? (walk.wrap?.[1] ?? end) : Math.min(Math.max(walk.last, walk.from), end);
      return isOver || Math.ceil(left / PAGE) > Math.ceil(wanted.size / this.width);
    } catch (thrown) {
      const { code } = thrown as PaystateError;
      walk.last = Infinity;
      walk.extras = [];
      const defer = () => {
        for (const entry of extras) this.defer(entry);
      };
      if (isFinal(thrown as PaystateError)) {
        defer();
        if (code === 'INVALID_DATA_QUERY' && this.#suspectPart(walk)) this.#releaseDeferred(sentAt);
        else this.#learned.refuse('list'); // single reads may be allowed
        return true;
      }
      const failed = [...wanted.values()];
      wanted.clear();
      this.#fail(failed, thrown, sentAt);
      return true;
    }
  }

  /**
   * Notes which part of a filter the service refuses: the ids, several spans, or the states. Where
   * it has several, they are suspected in this order. One that is found later clears the others.
   * Returns false where the filter has none of them.
   */
  #suspectPart({ ids, wrap, firsts, states }: PageWalk): boolean {
    const isOfIds = ids.length > 0;
    const isOfSpans = !isOfIds && (wrap ?? firsts) !== undefined;
    if (!isOfIds && !isOfSpans && states.length === 0) return false;
    this.#canAskForIds = !isOfIds;
    if (!isOfIds) this.#canAskForSpans = !isOfSpans;
    if (!isOfIds && !isOfSpans) this.#canAskForStates = false;
    return true;
  }

  /** Reads alone the resources that waited for a page which can no longer ask for them. */
  #releaseDeferred(sentAt: number): void {
    for (const entry of this.#takeDeferred((one) => !this.#isAskable(one)))
      this.#report(entry, { isMissing: true }, sentAt);
  }

  /** Handles entries that the page should have held: they changed, or the copy of the data lags. */
  #noteMissing(walk: PageWalk, sentAt: number, isOver: boolean): void {
    const { wanted, last, states, extras, begunAt } = walk;
    walk.extras = [];
    for (const entry of extras) {
      if (!wanted.delete(idKey(entry.id))) continue;
      const created = entry.held && createdOf(entry.type, entry.held.value);
      // a page that ended after its place does not hold it, nor would the next one
      if (isOver || created! < last) this.#report(entry, {}, sentAt);
      else this.defer(entry);
    }
    for (const entry of wanted.values()) {
      const { created = NaN } = entry;
      if (!(created < last) || entry.readSentAt >= begunAt) continue;
      const isYoung = sentAt - entry.bornAt < 2 * LAG_MS;
      entry.created = isYoung || states.length > 0 ? undefined : NaN;
      if (states.length > 0) this.#report(entry, { isMissing: true }, sentAt);
    }
  }

  /**
   * Reads a single entry by itself, several by one list. Resolves to false if the service refuses
   * such a list, so that they have to be read in another way.
   */
  async readBatch(batch: readonly AnyEntry[]): Promise<boolean> {
    const [first] = batch as [AnyEntry];
    const { type, id, trigger } = first;
    const sentAt = this.#now;
    const read = beginRead(this.#connection);
    try {
      if (batch.length === 1) {
        const value = await type.read(read.connection, id, this.#options(trigger));
        this.#report(first, { value: frozenCopy(value), age: read.age }, sentAt);
        return true;
      }
      const wanted = byId(batch);
      const filter = anyOf(type.watch.list!.id, [...wanted.keys()]);
      const reason = `${trigger}, ${batch.length} in one list`;
      await this.#listWanted(type, wanted, { filter, top: PAGE }, reason);
      this.#learned.noteAccepted(batch.length);
      for (const entry of wanted.values()) this.#report(entry, {}, sentAt);
      return true;
    } catch (thrown) {
      const error = thrown as PaystateError;
      if (batch.length > 1 && this.#learned.noteRefused(error, batch.length)) return false;
      this.#fail(batch, error, sentAt - read.age);
      return true;
    }
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  #fail(entries: readonly AnyEntry[], thrown: unknown, sentAt: number): void {
    if (this.#signal.aborted) return;
    const error = isPaystateError(thrown) ? thrown : notRead();
    for (const entry of entries) this.#report(entry, { error }, sentAt);
  }

  /** Resolves to a page of a list, and reports no result. */
  list(
    type: AnyEntry['type'],
    where: ListQuery,
    reason: string,
    connection: Connection = this.#connection,
  ): Promise<Page<unknown>> {
    return send(connection, type.watch.list!.endpoint, { where }, this.#options(reason));
  }

  /** Reads a page of a list, reports each watched item, and removes it from `wanted`. */
  async #listWanted(
    type: AnyEntry['type'],
    wanted: Map<string, AnyEntry>,
    where: ListQuery,
    reason: string,
  ): Promise<{ readonly page: Page<unknown>; readonly found: readonly AnyEntry[] }> {
    const sentAt = this.#now;
    const read = beginRead(this.#connection);
    const page = await this.list(type, where, reason, read.connection);
    this.#learned.accept('list');
    const found: AnyEntry[] = [];
    for (const value of page.items) {
      const id = type.idOf(value);
      const entry = findEntry(this.#entries, type.name, id);
      if (!entry) continue;
      wanted.delete(idKey(id));
      found.push(entry);
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

const byId = (entries: readonly AnyEntry[]): Map<string, AnyEntry> =>
  new Map(entries.map((entry) => [idKey(entry.id), entry]));

function filterOf({ type, from, to, wrap, firsts, states, extras, ids }: PageWalk): string {
  const more = [wrap, firsts].filter((span) => span !== undefined);
  const spans = [
    between(from - 1, to === undefined ? to : to + 1)!,
    ...more.map(([first, last]) => between(first - 1, last + 1)!),
  ];
  const created = more.length > 0 ? `((${spans.join(') or (')}))` : spans[0]!;
  const some = states.length > 0 ? `${created} and (${anyOf('state', states)})` : created;
  const isAsked = extras.length > 0 && ids.length > 0;
  return isAsked ? `(${some}) or ${anyOf(type.watch.list!.id, ids)}` : some;
}

function spanOf(entries: readonly AnyEntry[]): Seconds | undefined {
  const seconds = entries.map(({ created }) => created!);
  return seconds.length > 0 ? [Math.min(...seconds), Math.max(...seconds)] : undefined;
}

/** Returns the index of the first element that is not earlier than this second. */
function indexOfSecond(seconds: Float64Array, from: number): number {
  return seconds.findIndex((second) => second >= from);
}

/** Returns the last second that lies whole between these indexes, or undefined. */
function lastWhole(seconds: Float64Array, begin: number, end: number): number | undefined {
  let last = end;
  while (last > begin && seconds[last] === seconds[last - 1]) last--;
  return last > begin ? seconds[last - 1] : undefined;
}

/** Returns the states in which a change is still expected. */
function openStatesOf({ states }: AnyEntry['type']): readonly string[] {
  return states ? Object.keys(states.transitions).filter((state) => !states.isSettled(state)) : [];
}

/** Says whether an entry comes after the latest page of a walk. */
function isAhead({ created, readSentAt }: AnyEntry, { begunAt, last }: PageWalk): boolean {
  return created! > last || (created === last && readSentAt < begunAt);
}

/** Says whether a walk is in the second of an entry and has not read it yet. */
function isLeft({ created, readSentAt }: AnyEntry, walk: PageWalk | undefined): boolean {
  return walk !== undefined && created === walk.from && readSentAt < walk.begunAt;
}
