import { blockedFor, isLoginOver } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import { Alarm } from '../core/time/index.ts';
import type { WatchStatus } from '../core/watch/index.ts';
import { applyValue } from './apply-value.ts';
import type { WatchContext } from './context.ts';
import { chooseForSafety, doubt, freshnessOf, vouch } from './coverage.ts';
import { DueTimes } from './due-times.ts';
import { type AnyEntry, emit, isSettled } from './entry.ts';
import { type Entries, hasEntry, moveToEnd, removeEntry } from './entries.ts';
import { applyFailure } from './failure-policy.ts';
import { LookLimiter } from './look-limiter.ts';
import { LookQueue } from './look-queue.ts';
import { isOutage, Outage } from './outage.ts';
import { NO_PLAN, plan, type WatchPlan } from './planner.ts';
import { NEIGHBOURS, type ReadResult } from './reader.ts';
import { coverOf, nextPollAt, nextReadAt } from './schedule.ts';
import { SleepDetector } from './sleep-detector.ts';
import { SAFETY_PERIOD } from './sources/feed.ts';
import { statusOf } from './status.ts';

/** Reads that become due within this time travel together, milliseconds. */
export const GATHER = 50;
/** How often the plan is made again, milliseconds. */
const REVIEW_EVERY = 10_000;
/** A hidden page sends one request in this time at most, milliseconds. */
const HIDDEN = 60_000;

/** Decides when which entries are read, and takes the results in. Times are monotonic. */
export class Scheduler {
  readonly #context: WatchContext;
  readonly #entries: Entries;
  readonly #due: DueTimes = new DueTimes();
  readonly #limiter: LookLimiter = new LookLimiter();
  readonly #queue: LookQueue;
  readonly #outage: Outage;
  readonly #alarm: Alarm;
  readonly #sleep: SleepDetector;
  #armedAt: number = Infinity;
  #plan: WatchPlan = NO_PLAN;
  /** When the plan is made again. */
  #reviewAt: number = Infinity;
  /** When something is looked at for safety. */
  #safetyAt: number = Infinity;
  /** When the last request was sent. */
  #sentAt: number = -Infinity;
  /** The only request of an outage or of a hidden page is under way. */
  #isProbing: boolean = false;
  /** The last one of them was a poll of the feed. */
  #hasPolled: boolean = false;
  /** Values are not live although their last read succeeded. */
  #isInDoubt: boolean = false;

