import { countSent } from '../../core/http/index.ts';
import { Alarm } from '../../core/time.ts';
import { SleepDetector } from '../device.ts';
import { type AnyEntry, emit, isFinal } from '../entry.ts';
import type { PageWalk } from '../reader.ts';
import { Results } from '../results.ts';
import {
  type Access,
  ACCESSES,
  LIVE_MS,
  nextPlan,
  SLOWEST_MS,
  type WatchContext,
} from './planner.ts';
import { Backlog, GATHER_MS } from './queue.ts';
import { accessOf, listUncovered, nextOnGrid, nextPollAt } from './schedule.ts';

/** The plan is made again after this time, milliseconds. */
const REVIEW_EVERY_MS = 10_000;
/** The plan is made again after this time while urgent reads wait, milliseconds. */
const REVIEW_SOON_MS = 2_000;
/** A hidden page sends at most one request in this time, milliseconds. */
const HIDDEN_PERIOD_MS = 60_000;

/** Sends the requests of all watches when they are due. Its times are monotonic. */
export class WatchScheduler {
  readonly backlog: Backlog;
  readonly results: Results;
  readonly #context: WatchContext;
  readonly #turns: Turns;
  readonly #alarm: Alarm;
  readonly #sleep: SleepDetector;
  #armedAt: number = Infinity;
  /** The plan is made again at this time. */
  #reviewAt: number = Infinity;
  /** The single request that an outage or a hidden page allows is under way. */
  #isProbing: boolean = false;
  /** The last of these single requests was a poll. */
  #hasPolled: boolean = false;

