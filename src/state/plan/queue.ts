import { internals } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import { idKey } from '../../resources/resource.ts';
import type { AnyEntry } from '../entry.ts';
import { hasEntry, removeEntry } from '../known.ts';
import type { PageWalk, Reader } from '../reader.ts';
import { type WatchContext, WINDOW_MS } from './planner.ts';

/** Reads that become due within this time travel together, milliseconds. */
export const GATHER_MS = 50;

/** What has to be read: at a time of its own, or as soon as the limits allow. */
export class Backlog {
  readonly due: DueTimes = new DueTimes();
  readonly pace: UrgentPace;
  readonly queue: ReadQueue;
  /** When the last request was sent, monotonic. */
  sentAt: number = -Infinity;
  /** When entries were read, or are due, because something says that they may have changed. */
  readonly #soonAt: WeakMap<AnyEntry, number> = new WeakMap();
  readonly #context: WatchContext;
  readonly #onChange: () => void;

  constructor(context: WatchContext, onChange: () => void) {
    const { client, clock, reader } = context;
    this.pace = new UrgentPace(client[internals].clock);
    this.#context = context;
    this.#onChange = onChange;
    this.queue = new ReadQueue(clock, reader, this.pace, (...enqueue) => this.during(...enqueue));
  }

  /** When something has to be read, monotonic. */
  get next(): number {
    return Math.min(this.due.next, this.queue.next);
  }

  /** Nothing waits for an urgent read. */
  get isIdle(): boolean {
    return this.queue.size === 0;
  }

