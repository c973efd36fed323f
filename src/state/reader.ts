import type { PaystateError } from '../core/errors/index.ts';
import {
  type CallOptions,
  type Connection,
  quietly,
  send,
  withPriority,
} from '../core/http/index.ts';
import { anyOf, between, countOf, type ListQuery, type Page } from '../core/lists/index.ts';
import type { Clock } from '../core/time.ts';
import { idKey } from '../resources/resource.ts';
import {
  LAG_MS,
  type LearnedCapabilities,
  learnedCapabilitiesOf,
  PAGE,
} from '../resources/service-facts.ts';
import { type AnyEntry, createdOf, isSettled } from './entry.ts';
import { type Entries, findEntry, hasEntry } from './known.ts';

/** The result of a read for one entry; neither value nor error: a list did not hold it. */
export interface ReadResult {
  readonly value?: unknown;
  readonly error?: PaystateError;
  /** A list of those that are not settled did not hold it: it may have changed. */
  readonly isMissing?: boolean;
}

type OnResult = (entry: AnyEntry, result: ReadResult, sentAt: number) => void;

/** Those that a page may hold, or should hold where they have not changed. */
const MAX_WANTED = 200;
/** Comparisons that a span of the time of creation takes, and one more. */
const MAX_PER_SPAN = 3;
/** More than this do not wait for a page. */
const MAX_DEFERRED = 25;
/** Weight of the newest page in an average. */
const PAGE_SMOOTHING = 0.1;

/** A span of whole seconds since 1970, both included. */
type Seconds = readonly [from: number, to: number];

/** A walk through the list of one type, in the order of creation, page by page. */
export interface PageWalk {
  readonly type: AnyEntry['type'];
  /** Which of them are asked for. */
  readonly kind: 'any' | 'open' | 'settled';
  /** Those that are asked for now, by the id as the service prints it. */
  wanted: Map<string, AnyEntry>;
  /** The list is asked for those that were created between these seconds. */
  readonly from: number;
  readonly to: number | undefined;
  /** After the last of all the page begins again with the first: these seconds of creation. */
  readonly early?: Seconds | undefined;
  /** Those that wait for their first read were created in these seconds. */
  readonly fresh?: Seconds | undefined;
  /** The list is asked for these states only; empty: for all. */
  readonly states: readonly string[];
  /** Those that the first page asks for too: new ones, and others by id. */
  extras: readonly AnyEntry[];
  readonly ids: readonly string[];
  readonly reason: string;
  /** When it began, monotonic. */
  readonly begunAt: number;
  /** How many of these the pages until now have held. */
  skip: number;
  /** Second of creation of the last one that was read; `Infinity` after the last page. */
  last: number;
}

/** A read in turn: a page of a walk, a list of ids, or one by itself. */
interface TurnRead {
  readonly entries: readonly AnyEntry[];
  readonly walk?: PageWalk;
}

/** Reads entries in as few requests as it can: alone, by windows of creation, or by ids. */
export class Reader {
  /** How changes are noticed: said with each request. */
  plan: string = '';
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #report: OnResult;
  readonly #learned: LearnedCapabilities;
  readonly #entries: Entries;
  /** Watched resources that a page holds, on average. */
  #perPage: number = PAGE;
  /** The service has not refused to list some states only. */
  #canAskForStates: boolean = true;
  /** Nor to list what was created in a span, and some ids. */
  #canAskForIds: boolean = true;
  /** Those that the next page asks for by their ids. */
  readonly #deferred: Set<AnyEntry> = new Set();

  /** `clock`: that of the hub. */
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

  /** Reads all of these at once. */
  async read(entries: readonly AnyEntry[]): Promise<void> {
    const rest = new Set(entries);
    const work: Promise<unknown>[] = [];
    while (rest.size > 0) work.push(this.#whole(this.take(rest)));
    await Promise.all(work);
  }

  async #whole(batch: readonly AnyEntry[]): Promise<void> {
    if (!(await this.readBatch(batch))) await this.read(batch);
  }

  /** Ids that one list may ask for. */
  get width(): number {
    return this.#learned.width;
  }

