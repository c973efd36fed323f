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
import { anyOf, readCount, type ListQuery, type Page } from '../core/lists/index.ts';
import type { Clock } from '../core/time.ts';
import { frozenCopy } from '../core/watch.ts';
import { idKey } from '../resources/resource.ts';
import {
  LAG_MS,
  type LearnedCapabilities,
  getLearnedCapabilities,
  PAGE,
} from '../resources/service-facts.ts';
import { type AnyEntry, isSettled } from './entry.ts';
import { type Entries, findEntry } from './known.ts';
import {
  filterFor,
  fitPage,
  isNew,
  newWalk,
  openStatesFor,
  findPlace,
  repeatedRows,
  type Walk,
  walkOn,
  walkTo,
} from './walk.ts';

/**
 * The result of a read for one entry. If all fields are absent, a list didn't include the entry.
 */
export interface ReadResult {
  readonly value?: unknown;
  readonly error?: PaystateError;
  /** The age of the response in milliseconds, if it came from a cache. */
  readonly age?: number;
  /**
   * Set if a list of open states didn't include the entry, in which case its state may have
   * changed.
   */
  readonly isMissing?: boolean;
}

type OnResult = (entry: AnyEntry, result: ReadResult, sentAt: number) => void;

/**
 * How an entry is read. `asked` and `turn` page through the list separately, so that requested
 * reads don't interfere with regular ones. A changed resource may no longer be open, so it's read
 * by id.
 */
export type ReadWay = 'asked' | 'turn' | 'by id';

/**
 * A single request that reads one resource, several resources by id, or the next page of a list. A
 * page can include additional entries.
 */
export interface WatchRead {
  readonly entries: readonly AnyEntry[];
  readonly walk?: Walk;
}

/**
 * The approximate number of pages over which the number of watched resources per page is averaged.
 */
const AVERAGED_PAGES = 50;
/**
 * The maximum number of filter terms for one period of creation times. A list of ids has one term
 * per id.
 */
const MAX_SPAN_TERMS = 3;
/** The maximum number of new entries that a page includes by creation time. */
const MAX_NEW = 25;
/**
 * The maximum number of rows that a page repeats instead of skipping the rows of the previous page.
 */
const MAX_REPEATED = 25;
/**
 * The pause after a failed list request, during which no list requests are sent, in milliseconds.
 * It doubles with each failure.
 */
const REST_MS = 1_000;
/** The longest pause after a failed list request, in milliseconds. */
const MAX_REST_MS = 8_000;

/**
 * Reads entries with as few requests as possible. Entries are read individually, with lists of ids,
 * or page by page.
 */
export class Reader {
  /** How changes are currently detected. It's part of each request's reason. */
  plan: string = '';
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #report: OnResult;
  readonly #onListsBack: () => void;
  readonly #learned: LearnedCapabilities;
  readonly #entries: Entries;
  readonly #walks: Map<string, Walk> = new Map();
  /** The average number of watched resources per page. */
  #perPage: number = PAGE;
  #pages: number = 1;
  #failedLists: number = 0;
  #listsRestUntil: number = -Infinity;
  /** Whether lists can be filtered by state. False once the service has refused such a list. */
  #canAskForStates: boolean = true;
  /**
   * Whether a page can cover more than one period of creation times. False once the service has
   * refused such a page.
   */
  #canTakeAlong: boolean = true;

