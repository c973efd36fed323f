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
import { type AnyEntry, createdOf } from './entry.ts';

/** The result of a read for one entry; neither value nor error: a list did not hold it. */
export interface ReadResult {
  readonly value?: unknown;
  readonly error?: PaystateError;
}

type OnResult = (entry: AnyEntry, result: ReadResult, sentAt: number) => void;

/** Entries that are read by the pages of one window: a few full ones. */
const MAX_PER_WINDOW = 290;
/** Entries that a page holds as long as nothing else is known. */
const INITIAL_PER_PAGE = 90;

/** Weight of the newest page in an average. */
const PAGE_SMOOTHING = 0.1;

/** Entries of one type by the time of their creation: the pages of one list hold them. */
export interface WindowRead {
  readonly type: AnyEntry['type'];
  /** By the id as the service prints it. */
  readonly wanted: Map<string, AnyEntry>;
  readonly filter: string;
  readonly reason: string;
  /** Where the next page begins. */
  skip: number;
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
  /** Wanted entries that a page of a window holds, on average. */
  #perPage: number = INITIAL_PER_PAGE;

  /** `clock`: that of the hub. */
  constructor(client: Connection, clock: Clock, signal: AbortSignal, report: OnResult) {
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
   * The first of these and others that can be read together with it: by one list, or by pages of
   * their creation, where those of one second are not parted.
   */
  firstOf(entries: readonly AnyEntry[]): AnyEntry[] {
    const [first] = entries;
    if (!first || !this.isListed(first)) return entries.slice(0, 1);
    const isDated = this.isDated(first);
    const alike = entries.filter(
      (entry) => entry.type === first.type && this.isDated(entry) === isDated,
    );
    const width = this.#learned.widthFor(alike.length);
    if (!isDated || alike.length <= width) return alike.slice(0, width);
    const later = alike
      .filter(({ created }) => created! >= first.created!)
      .sort((a, b) => a.created! - b.created!);
    const last = later[MAX_PER_WINDOW - 1]?.created ?? Infinity;
    const together = later.filter(({ created }) => created! <= last);
    return together.length > width ? together : alike.slice(0, width);
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

  /** Requests of looks at all of these, where windows of creation hold as much else as lately. */
  readCost(entries: readonly AnyEntry[]): number {
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

  /** The pages that hold those that `firstOf` has chosen; `undefined` where one request reads them. */
  openWindow(batch: readonly AnyEntry[]): WindowRead | undefined {
    const { length } = batch;
    const isPaged = length > this.#learned.widthFor(length) && this.isListed(batch[0]!);
    return isPaged ? this.#windowOf(batch) : undefined;
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
   * Takes those out of a set that pages of one window of creation may hold, where that takes fewer
   * requests than asking by id.
   */
  takeWindow(from: Set<AnyEntry>): WindowRead | undefined {
    const [first] = from;
    const dated = [...from].filter((entry) => entry.type === first!.type && this.isDated(entry));
    if (dated.length <= this.#learned.widthFor(dated.length)) return undefined;
    for (const entry of dated) from.delete(entry);
    return this.#windowOf(dated);
  }

  #windowOf(dated: readonly AnyEntry[]): WindowRead {
    const seconds = dated.map((entry) => entry.created!);
    const [low, high] = [Math.min(...seconds), Math.max(...seconds)];
    return {
      type: dated[0]!.type,
      wanted: new Map(dated.map((entry) => [idKey(entry.id), entry])),
      filter: between(low - 1, high + 2)!,
      reason: `${dated[0]!.trigger} of ${dated.length}`,
      skip: 0,
    };
  }

  /**
   * Reads the next page of a window. Resolves to true when there is no more to read, or lists by id
   * take fewer requests for what is still wanted.
   */
  async readPage(window: WindowRead): Promise<boolean> {
    const { type, wanted, filter, reason, skip } = window;
    const sentAt = this.#now;
    const before = wanted.size;
    try {
      const query = { filter, orderBy: 'created asc', top: PAGE, skip };
      const page = await this.#listWanted(type, wanted, query, reason);
      const left = (countOf(page) ?? Infinity) - skip - page.items.length;
      window.skip += page.items.length;
      this.#perPage += PAGE_SMOOTHING * (before - wanted.size - this.#perPage);
      const isOver = left <= 0 || page.items.length === 0;
      const isSparse = Math.ceil(left / PAGE) > Math.ceil(wanted.size / this.width);
      const past = isOver ? Infinity : (createdOf(type, page.items.at(-1)) ?? Infinity);
      // the list does not hold them where it should, or is behind and does not hold them yet
      for (const entry of wanted.values())
        if (entry.created! < past)
          entry.created = sentAt - entry.bornAt < 2 * LAG_MS ? undefined : NaN;
      return isOver || isSparse;
    } catch (thrown) {
      const { kind, status } = thrown as PaystateError;
      if (status === 403 && kind === 'refused') {
        this.#learned.refuse('list'); // single reads may be allowed
        return true;
      }
      const failed = [...wanted.values()];
      wanted.clear();
      this.#fail(failed, thrown as PaystateError, sentAt);
      return true;
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
      const wanted = new Map(batch.map((entry) => [idKey(entry.id), entry]));
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
   * Reads a page of a list, reports what it holds of the wanted entries, and takes that
   * out of `wanted`.
   */
  async #listWanted(
    type: AnyEntry['type'],
    wanted: Map<string, AnyEntry>,
    where: ListQuery,
    reason: string,
  ): Promise<Page<unknown>> {
    const sentAt = this.#now;
    const page = await this.list(type, where, reason);
    this.#learned.accept('list');
    for (const value of page.items) {
      const key = idKey(type.idOf(value));
      const entry = wanted.get(key);
      if (!entry) continue;
      wanted.delete(key);
      this.#report(entry, { value }, sentAt);
    }
    return page;
  }

  #options(cause: string): CallOptions {
    return { signal: this.#signal, maxAttempts: 1, reason: `${cause}, by ${this.plan}` };
  }
}