  /**
   * The request that reads the first of these and, with it, others: a page of the list by creation
   * that begins with it, or a list of ids. `walk` goes on where it can.
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
    const crowd = same?.last === same?.from ? sorted.filter((entry) => isLeft(entry, same)) : [];
    if (same && crowd.length > 0) {
      same.wanted = byId(crowd); // more than a page was created in one second
      return { entries: crowd.slice(0, PAGE), walk: same };
    }
    // round and round: where the walk has ended, it begins again with the earliest
    const at = sorted.findIndex((entry) => (same ? isAhead(entry, same) : entry === first));
    const page = this.#walkFrom(sorted, Math.max(0, at), kind);
    return { entries: [...page.wanted.values()], walk: page };
  }

  /** How a list is asked for an entry. */
  #kindOf(entry: AnyEntry): 'by id' | 'open' | 'settled' {
    if (!this.isDated(entry)) return 'by id';
    return isSettled(entry) ? 'settled' : 'open';
  }

  /**
   * A page that begins with the one at this place, and ends between two seconds. What is deferred is
   * asked for by id; where less than a page is left, the page also holds the earliest ones.
   */
  #walkFrom(sorted: readonly AnyEntry[], at: number, kind: 'open' | 'settled'): PageWalk {
    const { type, created: from = NaN, trigger } = sorted[at]!;
    // of many of one second the later pages begin where all are listed, whatever has changed
    const isCrowd = sorted[at + PAGE / 2]?.created === from;
    const isByState = kind === 'open' && this.#canAskForStates && !isCrowd;
    const states = isByState ? openStatesOf(type) : [];
    const isFresh = (one: AnyEntry) => this.#isFresh(one);
    const fresh = isCrowd ? [] : this.#takeDeferred((one) => one.type === type && isFresh(one));
    const others = states.length + (fresh.length > 0 ? 2 * MAX_PER_SPAN : MAX_PER_SPAN);
    const most = isCrowd ? 0 : Math.max(0, this.width - others);
    const byIds = this.#takeDeferred((one) => one.type === type && !isFresh(one), most);
    const extras = [...fresh, ...byIds];
    const seconds = this.#secondsOf(type, isByState ? kind : undefined);
    const perPage = Math.floor(Math.min(PAGE, this.#perPage));
    const room = Math.max(1, perPage - extras.length);
    const begin = seconds.findIndex((second) => second >= from);
    const left = seconds.length - begin;
    const isLast = left <= room;
    const to = isLast || isCrowd ? undefined : lastWhole(seconds, begin, begin + room);
    const first = seconds.findIndex((second) => second >= sorted[0]!.created!);
    const early = isLast
      ? lastWhole(seconds, first, Math.min(first + room - left, begin))
      : undefined;
    const isWithin = ({ created = NaN }: AnyEntry, n: number) =>
      n < at ? created <= early! : !(created > to!) && n < at + MAX_WANTED;
    return {
      type,
      kind,
      wanted: byId([...sorted.filter(isWithin), ...extras]),
      from,
      to,
      early: early === undefined ? early : [seconds[first]!, early],
      fresh: spanOf(fresh),
      states,
      extras,
      ids: [...byId(byIds).keys()],
      reason: `${trigger}, by pages`,
      begunAt: this.#now,
      skip: 0,
      last: from,
    };
  }

  /** In which seconds all those that a page may hold were created, in order. */
  #secondsOf(type: AnyEntry['type'], kind: 'open' | 'settled' | undefined): Float64Array {
    const seconds: number[] = [];
    for (const entry of this.#entries.values()) {
      if (entry.type !== type || !this.isDated(entry)) continue;
      if (kind === undefined || this.#kindOf(entry) === kind) seconds.push(entry.created!);
    }
    return Float64Array.from(seconds).sort();
  }

  /** The next page can ask for it too. */
  canDefer(entry: AnyEntry): boolean {
    const isAskable = this.#canAskForIds || this.#isFresh(entry);
    return isAskable && this.isListed(entry) && this.#deferred.size < MAX_DEFERRED;
  }

  /** It waits for its first read, and its place in the list is known. */
  #isFresh(entry: AnyEntry): boolean {
    return entry.readSentAt === -Infinity && this.isDated(entry);
  }

  isDeferred(entry: AnyEntry): boolean {
    return this.#deferred.has(entry);
  }

  /** The next page does not ask for it, but for a reason of its own. */
  dismiss(entry: AnyEntry): void {
    this.#deferred.delete(entry);
  }

  /** Lets the next page of a walk ask for an entry too; `takeDeferred` takes the rest. */
  defer(entry: AnyEntry): void {
    this.#deferred.add(entry);
  }

  get hasDeferred(): boolean {
    return this.#deferred.size > 0;
  }

  /** Takes those out that no page asks for. */
  takeDeferred(): readonly AnyEntry[] {
    const all = [...this.#deferred];
    this.#deferred.clear();
    return all;
  }

  #takeDeferred(isWanted: (entry: AnyEntry) => boolean, most: number = PAGE): readonly AnyEntry[] {
    const taken = [...this.#deferred]
      .filter((entry) => isWanted(entry) && hasEntry(this.#entries, entry))
      .slice(0, most);
    for (const entry of taken) this.#deferred.delete(entry);
    return taken;
  }

  /** Requests that one read of all these by id takes. */
  cost(entries: readonly AnyEntry[]): number {
    const listed = new Map<unknown, number>();
    let alone = 0;
    for (const entry of entries)
      if (this.isListed(entry)) listed.set(entry.type, (listed.get(entry.type) ?? 0) + 1);
      else alone += entry.rows?.requests ?? 1;
    return [...listed.values()].reduce((sum, count) => sum + Math.ceil(count / this.width), alone);
  }

  /** Requests that read all of these once, where pages hold as many of them as lately. */
  roundCost(entries: readonly AnyEntry[]): number {
    // a first read says when it was made
    const others = entries.filter(
      (entry) => !this.isListed(entry) || (entry.created !== undefined && !this.isDated(entry)),
    );
    const dated = entries.length - others.length;
    const byPage = Math.max(this.width, Math.min(dated, this.#perPage));
    return Math.ceil(dated / byPage) + this.cost(others);
  }

  /** The same, and its place in a list that goes by creation is known. */
  isDated(entry: AnyEntry): boolean {
    return entry.created! >= 0 && this.isListed(entry);
  }

  /** A list can hold it. */
  isListed({ type, isReadAlone }: AnyEntry): boolean {
    return this.#learned.capabilities.list && type.watch.list !== undefined && !isReadAlone;
  }

  /** Takes what one request can read out of a set, the first of it before all. */
  take(from: Set<AnyEntry>): AnyEntry[] {
    const [first] = from as Iterable<AnyEntry> as [AnyEntry];
    const batch: AnyEntry[] = [];
    const most = this.isListed(first) ? this.#learned.take(from.size) : 1;
    for (const entry of from) {
      if (batch.length === most) break;
      if (entry.type !== first.type || (most > 1 && !this.isListed(entry))) continue;
      batch.push(entry);
      from.delete(entry);
    }
    return batch;
  }

  /**
   * Takes those out of a set that a walk through the time of their creation may find, where that
   * takes fewer requests than asking by id.
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
   * Reads the next page of a walk. Resolves to true when there is no more to read, or lists of ids
   * take fewer requests for what is still wanted.
   */
  async readPage(walk: PageWalk): Promise<boolean> {
    const { type, wanted, reason, skip, extras } = walk;
    const sentAt = this.#now;
    try {
      const filter = filterOf(walk);
      const query = { filter, orderBy: 'created asc', top: PAGE, skip };
      const { page, found } = await this.#listWanted(type, wanted, query, reason);
      const { items } = page;
      const left = (countOf(page) ?? Infinity) - skip - items.length;
      const isOver = left <= 0 || items.length === 0;
      walk.skip += items.length;
      walk.last = isOver ? Infinity : (createdOf(type, items.at(-1)) ?? Infinity);
      if (!isOver || found.length > this.#perPage)
        this.#perPage += PAGE_SMOOTHING * (found.length - this.#perPage);
      // a full page of which few are watched: ids find these in fewer requests
      if (!isOver && found.length < this.width) for (const entry of found) entry.created = NaN;
      this.#noteMissing(walk, sentAt, isOver);
      const end = walk.to ?? Infinity;
      walk.last = isOver ? (walk.early?.[1] ?? end) : Math.min(walk.last, end);
      return isOver || Math.ceil(left / PAGE) > Math.ceil(wanted.size / this.width);
    } catch (thrown) {
      const { code, kind, status } = thrown as PaystateError;
      const isRefused = kind === 'refused';
      walk.last = Infinity;
      walk.extras = [];
      const defer = () => {
        for (const entry of extras) this.defer(entry);
      };
      if (isRefused && status === 403) {
        defer();
        this.#learned.refuse('list'); // single reads may be allowed
        return true;
      }
      if (isRefused && code === 'INVALID_DATA_QUERY' && walk.ids.length + walk.states.length > 0) {
        defer();
        if (walk.ids.length > 0) this.#canAskForIds = false;
        else this.#canAskForStates = false;
        return true;
      }
      const failed = [...wanted.values()];
      wanted.clear();
      this.#fail(failed, thrown as PaystateError, sentAt);
      return true;
    }
  }

  /** The list does not hold them where it should, or is behind and does not hold them yet. */
  #noteMissing(walk: PageWalk, sentAt: number, isOver: boolean): void {
    const { wanted, last, states, extras, begunAt } = walk;
    walk.extras = [];
    for (const entry of extras)
      if (wanted.delete(idKey(entry.id))) {
        if (isOver)
          this.#report(entry, {}, sentAt); // nor does it hold the id
        else this.defer(entry); // the page ended before it
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
   * A single one is read by itself, others by one list. Resolves to false where that list is not
   * for us: they have to be read in another way.
   */
  async readBatch(batch: readonly AnyEntry[]): Promise<boolean> {
    const [first] = batch as [AnyEntry];
    const { type, id, trigger } = first;
    const sentAt = this.#now;
    try {
      if (batch.length === 1) {
        const value = await type.read(this.#connection, id, this.#options(trigger));
        this.#report(first, { value }, sentAt);
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
      this.#fail(batch, error, sentAt);
      return true;
    }
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  #fail(entries: readonly AnyEntry[], error: PaystateError, sentAt: number): void {
    if (!this.#signal.aborted) for (const entry of entries) this.#report(entry, { error }, sentAt);
  }

  /** Asks for a page of a list, and reports nothing. */
  list(type: AnyEntry['type'], where: ListQuery, reason: string): Promise<Page<unknown>> {
    return send(this.#connection, type.watch.list!.endpoint, { where }, this.#options(reason));
  }

  /**
   * Reads a page of a list, reports what it holds of all that is watched, and takes that out of
   * `wanted`.
   */
  async #listWanted(
    type: AnyEntry['type'],
    wanted: Map<string, AnyEntry>,
    where: ListQuery,
    reason: string,
  ): Promise<{ readonly page: Page<unknown>; readonly found: readonly AnyEntry[] }> {
    const sentAt = this.#now;
    const page = await this.list(type, where, reason);
    this.#learned.accept('list');
    const found: AnyEntry[] = [];
    for (const value of page.items) {
      const id = type.idOf(value);
      const entry = findEntry(this.#entries, type.name, id);
      if (!entry) continue;
      wanted.delete(idKey(id));
      found.push(entry);
      this.#report(entry, { value }, sentAt);
    }
    return { page, found };
  }

  #options(cause: string): CallOptions {
    return { signal: this.#signal, maxAttempts: 1, reason: `${cause}, by ${this.plan}` };
  }
}

const byId = (entries: readonly AnyEntry[]): Map<string, AnyEntry> =>
  new Map(entries.map((entry) => [idKey(entry.id), entry]));

function filterOf({ type, from, to, early, fresh, states, extras, ids }: PageWalk): string {
  const more = [early, fresh].filter((span) => span !== undefined);
  const spans = [
    between(from - 1, to === undefined ? to : to + 2)!,
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

/** The last second of which all are between these places; `undefined` where there is none. */
function lastWhole(seconds: Float64Array, begin: number, end: number): number | undefined {
  let last = end;
  while (last > begin && seconds[last] === seconds[last - 1]) last--;
  return last > begin ? seconds[last - 1] : undefined;
}

/** States in which something more is expected. */
function openStatesOf({ states }: AnyEntry['type']): readonly string[] {
  return states ? Object.keys(states.transitions).filter((state) => !states.isSettled(state)) : [];
}

/** The walk comes to it after its latest page. */
function isAhead({ created, readSentAt }: AnyEntry, { begunAt, last }: PageWalk): boolean {
  return created! > last || (created === last && readSentAt < begunAt);
}

/** It was created in the second that the walk is in, and the walk has not come to it yet. */
function isLeft({ created, readSentAt }: AnyEntry, walk: PageWalk | undefined): boolean {
  return walk !== undefined && created === walk.from && readSentAt < walk.begunAt;
}