  /**
   * `clock` is the hub's clock. `onListsBack` is called when a list request succeeds after failures.
   */
  constructor(
    client: Connection,
    clock: Clock,
    signal: AbortSignal,
    entries: Entries,
    report: OnResult,
    onListsBack: () => void,
  ) {
    this.#entries = entries;
    this.#connection = quietly(withPriority(client, 'normal'));
    this.#clock = clock;
    this.#signal = signal;
    this.#report = report;
    this.#onListsBack = onListsBack;
    this.#learned = getLearnedCapabilities(client);
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** The maximum number of ids in one list. */
  get width(): number {
    return this.#learned.width;
  }

  /** Returns whether a list can include an entry. */
  isListed({ type, isReadAlone }: AnyEntry): boolean {
    return this.#learned.canList && type.watch.list !== undefined && !isReadAlone;
  }

  /** Whether lists are paused after failures. */
  get isResting(): boolean {
    return this.#now < this.#listsRestUntil;
  }

  /**
   * Returns whether paging finds an entry. The entry must be open, and its creation time must be
   * known.
   */
  isWalked(entry: AnyEntry): boolean {
    return entry.created! >= 0 && this.isListed(entry) && !isSettled(entry);
  }

  /** Returns whether a page that may include this entry is in flight. */
  isPaging(entry: AnyEntry, way: ReadWay): boolean {
    return this.#walks.get(makeKey(entry.type, way))?.isUnderWay === true && this.isWalked(entry);
  }

  /** Returns how many requests are needed to read all of these entries once. */
  cost(entries: readonly AnyEntry[]): number {
    const listed = new Map<unknown, number>();
    let [alone, walked] = [0, 0];
    // an entry's creation time is known after its first read by id
    for (const entry of entries)
      if (this.isWalked(entry) || (entry.created === undefined && this.isListed(entry))) walked++;
      else if (!this.isListed(entry)) alone += entry.rows?.requests ?? 1;
      else listed.set(entry.type, (listed.get(entry.type) ?? 0) + 1);
    const { width } = this.#learned;
    const byPage = Math.max(width, Math.min(walked, this.#perPage));
    const byIds = [...listed.values()].reduce((sum, count) => sum + Math.ceil(count / width), 0);
    return alone + byIds + (walked > 0 ? Math.max(1, walked / byPage) : 0);
  }

  /**
   * Returns the request that reads the first of these entries, together with others. A page
   * includes as many of the entries in `along` as possible, in their order.
   */
  next(
    entries: readonly AnyEntry[],
    way: ReadWay,
    along: readonly AnyEntry[] = [],
  ): WatchRead | undefined {
    const [first] = entries;
    if (!first) return undefined;
    if (!this.isListed(first) || this.isResting) return { entries: [first] };
    const alike = entries.filter((entry) => entry.type === first.type && this.isListed(entry));
    const isWalked = this.isWalked(first);
    const kin = alike.filter((entry) => this.isWalked(entry) === isWalked);
    const width = this.#learned.widthFor(alike.length);
    if (way !== 'by id' && isWalked && kin.length > width && this.#canWalk(kin))
      return this.#nextPage(kin, way, along);
    const batch = alike.length <= width || kin.length < width ? alike : kin;
    return { entries: batch.slice(0, this.#learned.take(alike.length)) };
  }

  /** Returns whether paging takes fewer requests for these entries than lists of ids. */
  #canWalk(wanted: readonly AnyEntry[]): boolean {
    const all = this.#secondsFor(wanted[0]!.type);
    const perPage = Math.max(1, Math.floor(this.#perPage));
    const lists = Math.ceil(wanted.length / this.#learned.width);
    if (all.length <= lists * perPage) return true;
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

  /** Returns the sorted creation times, in seconds, of all entries that paging finds. */
  #secondsFor(type: AnyEntry['type']): Float64Array {
    const seconds: number[] = [];
    for (const entry of this.#entries.values())
      if (entry.type === type && this.isWalked(entry)) seconds.push(entry.created!);
    return Float64Array.from(seconds).sort();
  }

  /**
   * Returns the next page that leads to these entries, and which of the `wanted` entries it
   * includes.
   */
  #nextPage(entries: readonly AnyEntry[], way: ReadWay, wanted: readonly AnyEntry[]): WatchRead {
    const { type } = entries[0]!;
    const walk = this.#walks.get(makeKey(type, way)) ?? newWalk(type);
    this.#walks.set(makeKey(type, way), walk);
    walkTo(walk, entries, this.#now);
    // `skip` would also count the additional entries, because they're sorted by creation time too
    if (!this.#canTakeAlong || repeatedRows(walk).length > MAX_REPEATED)
      return { entries: [], walk };
    const along = wanted.filter(
      (entry) => entry.type === type && this.isListed(entry) && findPlace(entry) >= 0,
    );
    const fitting = this.#fitting(along);
    const earliest = entries.reduce((least, { created }) => Math.min(least, created!), Infinity);
    const seconds = this.#secondsFor(type);
    const content = { along: fitting, earliest, perPage: this.#perPage, seconds };
    return { entries: fitPage(walk, content), walk };
  }

  /** Returns as many of these entries as fit into a page's filter. */
  #fitting(wanted: readonly AnyEntry[]): readonly AnyEntry[] {
    if (wanted.length === 0) return [];
    const { type } = wanted[0]!;
    const news = wanted.filter(isNew).slice(0, MAX_NEW);
    const terms = openStatesFor(type).length + MAX_SPAN_TERMS * (news.length > 0 ? 2 : 1);
    const others = wanted
      .filter((entry) => !isNew(entry))
      .slice(0, Math.max(0, this.width - terms));
    return [...others, ...news];
  }

  /** Sends a request and reports the result for each entry. */
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
      this.#fail(entry, thrown, sentAt - read.age);
    }
  }

  /**
   * Reads entries with a list of their ids. If the service refuses such a list, the entries are
   * read another way later.
   */
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
      this.#failList(batch[0]!, thrown, sentAt);
    }
  }

  async #readPage(walk: Walk, along: readonly AnyEntry[], reason: string): Promise<void> {
    const { since, spans, type } = walk;
    const sentAt = this.#now;
    const states = this.#canAskForStates ? openStatesFor(type) : [];
    const isPlain = along.length === 0 && spans.length === 1;
    const repeated = isPlain ? repeatedRows(walk) : [];
    const skip = repeated.length;
    walk.isUnderWay = true;
    try {
      const filter = filterFor(walk, states, along);
      const where = { filter, orderBy: 'created asc', top: PAGE, skip };
      const { page, found } = await this.#list(type, where, `${reason}, by pages`);
      const isOver =
        (readCount(page) ?? Infinity) <= skip + page.items.length || !page.items.length;
      const ids = new Set(along.map(({ id }) => idKey(id)));
      const items = page.items.filter((item) => !ids.has(idKey(type.idOf(item))));
      const end = walkOn(walk, { items, isOver, repeated, sentAt });
      if (!isOver) this.#countPage(found);
      for (const entry of along)
        if (!found.has(entry) && findPlace(entry) < end) this.#report(entry, {}, sentAt);
      this.#noteMissing(type, { spans, end, since, sentAt, isByState: states.length > 0 });
    } catch (thrown) {
      const hasMore = !isPlain;
      this.#failPage(walk, thrown as PaystateError, {
        hasMore,
        isByState: states.length > 0,
        sentAt,
      });
    } finally {
      walk.isUnderWay = false;
    }
  }

  /**
   * Updates the average number of watched resources per page. If a page contains only a few, lists
   * of ids take fewer requests.
   */
  #countPage(found: ReadonlySet<AnyEntry>): void {
    this.#pages = Math.min(AVERAGED_PAGES, this.#pages + 1);
    this.#perPage += (found.size - this.#perPage) / this.#pages;
    if (found.size < this.#learned.width) for (const entry of found) entry.created = NaN;
  }

  /**
   * Handles entries that a page should have included. Either they've changed, or the page came from
   * a lagging replica.
   */
  #noteMissing(
    type: AnyEntry['type'],
    page: {
      readonly spans: Walk['spans'];
      /** The page includes everything that was created before this second. */
      readonly end: number;
      readonly since: number;
      readonly sentAt: number;
      readonly isByState: boolean;
    },
  ): void {
    const { spans, end, since, sentAt, isByState } = page;
    const [[begin]] = spans;
    for (const entry of [...this.#entries.values()]) {
      const { created = NaN, readSentAt, bornAt } = entry;
      const isWithin = spans.some((span) => created >= span[0] && created < span[1]);
      if (!isWithin || !(created < end) || bornAt > sentAt) continue;
      if (entry.type !== type || !this.isWalked(entry)) continue;
      if (readSentAt >= (created === begin ? since : sentAt)) continue;
      const isYoung = sentAt - bornAt < 2 * LAG_MS;
      entry.created = isYoung || isByState ? undefined : NaN;
      if (isByState) this.#report(entry, { isMissing: true }, sentAt);
    }
  }

  #failPage(
    walk: Walk,
    error: PaystateError,
    page: { readonly isByState: boolean; readonly hasMore: boolean; readonly sentAt: number },
  ): void {
    const { hasMore, isByState, sentAt } = page;
    walk.at = Infinity;
    if (isFinal(error)) {
      const isFilter = error.code === 'INVALID_DATA_QUERY';
      if (isFilter && hasMore) this.#canTakeAlong = false;
      else if (isFilter && isByState) this.#canAskForStates = false;
      else this.#learned.refuse('list'); // single reads might still be allowed
      return;
    }
    const { type, spans } = walk;
    const isFirst = (entry: AnyEntry) => entry.type === type && entry.created === spans[0][0];
    this.#failList([...this.#entries.values()].find(isFirst), error, sentAt);
  }

  /**
   * Handles a failed list request. One of its entries shows the error, because the failure isn't
   * specific to any of them. For a while, entries are read individually.
   */
  #failList(entry: AnyEntry | undefined, thrown: unknown, sentAt: number): void {
    const rest = Math.min(MAX_REST_MS, REST_MS * 2 ** this.#failedLists++);
    this.#listsRestUntil = this.#now + rest;
    if (entry) this.#fail(entry, thrown, sentAt);
  }

  #fail(entry: AnyEntry, thrown: unknown, sentAt: number): void {
    if (this.#signal.aborted) return;
    this.#report(entry, { error: isPaystateError(thrown) ? thrown : notRead() }, sentAt);
  }

  /** Reads a page of a list and reports each item that's being watched. */
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
    if (this.#failedLists > 0) this.#onListsBack();
    this.#failedLists = 0;
    return { page, found };
  }

  #options(cause: string): CallOptions {
    return { signal: this.#signal, maxAttempts: 1, reason: `${cause}, by ${this.plan}` };
  }
}

/** Creates the error for a request that was blocked by a framework. */
function notRead(): UnreachableError {
  return new UnreachableError('the read was not sent', {
    code: 'UNREACHABLE',
    outcome: 'not-done',
    next: 'retry',
  });
}

const makeKey = (type: AnyEntry['type'], way: ReadWay): string => `${way} ${type.name}`;
