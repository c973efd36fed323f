import { internals } from '../../core/http/index.ts';
import type { Clock } from '../../core/time.ts';
import { idKey } from '../../resources/resource.ts';
import type { AnyEntry } from '../entry.ts';
import { hasEntry, removeEntry } from '../known.ts';
import type { PageWalk, Reader } from '../reader.ts';
import { type WatchContext, WINDOW_MS } from './planner.ts';

/** Reads that become due within this time are sent together, milliseconds. */
export const GATHER_MS = 50;

/** Holds the entries that have to be read at a set time, or as soon as the limits allow. */
export class Backlog {
  readonly due: DueTimes = new DueTimes();
  readonly pace: UrgentPace;
  readonly queue: ReadQueue;
  /** The last request was sent at this time, monotonic. */
  sentAt: number = -Infinity;
  /** The last read that `readSoon` asked for was or is due at this time, monotonic. */
  readonly #soonAt: WeakMap<AnyEntry, number> = new WeakMap();
  readonly #context: WatchContext;
  readonly #onChange: () => void;

  constructor(context: WatchContext, onChange: () => void) {
    const { client, clock, reader } = context;
    this.pace = new UrgentPace(client[internals].clock);
    this.#context = context;
    this.#onChange = onChange;
    this.queue = new ReadQueue(clock, reader, this.pace, (...read) => this.during(...read));
  }

  /** The next read is due at this time, monotonic. */
  get next(): number {
    return Math.min(this.due.next, this.queue.next);
  }

  /** No entry waits for an urgent read. */
  get isIdle(): boolean {
    return this.queue.size === 0;
  }

  remove(entry: AnyEntry): void {
    removeEntry(this.#context.entries, entry);
    this.#context.lists?.delete(entry);
    this.queue.delete(entry);
    this.due.set(entry, Infinity);
  }

  /** Reads an entry at once. Further requests for it within a base period share one more read. */
  readSoon(entry: AnyEntry, trigger: string): void {
    const { base, clock } = this.#context;
    const now = clock.monotonic();
    const at = Math.max(now, (this.#soonAt.get(entry) ?? -Infinity) + base);
    if (at > now + base) return; // the shared read is due already
    this.#soonAt.set(entry, at);
    if (at <= now) return this.readAfresh(entry, trigger, GATHER_MS, true);
    entry.isConfirming = true;
    entry.trigger = trigger;
    if (!entry.isReading) this.setDue(entry, Math.min(at, entry.nextReadAt));
    else entry.readAgain = trigger;
  }

  /** Lets an entry wait for a read that is sent after this call: a read under way is not enough. */
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

  /**
   * Lets an entry wait for an urgent read, which is sent when the limits allow. Entries with
   * `isInvalidated`, which are known to have changed, go first.
   */
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

  /** The next page takes a few urgent reads along where watching has only its minimum. */
  #canWaitForPage(entry: AnyEntry, isInvalidated: boolean): boolean {
    const { outage, page, plan, reader } = this.#context;
    if (!plan.isLeast || plan.turns.list.every === Infinity) return false;
    if (outage.isOn || page.isHidden()) return false;
    const isUrgent = isInvalidated || entry.readSentAt === -Infinity;
    return isUrgent && reader.canDefer(entry);
  }

  /**
   * Reads an entry with the next page, which leaves at once, or by a request of its own where there
   * are more of these than pages need.
   */
  readWithPage(entry: AnyEntry): void {
    const { base, outage, page, plan, reader } = this.#context;
    const isPlenty = plan.turns.list.round <= base || outage.isOn || page.isHidden();
    if (isPlenty || !reader.canDefer(entry)) return this.enqueue(entry, entry.trigger, 0, true);
    reader.defer(entry);
    this.#onChange();
  }

  /** Marks entries as being read until the work is done. */
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

/** The entries of a read, which are marked as being read, and the function that sends it. */
type QueuedRead = readonly [entries: readonly AnyEntry[], send: () => Promise<void>];

/** At most this number of urgent reads are under way at once. */
const MAX_CONCURRENT = 5;

/**
 * Holds the entries that wait for an urgent read, in this order: entries that have changed, first
 * reads, re-reads such as those after a gap. It sends a few requests at a time, as fast as the pace
 * allows, and does not wait for the turn of an entry.
 */
export class ReadQueue {
  /** These entries are known to have changed, and are read first. */
  readonly #invalidated: Set<AnyEntry> = new Set();
  /** These entries were never read, and are read next. */
  readonly #first: Set<AnyEntry> = new Set();
  /** These entries are read again, for example after a gap or an outage, and come last. */
  readonly #rereads: Set<AnyEntry> = new Set();
  /** This walk reads many of the waiting entries, page by page. */
  #walk: PageWalk | undefined;
  #isWalkOfFirst: boolean = false;
  #isPaging: boolean = false;
  /** The last request read a page of the walk. */
  #wasPage: boolean = false;
  #underWay: number = 0;
  /** The next request may be sent at this time, monotonic. */
  #startAt: number = Infinity;
  readonly #clock: Clock;
  readonly #reader: Reader;
  readonly #pace: UrgentPace;
  /** This function marks entries as being read until the work is done. */
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
    return this.#waiting + (this.#walk ? 1 : 0);
  }

  /** This number of entries wait for a read that is not a page of the walk. */
  get #waiting(): number {
    return this.#invalidated.size + this.#first.size + this.#rereads.size;
  }

  /** The next request may be sent at this time, monotonic; `Infinity` where none can. */
  get next(): number {
    const canSend = this.#waiting > 0 || !this.#isPaging;
    return this.size > 0 && this.#underWay < MAX_CONCURRENT && canSend ? this.#startAt : Infinity;
  }

  has(entry: AnyEntry): boolean {
    const isWaiting = this.#first.has(entry) || this.#rereads.has(entry);
    return isWaiting || this.isUrgent(entry) || this.#reader.isDeferred(entry);
  }

  /** The entry is in the walk, or is known to have changed. */
  isUrgent(entry: AnyEntry): boolean {
    return this.#isInWalk(entry) || this.#invalidated.has(entry);
  }

  #isInWalk(entry: AnyEntry): boolean {
    return this.#walk?.wanted.get(idKey(entry.id)) === entry;
  }