  constructor(context: WatchContext, entries: Entries) {
    const { clock, reader, base } = context;
    this.#context = context;
    this.#entries = entries;
    this.#queue = new LookQueue(clock, reader, this.#limiter, (...look) => this.#during(...look));
    this.#outage = new Outage(base);
    this.#alarm = new Alarm(clock, () => this.#tick());
    this.#sleep = new SleepDetector(clock);
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** A new entry waits for its first read. */
  add(entry: AnyEntry): void {
    this.#reviewAt = Math.min(this.#reviewAt, this.#now + GATHER);
    this.#look(entry, 'first read', GATHER);
    this.#rearm();
  }

  remove(entry: AnyEntry): void {
    removeEntry(this.#entries, entry);
    this.#queue.delete(entry);
    this.#due.set(entry, Infinity);
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** Reads an entry soon; once more afterwards if a read is under way. */
  readSoon(entry: AnyEntry, trigger: string): void {
    if (entry.isReading) {
      entry.readAgain = trigger;
      return;
    }
    entry.trigger = trigger;
    this.#due.set(entry, Infinity);
    this.#queue.add(entry, true, GATHER);
    this.#rearm();
  }

  /** Reads an entry at this time, unless it is read sooner. */
  setDue(entry: AnyEntry, at: number): void {
    if (!this.#queue.has(entry)) this.#due.set(entry, at);
    this.#rearm();
  }

  /** Lets an entry wait for a read: after those that have changed, as the limits allow. */
  #look(entry: AnyEntry, trigger: string, delay: number = 0): void {
    if (entry.isReading) return;
    entry.trigger = trigger;
    this.#due.set(entry, Infinity);
    this.#queue.add(entry, false, delay);
  }

  /** Changes of any entry may have gone unseen. */
  lookAtAll(trigger: string): void {
    for (const entry of this.#entries.values()) {
      if (isSettled(entry) || entry.type.watch.wokenBy === 'time') continue;
      entry.noGapSince = undefined;
      if (entry.readAt !== undefined) emit(entry, 'stale');
      this.#look(entry, trigger);
    }
    this.#rearm();
  }

  /** The page is here again: what was read within a base period is not read again. */
  wakeUp(trigger: string): void {
    const { base, feed } = this.#context;
    this.#outage.probeAt = Math.min(this.#outage.probeAt, this.#now);
    feed.wake(base);
    for (const entry of this.#entries.values()) {
      const { lookedAt = -Infinity } = entry;
      if (isSettled(entry) || coverOf(entry, this.#context) === feed) continue;
      if (this.#now - lookedAt >= base && !this.#queue.has(entry)) this.#look(entry, trigger);
    }
    this.#rearm();
  }

  /** Both clocks have moved on without us: the feed begins anew, and all is looked at once. */
  #resumeAfterSleep(): void {
    const { feed } = this.#context;
    this.#outage.end();
    if (this.#plan.byFeed) feed.start();
    this.lookAtAll('after a sleep');
  }

  /** One request at a time: the service is away, or the page is hidden. */
  get #isHeld(): boolean {
    return this.#outage.isOn || this.#context.page.isHidden();
  }

  /** When there is something to do again. */
  get #nextAt(): number {
    const { feed, page } = this.#context;
    const next = Math.min(feed.pollAt, this.#safetyAt, this.#due.next, this.#queue.next);
    if (!this.#isHeld) return next;
    if (this.#isProbing) return Infinity;
    const free = page.isHidden() ? this.#sentAt + HIDDEN : -Infinity;
    return Math.max(this.#outage.probeAt, free, this.#outage.isOn ? -Infinity : next);
  }

  #rearm(): void {
    if (this.#context.signal.aborted) return;
    const at = Math.min(this.#reviewAt, this.#nextAt);
    if (at === this.#armedAt) return;
    this.#armedAt = at;
    this.#alarm.set(at);
    this.#sleep.expect(at);
  }

  #tick(): void {
    const now = this.#now;
    this.#armedAt = Infinity;
    if (this.#sleep.hasSlept()) this.#resumeAfterSleep();
    if (this.#reviewAt <= now) this.#review();
    if (this.#nextAt <= now) {
      if (this.#isHeld) void this.#probe();
      else this.#work(now);
    }
    this.#rearm();
  }

  #work(now: number): void {
    const { feed, reader } = this.#context;
    if (feed.pollAt <= now) void this.#pollFeed();
    const polled = this.#takeDue(now);
    if (polled.length > 0) void this.#during(polled, () => reader.read(polled));
    if (this.#safetyAt <= now) this.#lookForSafety();
    this.#queue.run();
  }

  /** Takes what is due out: what fits the plan is polled at once, the others wait. */
  #takeDue(now: number): AnyEntry[] {
    const { feed } = this.#context;
    return this.#due.take(now).filter((entry) => {
      const source = coverOf(entry, this.#context);
      if (entry.isReading || (source === feed && !entry.isConfirming)) return false;
      if (source !== feed && (source || !this.#plan.inTurn || entry.type.watch.wokenBy === 'time'))
        return true;
      this.#look(entry, entry.trigger);
      return false;
    });
  }

  /** Sends one request: a poll of the feed and a read in turn. */
  async #probe(): Promise<void> {
    const now = this.#now;
    const { feed } = this.#context;
    const [first] = this.#entries.values() as Iterable<AnyEntry> as [AnyEntry];
    for (const entry of this.#due.take(now)) this.#look(entry, entry.trigger);
    const isDue = this.#outage.isOn ? this.#plan.byFeed : feed.pollAt <= now;
    const polls = isDue && !(this.#hasPolled && (this.#outage.isOn || this.#queue.size > 0));
    this.#hasPolled = false;
    this.#isProbing = true;
    if (!polls && this.#queue.size === 0 && this.#outage.isOn) this.#look(first, 'probe');
    try {
      await (polls ? this.#pollFeed() : this.#queue.sendOne());
    } finally {
      this.#isProbing = false;
      this.#rearm();
    }
  }

  /** Marks entries as being read while the work goes on. */
  async #during(entries: readonly AnyEntry[], work: () => Promise<void>): Promise<void> {
    this.#sentAt = this.#now;
    for (const entry of entries) entry.isReading = true;
    try {
      await work();
    } finally {
      for (const entry of entries) {
        const { readAgain } = entry;
        entry.isReading = false;
        entry.readAgain = undefined;
        if (readAgain && hasEntry(this.#entries, entry)) this.readSoon(entry, readAgain);
      }
      this.#rearm();
    }
  }

  /** Looks at those that were read longest ago: at all in half an hour, evenly. */
  #lookForSafety(): void {
    const batch = this.#queue.size > 0 ? [] : chooseForSafety(this.#entries, this.#context);
    for (const entry of batch) this.#look(entry, 'safety read');
    this.#safetyAt = this.#now + this.#safetyShare(batch.length || NEIGHBOURS);
  }

  /** The part of the period for looks for safety that so many entries have. */
  #safetyShare(count: number): number {
    return (SAFETY_PERIOD * Math.min(count, this.#entries.size)) / this.#entries.size;
  }

  /** Takes the result of a read in, which emits and decides when to read next. */
  apply(entry: AnyEntry, { value, error }: ReadResult, sentAt: number): void {
    if (!hasEntry(this.#entries, entry)) return;
    if (error) return this.#applyFailure(entry, error, sentAt);
    if (value === undefined) this.#readAlone(entry);
    else this.applyValue(entry, value, sentAt);
    this.#endOutage();
  }

  /** Takes a value in that was read at `sentAt`, here or elsewhere. */
  applyValue(entry: AnyEntry, value: unknown, sentAt: number): void {
    const { lookedAt = -Infinity } = entry;
    const { regressed, confirmAt } = applyValue(entry, value, sentAt, this.#context.clock);
    entry.lookedAt = Math.max(lookedAt, sentAt);
    entry.isConfirming = confirmAt !== undefined;
    moveToEnd(this.#entries, entry);
    this.setDue(entry, Math.min(confirmAt ?? Infinity, this.#nextReadAt(entry)));
    emit(entry, 'live', undefined, regressed);
  }

  #applyFailure(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    if (isOutage(error)) this.#beginOutage(error);
    if (isLoginOver(error))
      for (const other of [...this.#entries.values()]) this.#fail(other, error, sentAt);
    else this.#fail(entry, error, sentAt);
  }

  #fail(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    const ends = applyFailure(entry, error, sentAt, this.#now);
    this.setDue(entry, Math.max(this.#nextReadAt(entry), this.#now + this.#retryIn(error)));
    emit(entry, freshnessOf(error, this.#context), error);
    if (!ends) return;
    this.remove(entry); // who subscribes again on hearing the error begins anew
    for (const observer of [...entry.observers]) observer.error(error);
  }

  /** Milliseconds for which a failure asks for patience. */
  #retryIn({ retryAt = 0 }: PaystateError): number {
    const { client, clock } = this.#context;
    return Math.max(blockedFor(client, 'others'), retryAt - clock.now(), 0);
  }

  /** A list that does not hold an id says nothing about it: it is read alone. */
  #readAlone(entry: AnyEntry): void {
    entry.isReadAlone = true;
    entry.trigger = 'missing from a list';
    this.#queue.add(entry, false);
  }

  #beginOutage(error: PaystateError): void {
    const { failures } = this.#outage;
    this.#outage.begin(this.#now, this.#retryIn(error));
    if (failures > 0 && this.#outage.failures > failures) this.doubtAll(error);
  }

  /** One request has succeeded: all that failed or waited go on. */
  #endOutage(): void {
    const { failures } = this.#outage;
    if (failures === 0) return;
    this.#outage.end();
    if (failures === 1) return;
    const { feed } = this.#context;
    feed.wake();
    for (const entry of this.#entries.values())
      if (!isSettled(entry) && coverOf(entry, this.#context) !== feed)
        this.#look(entry, 'after an outage');
  }

  /** Nothing is known to be as it was last read. */
  doubtAll(error: PaystateError): void {
    this.#isInDoubt = true;
    doubt(this.#entries, error, this.#context);
  }

  #review(): void {
    const before = this.#plan;
    const { feed, reader } = this.#context;
    feed.averageChanges();
    this.#plan = plan(this.#context, before, this.#entries.values());
    this.#reviewAt = this.#now + REVIEW_EVERY;
    this.#limiter.setMost(this.#plan.looks, this.#now);
    reader.plan = this.#plan.byFeed ? feed.name : 'polling';
    this.#safetyAt = Math.min(this.#safetyAt, this.#now + this.#safetyShare(NEIGHBOURS));
    if (feed.isRetryDue && !this.#isHeld) void feed.tryAgain();
    if (this.#plan.byFeed === before.byFeed) return;
    if (this.#plan.byFeed) return feed.start();
    feed.stop();
    for (const entry of this.#entries.values())
      if (entry.nextReadAt === Infinity) this.setDue(entry, this.#nextReadAt(entry));
  }

  async #pollFeed(): Promise<void> {
    const { feed, signal } = this.#context;
    this.#sentAt = this.#now;
    this.#hasPolled = true;
    const error = await feed.poll(this.#outage.isOn);
    if (signal.aborted || !this.#plan.byFeed) return;
    feed.pollAt = Math.min(feed.pollAt, nextPollAt(this.#plan, this.#context));
    if (error) this.#failPoll(error);
    else {
      this.#endOutage();
      if (this.#isInDoubt) vouch(this.#entries, this.#context);
      this.#isInDoubt = false;
    }
    this.#rearm();
  }

  #failPoll(error: PaystateError): void {
    const { feed } = this.#context;
    if (isOutage(error)) this.#beginOutage(error);
    this.#isInDoubt = true;
    doubt(this.#entries, error, this.#context, (entry) => coverOf(entry, this.#context) === feed);
    if (!feed.isPossible) this.#review();
  }

  #nextReadAt(entry: AnyEntry): number {
    return nextReadAt(entry, this.#plan, this.#context);
  }

  statusOf(entry: AnyEntry): WatchStatus {
    return statusOf(entry, this.#context, { queue: this.#queue, outage: this.#outage });
  }
}