  constructor(context: WatchContext) {
    this.#context = context;
    this.backlog = new Backlog(context, () => this.#rearm());
    this.results = new Results(context, this.backlog);
    this.#turns = new Turns(context, this.backlog);
    this.#alarm = new Alarm(context.clock, () => this.#tick());
    this.#sleep = new SleepDetector(context.clock);
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Lets a new entry wait for its first read. */
  add(entry: AnyEntry): void {
    this.#reviewAt = Math.min(this.#reviewAt, this.#now + GATHER_MS);
    this.backlog.enqueue(entry, 'first read', GATHER_MS);
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** Lets the next probe of an outage leave now, or a base period after the last request. */
  probeSoon(): void {
    const { base, outage } = this.#context;
    const at = Math.max(this.#now, this.backlog.sentAt + base);
    outage.probeAt = Math.min(outage.probeAt, at);
    this.#rearm();
  }

  /** Reads all entries that may have changed unseen, and returns them. */
  readAll(trigger: string): readonly AnyEntry[] {
    const changeable = [...this.#context.entries.values()].filter(
      (entry) => !isFinal(entry) && entry.type.watch.wokenBy !== 'time',
    );
    for (const entry of changeable) {
      entry.noGapSince = undefined;
      if (entry.readAt !== undefined) emit(entry, 'stale');
      this.backlog.readAfresh(entry, trigger);
    }
    this.#rearm();
    return changeable;
  }

  /** Reads entries after a page is visible or online again, but none twice within a base period. */
  wakeUp(trigger: string): void {
    const { base, outage, plan } = this.#context;
    outage.probeAt = Math.min(outage.probeAt, this.#now);
    plan.source?.wake(base);
    for (const entry of listUncovered(this.#context))
      if (this.#now - entry.readSentAt >= base && !this.backlog.queue.has(entry))
        this.backlog.enqueue(entry, trigger);
    this.#rearm();
  }

  /** Restarts the sources and reads all entries once, because time passed unseen. */
  #resumeAfterSleep(): void {
    const { feed, outage, plan, relay } = this.#context;
    relay?.wake();
    outage.end();
    feed.forget();
    plan.source?.start();
    this.readAll('after a sleep');
  }

  /** One request is sent at a time, because the service is away or the page is hidden. */
  get #isHeld(): boolean {
    const { outage, page } = this.#context;
    return outage.isOn || page.isHidden();
  }

  /** The feed is polled at this time; `Infinity` where the plan does not poll it. */
  get #pollAt(): number {
    return this.#context.plan.source?.pollAt ?? Infinity;
  }

  /** The next request is due at this time. */
  get #nextAt(): number {
    const { outage, page } = this.#context;
    const next = Math.min(this.#pollAt, this.#turns.next, this.backlog.next);
    if (!this.#isHeld) return next;
    if (this.#isProbing) return Infinity;
    const free = page.isHidden() ? this.backlog.sentAt + HIDDEN_PERIOD_MS : -Infinity;
    return Math.max(outage.probeAt, free, outage.isOn ? -Infinity : next);
  }

  #rearm(): void {
    if (this.#context.signal.aborted) return;
    const at = Math.min(this.#reviewAt, this.results.ageAt, this.#nextAt);
    if (at === this.#armedAt) return;
    this.#armedAt = at;
    this.#alarm.set(at);
    this.#sleep.expect(at);
  }

  #tick(): void {
    const now = this.#now;
    this.#armedAt = Infinity;
    if (this.#sleep.hasSlept()) this.#resumeAfterSleep();
    if (this.results.ageAt <= now) this.results.ageOut();
    if (this.#reviewAt <= now) this.#review();
    if (this.#nextAt <= now) {
      if (this.#isHeld) void this.#probe();
      else this.#work(now);
    }
    this.#rearm();
  }

  #work(now: number): void {
    const { reader } = this.#context;
    if (this.#pollAt <= now) void this.#poll();
    const polled = this.#takeDue(now);
    if (polled.length > 0) void this.backlog.during(polled, () => reader.read(polled));
    this.#turns.run(now);
    this.backlog.queue.run();
  }

  /** Returns due entries that only time changes. The other due ones wait for urgent reads. */
  #takeDue(now: number): AnyEntry[] {
    return this.backlog.due.take(now).filter((entry) => {
      if (entry.isReading) return false;
      if (entry.type.watch.wokenBy === 'time') return true;
      // a gap in the feed may concern all entries, which pages read together
      const isUrgent = entry.isConfirming && entry.announced?.changes !== 0;
      this.backlog.enqueue(entry, entry.trigger, 0, isUrgent);
      return false;
    });
  }

  /** Sends one request. Polls and reads alternate. */
  async #probe(): Promise<void> {
    const { outage, entries } = this.#context;
    const { queue, due } = this.backlog;
    this.#isProbing = true;
    for (const entry of due.take(this.#now)) this.backlog.enqueue(entry, entry.trigger);
    if (!outage.isOn && queue.size === 0)
      for (const access of ACCESSES)
        for (const entry of this.#turns.nextOf(access)) this.backlog.enqueue(entry, 'regular read');
    const [first] = entries.values();
    const polls = this.#isPollNext();
    this.#hasPolled = false;
    if (outage.isOn && !polls && queue.size === 0 && first) this.backlog.enqueue(first, 'probe');
    const sent = polls ? this.#poll() : queue.sendOne();
    if (!sent) this.#postpone(); // all entries are being read
    await sent;
    // the result did not end the outage, and the next probe must not follow at once
    if (outage.isOn && outage.probeAt <= this.#now) this.#postpone();
    this.#isProbing = false;
    this.#rearm();
  }

  #postpone(): void {
    this.backlog.sentAt = this.#now;
    this.#context.outage.probeAt = this.#now + this.#context.base;
  }

  #isPollNext(): boolean {
    const { outage, plan } = this.#context;
    if (outage.isOn) return plan.source !== undefined && !this.#hasPolled;
    const isDue = this.#pollAt <= this.#now;
    return isDue && !(this.#hasPolled && this.backlog.queue.size > 0);
  }

  #review(): void {
    const context = this.#context;
    const { client, plan: before, feed, reader } = context;
    feed.averageChanges();
    const { pace, queue } = this.backlog;
    const plan = (context.plan = nextPlan(context, pace.sent));
    const { budget, source, turns } = plan;
    this.#reviewAt = this.#now + (queue.size > 0 ? REVIEW_SOON_MS : REVIEW_EVERY_MS);
    pace.follow(plan, budget - countSent(client, 'others', 'normal').length);
    reader.plan = source?.name ?? 'polling';
    const isLate = !turns.list.isInTime || !turns.single.isInTime;
    if (feed.isRetryDue(isLate) && !this.#isHeld) void this.#tryFeed();
    if (source === before.source) return;
    before.source?.stop();
    source?.start();
  }

  async #tryFeed(): Promise<void> {
    await this.#context.feed.tryAgain();
    if (!this.#context.signal.aborted) this.#review();
    this.#rearm();
  }

  async #poll(): Promise<void> {
    const { outage, plan, signal } = this.#context;
    const source = plan.source!;
    this.backlog.sentAt = this.#now;
    this.#hasPolled = true;
    const wasLive = source.isLive;
    const error = await source.poll(outage.isOn);
    if (signal.aborted || this.#context.plan.source !== source) return;
    source.pollAt = Math.min(source.pollAt, nextPollAt(this.#context, error !== undefined));
    if (error) this.results.failPoll(error);
    else this.results.applyPoll();
    if (!source.isPossible || (!wasLive && source.isLive)) this.#review();
    this.#rearm();
  }
}

/** An entry that was read within this part of the base period is not read in turn. */
const JUST_READ_PART = 0.25;
/** An entry that was read within this part of a round is not read in turn either. */
const READ_THIS_ROUND_PART = 0.33;
/** A value is read ahead of the even pace when it is live for only this time, milliseconds. */
const READ_BEFORE_END_MS = 2_500;
/** At least this time lies between two requests that are ahead of the pace, milliseconds. */
const MIN_EARLY_GAP_MS = 500;

/**
 * Reads all that is watched in turn, at an even pace. Each request reads the entry that was read
 * longest ago and those that can be read with it. Times are monotonic milliseconds.
 */
class Turns {
  /** The last request was sent at this time, or should have been, where it was sent early. */
  readonly #sentAt: Record<Access, number>;
  /** The oldest of the entries that the next request reads was read at this time. */
  readonly #oldestAt: Record<Access, number> = { list: Infinity, single: Infinity };
  /** The next page may continue this walk through a list. */
  #walk: PageWalk | undefined;
  #isPaging: boolean = false;
  readonly #context: WatchContext;
  readonly #backlog: Backlog;

  constructor(context: WatchContext, backlog: Backlog) {
    const { base, clock, phase } = context;
    const at = nextOnGrid(clock.monotonic(), base, phase) - base;
    this.#context = context;
    this.#backlog = backlog;
    this.#sentAt = { list: at, single: at };
  }

  /** The next request is due at this time. */
  get next(): number {
    return Math.min(...ACCESSES.map((access) => this.#dueAt(access)));
  }

  #dueAt(access: Access): number {
    const { isMany, turns } = this.#context.plan;
    const { busyEvery, every, isInTime } = turns[access];
    const isList = access === 'list';
    const hasDeferred = isList && this.#context.reader.hasDeferred;
    if ((isList && this.#isPaging) || (every === Infinity && !hasDeferred)) return Infinity;
    const sentAt = this.#sentAt[access];
    const period = this.#backlog.isIdle ? every : busyEvery;
    // urgent reads that wait for a page make it early, and the page after it waits for longer
    const evenly = hasDeferred ? sentAt : sentAt + period;
    if (!isInTime || isMany) return evenly;
    return Math.min(
      evenly,
      Math.max(sentAt + MIN_EARLY_GAP_MS, this.#oldestAt[access] + LIVE_MS - READ_BEFORE_END_MS),
    );
  }

  /** Sends the requests that are due. */
  run(now: number): void {
    for (const access of ACCESSES) if (this.#dueAt(access) <= now) this.#readNext(access, now);
  }

  #readNext(access: Access, now: number): void {
    const { plan, reader } = this.#context;
    const { hasDeferred } = reader;
    const { every } = plan.turns[access];
    // the request after an early one still leaves within `SLOWEST_MS`
    const ahead = Math.min(this.#sentAt[access] + every, now + SLOWEST_MS - every);
    this.#sentAt[access] = hasDeferred ? Math.max(now, ahead) : now;
    this.#oldestAt[access] = now;
    const oldest = this.#oldestOf(access);
    const { entries, walk } = reader.nextRead(oldest, this.#walk);
    for (const entry of reader.takeWaiting(walk)) this.#backlog.queue.add(entry, true);
    if (entries.length === 0) return;
    const read = new Set(entries);
    this.#oldestAt[access] = oldest.find((entry) => !read.has(entry))?.readSentAt ?? now;
    const { requests = 1 } = entries[0]!.rows ?? {};
    this.#sentAt[access] += (requests - 1) * every;
    for (const entry of entries) {
      if (entry.rows) this.#backlog.queue.delete(entry);
      else this.#backlog.queue.dismiss(entry);
    }
    this.#walk = walk ?? this.#walk;
    if (walk) this.#readPage(walk);
    else void this.#backlog.during(entries, async () => void (await reader.readBatch(entries)));
  }

  #readPage(walk: PageWalk): void {
    this.#isPaging = true;
    void this.#backlog.during([], async () => {
      await this.#context.reader.readPage(walk);
      this.#isPaging = false;
    });
  }

  /** Returns the entries that the next request reads: those that were read longest ago. */
  nextOf(access: Access): readonly AnyEntry[] {
    return this.#context.reader.nextRead(this.#oldestOf(access), undefined).entries;
  }

  #oldestOf(access: Access): AnyEntry[] {
    const { base, plan } = this.#context;
    const pause = base * JUST_READ_PART;
    const inRound = plan.turns[access].round * READ_THIS_ROUND_PART;
    const oldest = this.#readBefore(access, Math.max(pause, inRound));
    // lists keep their rate also where most entries were read lately; all reads do while idle
    const isEnough = oldest.length > 0 || (access === 'single' && !this.#backlog.isIdle);
    return isEnough ? oldest : this.#readBefore(access, pause);
  }

  /** Returns the entries that were read more than `ms` ago, the oldest read first. */
  #readBefore(access: Access, ms: number): AnyEntry[] {
    const { clock, entries } = this.#context;
    const latest = clock.monotonic() - ms;
    const oldest: AnyEntry[] = [];
    for (const entry of entries.values()) {
      if (entry.readSentAt > latest || !this.#isRead(entry)) continue;
      if (accessOf(entry, this.#context) === access) oldest.push(entry);
    }
    return oldest;
  }

  /** Says whether an entry is read in turn, and not under way or due for another reason. */
  #isRead(entry: AnyEntry): boolean {
    const { isReading, failures, readSentAt, type } = entry;
    const isFirst = readSentAt === -Infinity; // it waits for an urgent read instead
    if (isReading || failures || isFirst || isFinal(entry)) return false;
    const { base, clock, relay } = this.#context;
    const now = clock.monotonic();
    const isLeftToRelay = (relay?.nextReadAt(entry) ?? -Infinity) > now;
    const isDueSoon = entry.nextReadAt < now + base;
    if (type.watch.wokenBy === 'time' || isLeftToRelay || isDueSoon) return false;
    // a list keeps its turn while it waits for an urgent read, because any event may concern it
    return entry.rows !== undefined || !this.#backlog.queue.isUrgent(entry);
  }
}