  /** Lets an entry wait for one read, which is sent after `delay` milliseconds at the earliest. */
  add(entry: AnyEntry, isInvalidated: boolean, delay: number = 0): void {
    if (isInvalidated) {
      this.dismiss(entry);
      this.#invalidated.add(entry);
    } else if (!this.has(entry)) {
      const isFirst = entry.readSentAt === -Infinity && !entry.failures;
      (isFirst ? this.#first : this.#rereads).add(entry);
    }
    this.#startAt = Math.min(this.#startAt, this.#clock.monotonic() + delay);
  }

  delete(entry: AnyEntry): void {
    this.dismiss(entry);
    this.#invalidated.delete(entry);
  }

  /** Removes an entry, unless it is known to have changed. */
  dismiss(entry: AnyEntry): void {
    this.#first.delete(entry);
    this.#rereads.delete(entry);
    this.#reader.dismiss(entry);
    if (this.#isInWalk(entry)) this.#walk!.wanted.delete(idKey(entry.id));
  }

  /** Sends all requests that may be sent now. */
  run(): void {
    const now = this.#clock.monotonic();
    while (this.next <= now) {
      const delay = this.#pace.delayFor(this.#maxAhead);
      if (delay > 0) this.#startAt = now + delay;
      else if (!this.sendOne()) return;
    }
  }

  /** The next read may be ahead of the even pace by this number of requests. */
  get #maxAhead(): number {
    if (this.#invalidated.size > 0) return 2 * MAX_AHEAD_REQUESTS;
    return this.#first.size > 0 || this.#isWalkOfFirst ? MAX_AHEAD_REQUESTS : 0;
  }

  /** Sends one request without regard to the pace; returns undefined if there is none to send. */
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
    // pages and lists alternate, so that neither has to wait until the other is done
    this.#wasPage = walk !== undefined && (!this.#wasPage || this.#waiting === 0);
    if (walk && !this.#isPaging && this.#wasPage) return [[], () => this.#readPage(walk)];
    const from = this.#first.size > 0 ? this.#first : this.#rereads;
    return from.size > 0 ? this.#batchOf(from) : undefined;
  }

  #takeWalk(): PageWalk | undefined {
    const walk = this.#reader.takeWalk(this.#first);
    this.#isWalkOfFirst = walk !== undefined;
    return walk ?? this.#reader.takeWalk(this.#rereads);
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

/** Urgent reads may burst by at most this part of the requests that watching has in a window. */
const MAX_BURST_PART = 0.2;
/**
 * First reads may always be ahead of the even pace by this number of requests, and reads of what
 * has changed by twice this number. Re-reads may not.
 */
const MAX_AHEAD_REQUESTS = 10;

/**
 * Spaces urgent reads evenly. A part of the requests that lay idle in the last window may be spent
 * at once, as a burst. It counts by the machine's monotonic clock, so that a jump of the wall clock
 * adds no requests.
 */
class UrgentPace {
  /** Urgent reads may take this number of requests a window. */
  #perWindow: number = 0;
  /** This number of requests may be sent at once; below 0 the reads are ahead of the even pace. */
  #credit: number = 0;
  /** The number that may be sent at once grows up to this one. */
  #maxCredit: number = 0;
  #countedAt: number = -Infinity;
  readonly #sent: number[] = [];
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Follows the plan. `idle` requests of its budget were not sent in the last window. */
  follow({ budget, urgentReads }: WatchContext['plan'], idle: number): void {
    this.#refill();
    this.#perWindow = urgentReads;
    this.#maxCredit = Math.max(1, Math.min(budget * MAX_BURST_PART, idle) - MAX_AHEAD_REQUESTS);
    if (this.#countedAt === -Infinity) this.#credit = this.#maxCredit;
    this.#countedAt = this.#clock.monotonic();
    this.#credit = Math.min(this.#credit, this.#maxCredit);
  }

  /** Urgent reads took this number of requests in the last window. */
  get sent(): number {
    while (this.#sent[0]! <= this.#clock.monotonic() - WINDOW_MS) this.#sent.shift();
    return this.#sent.length;
  }

  /** Returns how long a read must wait that may be `maxAhead` requests early, milliseconds. */
  delayFor(maxAhead: number): number {
    this.#refill();
    const missing = 1 - this.#credit - maxAhead;
    return Math.ceil(Math.max(0, (missing * WINDOW_MS) / this.#perWindow));
  }

  /** Counts a read, which takes several requests where a watched list has several pages. */
  noteSent(requests: number = 1): void {
    this.#credit -= requests;
    for (let n = 0; n < requests; n++) this.#sent.push(this.#clock.monotonic());
  }

  #refill(): void {
    if (this.#countedAt === -Infinity) return;
    const now = this.#clock.monotonic();
    const gained = ((now - this.#countedAt) * this.#perWindow) / WINDOW_MS;
    this.#credit = Math.min(this.#maxCredit, this.#credit + gained);
    this.#countedAt = now;
  }
}

/**
 * Holds the times at which entries are read. Reads lie on a grid, so that there are few different
 * times, and finding what is due does not visit the other entries.
 */
class DueTimes {
  readonly #byTime: Map<number, Set<AnyEntry>> = new Map();

  /** The earliest of the times, monotonic; `Infinity` where there is none. */
  get next(): number {
    return Math.min(Infinity, ...this.#byTime.keys());
  }

  /** Sets the time of an entry; `Infinity` removes it. */
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

  /** Removes and returns the entries that are due at this time. */
  take(now: number): AnyEntry[] {
    const times = [...this.#byTime.keys()].filter((at) => at <= now);
    const due = times.flatMap((at) => [...this.#byTime.get(at)!]);
    for (const entry of due) this.set(entry, Infinity);
    return due;
  }
}