  remove(entry: AnyEntry): void {
    removeEntry(this.#context.entries, entry);
    this.#context.lists?.delete(entry);
    this.queue.delete(entry);
    this.due.set(entry, Infinity);
  }

  /** Reads an entry soon: of many reasons in a base period the first one at once, the others together. */
  readSoon(entry: AnyEntry, trigger: string): void {
    const { base, clock } = this.#context;
    const now = clock.monotonic();
    const at = Math.max(now, (this.#soonAt.get(entry) ?? -Infinity) + base);
    if (at > now + base) return; // it is due already
    this.#soonAt.set(entry, at);
    if (at <= now) return this.readAfresh(entry, trigger, GATHER_MS, true);
    entry.isConfirming = true;
    entry.trigger = trigger;
    if (!entry.isReading) this.setDue(entry, Math.min(at, entry.nextReadAt));
    else entry.readAgain = trigger;
  }

  /** Lets an entry wait for a read that is sent from now on: a read under way is not enough. */
  readAfresh(...read: Parameters<Backlog['enqueue']>): void {
    const [entry, trigger] = read;
    if (entry.isReading) entry.readAgain = trigger;
    this.enqueue(...read);
  }

  /** Reads an entry at this time, unless it is read sooner. */
  setDue(entry: AnyEntry, at: number): void {
    if (!this.queue.has(entry)) this.due.set(entry, at);
    this.#onChange();
  }

  /** Lets an entry wait for a read: after those that have changed, as the limits allow. */
  enqueue(
    entry: AnyEntry,
    trigger: string,
    delay: number = 0,
    isInvalidated: boolean = false,
  ): void {
    if (entry.isReading) return;
    entry.trigger = trigger;
    this.due.set(entry, Infinity);
    if (this.#canWaitForPage(entry, isInvalidated)) this.#context.reader.defer(entry);
    else this.queue.add(entry, isInvalidated, delay);
    this.#onChange();
  }

  /** Where few requests may leave, a few urgent reads travel with the next page of a list. */
  #canWaitForPage(entry: AnyEntry, isInvalidated: boolean): boolean {
    const { outage, page, plan, reader } = this.#context;
    const { every, isInTime } = plan.turns.list;
    if (!plan.isLeast || isInTime || every === Infinity) return false;
    if (outage.isOn || page.isHidden()) return false;
    const isUrgent = isInvalidated || entry.readSentAt === -Infinity;
    return isUrgent && !entry.failures && reader.canDefer(entry);
  }

  /** Marks entries as being read while the work goes on. */
  async during(entries: readonly AnyEntry[], work: () => Promise<void>): Promise<void> {
    this.sentAt = this.#context.clock.monotonic();
    for (const entry of entries) entry.isReading = true;
    try {
      await work();
    } finally {
      for (const entry of entries) {
        const { readAgain } = entry;
        entry.isReading = false;
        entry.readAgain = undefined;
        if (readAgain && hasEntry(this.#context.entries, entry))
          this.enqueue(entry, readAgain, GATHER_MS, true);
      }
      this.#onChange();
    }
  }
}

/** Entries that are marked as being read, and the request. */
type QueuedRead = readonly [entries: readonly AnyEntry[], send: () => Promise<void>];

/** Requests under way at once. */
const MAX_CONCURRENT = 5;

/**
 * Entries that wait for an urgent read, which does not wait for their turn: first reads, changes,
 * what a gap left open. A few requests at a time, as fast as the pace allows.
 */
export class ReadQueue {
  /** Something says that they have changed: these go before all others. */
  readonly #invalidated: Set<AnyEntry> = new Set();
  /** Those that were never read: these go next. */
  readonly #first: Set<AnyEntry> = new Set();
  readonly #again: Set<AnyEntry> = new Set();
  /** Those that are read page by page. */
  #walk: PageWalk | undefined;
  #isWalkOfFirst: boolean = false;
  #isPaging: boolean = false;
  /** The last request was a page. */
  #wasPage: boolean = false;
  #underWay: number = 0;
  /** When the next request may be sent, monotonic. */
  #startAt: number = Infinity;
  readonly #clock: Clock;
  readonly #reader: Reader;
  readonly #pace: UrgentPace;
  /** Marks them as being read until the work is done. */
  readonly #during: (entries: readonly AnyEntry[], work: () => Promise<void>) => Promise<void>;

  constructor(
    clock: Clock,
    reader: Reader,
    pace: UrgentPace,
    during: (entries: readonly AnyEntry[], work: () => Promise<void>) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#reader = reader;
    this.#pace = pace;
    this.#during = during;
  }

  get size(): number {
    return this.#listed + (this.#walk ? 1 : 0);
  }

  /** How many wait for another read than a page. */
  get #listed(): number {
    return this.#invalidated.size + this.#first.size + this.#again.size;
  }

  /** When the next request may be sent, monotonic. */
  get next(): number {
    const canSend = this.#listed > 0 || !this.#isPaging;
    return this.size > 0 && this.#underWay < MAX_CONCURRENT && canSend ? this.#startAt : Infinity;
  }

  has(entry: AnyEntry): boolean {
    const isWaiting = this.#first.has(entry) || this.#again.has(entry);
    return isWaiting || this.isUrgent(entry) || this.#reader.isDeferred(entry);
  }

  /** It is read by pages now, or because something says that it has changed. */
  isUrgent(entry: AnyEntry): boolean {
    return this.#isInWalk(entry) || this.#invalidated.has(entry);
  }

  #isInWalk(entry: AnyEntry): boolean {
    return this.#walk?.wanted.get(idKey(entry.id)) === entry;
  }

  /** Reads an entry after `delay`, once. */
  add(entry: AnyEntry, isInvalidated: boolean, delay: number = 0): void {
    if (isInvalidated) {
      this.dismiss(entry);
      this.#invalidated.add(entry);
    } else if (!this.has(entry)) {
      const isFirst = entry.readSentAt === -Infinity && !entry.failures;
      (isFirst ? this.#first : this.#again).add(entry);
    }
    this.#startAt = Math.min(this.#startAt, this.#clock.monotonic() + delay);
  }

  delete(entry: AnyEntry): void {
    this.dismiss(entry);
    this.#invalidated.delete(entry);
  }

  /** Reads an entry no more, unless something says that it has changed. */
  dismiss(entry: AnyEntry): void {
    this.#first.delete(entry);
    this.#again.delete(entry);
    this.#reader.dismiss(entry);
    if (this.#isInWalk(entry)) this.#walk!.wanted.delete(idKey(entry.id));
  }

  /** Sends as many requests as may leave now. */
  run(): void {
    const now = this.#clock.monotonic();
    while (this.next <= now) {
      const delay = this.#pace.delayFor(this.#debt);
      if (delay > 0) this.#startAt = now + delay;
      else if (!this.sendOne()) return;
    }
  }

  /** How far the next read may be ahead of an even pace, requests. */
  get #debt(): number {
    if (this.#invalidated.size > 0) return 2 * MAX_DEBT;
    return this.#first.size > 0 || this.#isWalkOfFirst ? MAX_DEBT : 0;
  }

  /** Sends one request, whatever the pace says; `undefined` where none can be sent now. */
  sendOne(): Promise<void> | undefined {
    const read = this.#nextRead();
    if (!read) return undefined;
    const [entries, send] = read;
    this.#pace.noteSent(entries[0]?.rows?.requests);
    this.#underWay++;
    if (this.size === 0) this.#startAt = Infinity;
    return this.#during(entries, async () => {
      try {
        await send();
      } finally {
        this.#underWay--;
      }
    });
  }

  #nextRead(): QueuedRead | undefined {
    if (this.#invalidated.size > 0) return this.#batchOf(this.#invalidated);
    const walk = (this.#walk ??= this.#takeWalk());
    // pages and lists by turns, so that neither waits for all of the other
    this.#wasPage = walk !== undefined && (!this.#wasPage || this.#listed === 0);
    if (walk && !this.#isPaging && this.#wasPage) return [[], () => this.#readPage(walk)];
    const from = this.#first.size > 0 ? this.#first : this.#again;
    return from.size > 0 ? this.#batchOf(from) : undefined;
  }

  #takeWalk(): PageWalk | undefined {
    const walk = this.#reader.takeWalk(this.#first);
    this.#isWalkOfFirst = walk !== undefined;
    return walk ?? this.#reader.takeWalk(this.#again);
  }

  #batchOf(from: Set<AnyEntry>): QueuedRead {
    const batch = this.#reader.take(from);
    const send = async () => {
      if (await this.#reader.readBatch(batch)) return;
      for (const entry of batch) this.add(entry, from === this.#invalidated);
    };
    return [batch, send];
  }

  async #readPage(walk: PageWalk): Promise<void> {
    this.#isPaging = true;
    const isDone = await this.#reader.readPage(walk);
    this.#isPaging = false;
    if (!isDone) return;
    this.#walk = undefined;
    this.#isWalkOfFirst = false;
    for (const entry of walk.wanted.values()) this.add(entry, false);
  }
}

/** What urgent reads may be ahead of an even pace: this part of the window's requests. */
const BURST_PART = 0.2;
/** Requests that first reads may be ahead of it in any case; what has changed may be by twice as many. */
const MAX_DEBT = 10;

/**
 * The even pace of urgent reads. What lay idle in the last window may be spent at once, in part;
 * what has changed goes before all else. Counts by the machine's monotonic clock: a jump of the
 * wall clock gives no place.
 */
class UrgentPace {
  /** Requests of any window. */
  #perWindow: number = 0;
  /** Requests that may leave at once, and how many that can become. */
  #left: number = 0;
  #burst: number = 0;
  #countedAt: number = -Infinity;
  readonly #sent: number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Follows the plan; `idle`: requests of its budget that were not sent in the last window. */
  follow({ budget, urgentReads }: WatchContext['plan'], idle: number): void {
    this.#refill();
    this.#perWindow = urgentReads;
    this.#burst = Math.max(1, Math.min(budget * BURST_PART, idle) - MAX_DEBT);
    if (this.#countedAt === -Infinity) this.#left = this.#burst;
    this.#countedAt = this.#clock.monotonic();
    this.#left = Math.min(this.#left, this.#burst);
  }

  /** Urgent reads of the last window. */
  get sent(): number {
    while (this.#sent[0]! <= this.#clock.monotonic() - WINDOW_MS) this.#sent.shift();
    return this.#sent.length;
  }

  /** Milliseconds until a request may be sent that may be ahead of an even pace by `debt` requests. */
  delayFor(debt: number): number {
    this.#refill();
    const missing = 1 - this.#left - debt;
    return Math.ceil(Math.max(0, (missing * WINDOW_MS) / this.#perWindow));
  }

  /** `requests`: more than one for a list of several pages. */
  noteSent(requests: number = 1): void {
    this.#left -= requests;
    for (let n = 0; n < requests; n++) this.#sent.push(this.#clock.monotonic());
  }

  #refill(): void {
    if (this.#countedAt === -Infinity) return;
    const now = this.#clock.monotonic();
    const gained = ((now - this.#countedAt) * this.#perWindow) / WINDOW_MS;
    this.#left = Math.min(this.#burst, this.#left + gained);
    this.#countedAt = now;
  }
}

/**
 * Which entries are read when. Few times are different, for reads lie on a grid: finding what is
 * due does not look at the others.
 */
class DueTimes {
  readonly #byTime: Map<number, Set<AnyEntry>> = new Map();

  /** The earliest time, monotonic; `Infinity` where there is none. */
  get next(): number {
    return Math.min(Infinity, ...this.#byTime.keys());
  }

  /** Sets the time of an entry; `Infinity`: none. */
  set(entry: AnyEntry, at: number): void {
    const { nextReadAt } = entry;
    if (nextReadAt === at) return;
    const before = this.#byTime.get(nextReadAt);
    before?.delete(entry);
    if (before?.size === 0) this.#byTime.delete(nextReadAt);
    entry.nextReadAt = at;
    if (at === Infinity) return;
    const together = this.#byTime.get(at);
    if (together) together.add(entry);
    else this.#byTime.set(at, new Set([entry]));
  }

  /** Takes what is due at this time out. */
  take(now: number): AnyEntry[] {
    const times = [...this.#byTime.keys()].filter((at) => at <= now);
    const due = times.flatMap((at) => [...this.#byTime.get(at)!]);
    for (const entry of due) this.set(entry, Infinity);
    return due;
  }
}
