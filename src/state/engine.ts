import { internals, placeHere, countSent } from '../core/http/index.ts';
import { Alarm } from '../core/time.ts';
import { AskedReads, GATHER_MS, isUrgent } from './asked.ts';
import { SleepDetector } from './device.ts';
import { type AnyEntry, emit, isAtRest } from './entry.ts';
import { isConfirmed, listUncovered, liveFor, nextOnGrid, nextPollAt } from './freshness.ts';
import { MAX_AHEAD, Planner, AskedPace, rereadAfter, type WatchContext } from './plan.ts';
import type { ReadWay, WatchRead } from './reads.ts';
import { Results } from './results.ts';

/**
 * How often the plan is recomputed and the hub's share of the rate limit is renewed, in
 * milliseconds.
 */
const PLAN_EVERY_MS = 2_000;
/** The period in which a hidden page sends at most one request, in milliseconds. */
const HIDDEN_PERIOD_MS = 60_000;
/** The maximum number of requested reads in flight. */
const MAX_CONCURRENT = 5;
/**
 * When hardly any requests are left, one regular read follows after this many requested reads.
 * Without the event feed, which reports what has changed, a regular read follows each requested
 * one.
 */
const MAX_PLACES_TAKEN = 3;
/**
 * When few requests are left, list pages also include first reads if no more than this many are
 * waiting.
 */
const MAX_RIDERS = 40;
/**
 * First reads are only included in a list page if they make up at most this fraction of all
 * entries. At the start, when most entries are new, regular pages read more of them.
 */
const MAX_NEW_PART = 0.1;
/**
 * A regular read is sent early if a value would stop being live within this time, in milliseconds.
 */
const EARLY_BEFORE_END_MS = 2_500;
/** The longest time until the next regular read if there's no event feed, in milliseconds. */
const LONGEST_PAUSE_MS = 18_000;
/** The minimum time between a regular read and one that's sent early, in milliseconds. */
const MIN_EARLY_GAP_MS = 500;
/** Regular reads skip an entry that was read within this fraction of the base period. */
const JUST_READ_PART = 0.25;
/**
 * While requested reads are waiting, regular reads also skip a single entry that was read within
 * this fraction of a round.
 */
const READ_THIS_ROUND_PART = 0.33;

/**
 * Sends the requests for all watches when they're due, in a single loop that wakes up at the
 * earliest scheduled time. Times are in milliseconds on the monotonic clock.
 */
export class Engine {
  readonly asked: AskedReads;
  readonly results: Results;
  readonly #context: WatchContext;
  readonly #signal: AbortSignal;
  readonly #pace: AskedPace;
  readonly #planner: Planner;
  readonly #alarm: Alarm;
  readonly #sleep: SleepDetector;
  #armedAt: number = Infinity;
  /** When the plan is recomputed next. */
  #planAt: number = Infinity;
  #isTurnUnderWay: boolean = false;
  /**
   * When the last regular read was sent. If that read was sent early, this is the time it was
   * scheduled for.
   */
  #turnSentAt: number;
  /** When the least recently read value must be read again to stay live. */
  #oldestEndsAt: number = Infinity;
  /** The number of consecutive requested reads that replaced a regular read. */
  #placesTaken: number = 0;
  /** The number of requested reads in flight. */
  #underWay: number = 0;
  /** Whether the only request allowed during an outage or on a hidden page is in flight. */
  #isProbing: boolean = false;
  /** Whether the last request during an outage or on a hidden page was a poll. */
  #hasPolled: boolean = false;

  /** `signal` aborts when the last watch ends. */
  constructor(context: WatchContext, signal: AbortSignal) {
    const { base, client, clock, phase } = context;
    this.#context = context;
    this.#signal = signal;
    this.asked = new AskedReads(context, () => this.#rearm());
    this.results = new Results(context, this.asked);
    this.#pace = new AskedPace(client[internals].clock);
    this.#planner = new Planner(context, this.#pace);
    this.#alarm = new Alarm(clock, () => this.#tick());
    this.#sleep = new SleepDetector(clock);
    this.#turnSentAt = nextOnGrid(clock.monotonic(), base, phase) - base;
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Adds a new entry and requests its first read. */
  add(entry: AnyEntry): void {
    this.#planAt = Math.min(this.#planAt, this.#now + GATHER_MS);
    this.asked.ask(entry, 'first read', 'first', GATHER_MS);
  }

  stop(): void {
    this.#alarm.stop();
  }

  /**
   * Sends the next probe of an outage right away, but not within a base period after the last
   * request.
   */
  probeSoon(): void {
    const { base, outage } = this.#context;
    const at = Math.max(this.#now, this.asked.sentAt + base);
    outage.probeAt = Math.min(outage.probeAt, at);
    this.#rearm();
  }

  /** Requests a read of all entries that may have changed without notice, and returns them. */
  readAll(trigger: string): readonly AnyEntry[] {
    const changeable = [...this.#context.entries.values()].filter(
      (entry) => !isAtRest(entry) && entry.type.watch.wokenBy !== 'time',
    );
    for (const entry of changeable) {
      entry.noGapSince = undefined;
      if (entry.readAt !== undefined) emit(entry, 'stale');
      this.asked.ask(entry, trigger, 'again', 0, true);
    }
    return changeable;
  }

  /**
   * Reads entries after the page becomes visible or comes back online. Skips entries that were read
   * within the last base period.
   */
  wakeUp(trigger: string): void {
    const { base, outage, plan } = this.#context;
    outage.probeAt = Math.min(outage.probeAt, this.#now);
    plan.source?.wake(base);
    for (const entry of listUncovered(this.#context))
      if (this.#now - entry.readSentAt >= base && !this.asked.has(entry))
        this.asked.ask(entry, trigger, 'again');
    this.#rearm();
  }

  /**
   * Restarts the sources and reads all entries once, because changes may have been missed while the
   * machine slept.
   */
  #resumeAfterSleep(): void {
    const { feed, outage, plan, relay } = this.#context;
    relay?.wake();
    outage.end();
    feed.forget();
    plan.source?.start();
    this.readAll('after a sleep');
  }

  /**
   * Whether only one request is allowed in flight, because the service is down or the page is
   * hidden.
   */
  get #isHeld(): boolean {
    const { outage, page } = this.#context;
    return outage.isOn || page.isHidden();
  }

  /** When the feed is polled next. `Infinity` if the plan doesn't poll it. */
  get #pollAt(): number {
    return this.#context.plan.source?.pollAt ?? Infinity;
  }

  get #turnAt(): number {
    const { busyEvery, isLeast, isMany, turnEvery } = this.#context.plan;
    const isBusy = this.asked.size > 0 && !isLeast;
    const evenly = this.#turnSentAt + (isBusy ? busyEvery : turnEvery);
    if (isMany) return evenly;
    return Math.min(evenly, Math.max(this.#turnSentAt + MIN_EARLY_GAP_MS, this.#oldestEndsAt));
  }

  get #askedAt(): number {
    const canSend = this.asked.size > 0 && this.#underWay < MAX_CONCURRENT;
    return canSend ? this.asked.from : Infinity;
  }

  get #nextAt(): number {
    const { outage, page } = this.#context;
    const next = Math.min(this.#pollAt, this.#turnAt, this.#askedAt, this.asked.dueAt);
    if (!this.#isHeld) return next;
    if (this.#isProbing) return Infinity;
    const free = page.isHidden() ? this.asked.sentAt + HIDDEN_PERIOD_MS : -Infinity;
    return Math.max(outage.probeAt, free, outage.isOn ? -Infinity : next);
  }

  #rearm(): void {
    if (this.#signal.aborted) return;
    const at = Math.min(this.#planAt, this.results.ageAt, this.#nextAt);
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
    if (this.#planAt <= now) this.#plan();
    if (this.#nextAt <= now) {
      if (this.#isHeld) void this.#probe();
      else this.#work(now);
    }
    this.#rearm();
  }

  #work(now: number): void {
    if (this.#pollAt <= now) void this.#poll();
    this.#askDue(now);
    if (this.#turnAt <= now) this.#sendTurn(now);
    while (this.#askedAt <= now) {
      const waiting = this.#waiting(now);
      if (this.#sendPageFor(waiting[0], now)) continue;
      const delay = this.#delayFor(waiting[0], now);
      if (delay === 0) void this.#sendAsked(waiting);
      else this.asked.from = now + delay;
    }
  }

  /**
   * Requests reads of the entries that are due. Entries that only change as time passes are read
   * immediately.
   */
  #askDue(now: number): void {
    for (const entry of this.asked.takeDue(now)) {
      const isTimed = entry.type.watch.wokenBy === 'time';
      // a gap in the feed can affect any entry, so they're all read again, in list pages
      const hasChanged = entry.isConfirming && entry.announced?.changes !== 0;
      if (isTimed && !this.#isHeld) void this.#send({ entries: [entry] }, entry.trigger);
      else if (!entry.isReading)
        this.asked.ask(entry, entry.trigger, hasChanged ? 'changed' : 'again');
    }
  }

  /** Returns the entries whose requested reads can be sent now. */
  #waiting(now: number): readonly AnyEntry[] {
    const { reader } = this.#context;
    return this.asked.list((entry, rank) => {
      // a missing entry waits for the next page
      if (rank === 'missing') return this.#turnSentAt <= now;
      return rank === 'changed' || !reader.isPaging(entry, 'asked');
    });
  }

  /** Returns how long to wait before reading this entry, in milliseconds. */
  #delayFor(entry: AnyEntry | undefined, now: number): number {
    const rank = entry && this.asked.rankOf(entry);
    if (!rank) return this.#turnSentAt > now ? this.#turnSentAt - now : Infinity;
    const { isLeast, source, turnEvery } = this.#context.plan;
    // when hardly any requests are left, this read replaces a regular one and can be sent early
    const mayTake = this.#placesTaken < (source ? MAX_PLACES_TAKEN : 1);
    if (isLeast) return mayTake ? Math.max(0, this.#turnSentAt + turnEvery / 2 - now) : Infinity;
    const ahead = { changed: 2 * MAX_AHEAD, missing: 2 * MAX_AHEAD, first: MAX_AHEAD, again: 0 };
    const delay = this.#pace.delayFor(ahead[rank]);
    if (!this.#context.reader.isResting || isUrgent(rank)) return delay;
    // while lists are paused, each entry would need its own request
    return Math.max(delay, this.asked.sentAt + turnEvery - now);
  }

  /** Sends the next regular page early if it can include this entry. */
  #sendPageFor(entry: AnyEntry | undefined, now: number): boolean {
    const { base, client, plan, reader } = this.#context;
    // if there are enough requests, the entry gets its own
    if (!entry || plan.round.list <= base || !this.#rides(entry)) return false;
    if (plan.isLeast && this.#isTurnUnderWay) {
      this.asked.from = Infinity; // wait until the page in flight has been read
      return true;
    }
    const inTurn = this.#inTurn();
    const read = reader.next(inTurn, 'turn', this.#riders());
    if (!read?.walk || !read.entries.includes(entry)) return false;
    // the previous page was early too, or the rate limit doesn't allow another one
    const isTooEarly = this.#turnSentAt > now;
    const mustWait = isTooEarly || placeHere(client, 'others', 'normal').delay > 0;
    if (mustWait && !plan.isLeast) return false;
    if (mustWait) this.asked.from = isTooEarly ? this.#turnSentAt : Infinity;
    else {
      void this.#sendInTurn(read, inTurn[0]!.trigger);
    }
    return true;
  }

  /** Returns whether a regular page may include a requested read. */
  #rides(entry: AnyEntry): boolean {
    const rank = this.asked.rankOf(entry);
    const { entries, plan } = this.#context;
    const areFew = this.asked.newSize <= Math.min(MAX_RIDERS, entries.size * MAX_NEW_PART);
    return isUrgent(rank) || (plan.isLeast && rank === 'first' && areFew);
  }

  #riders(): readonly AnyEntry[] {
    return this.asked.list((entry) => this.#rides(entry));
  }

  /** Sends one requested read right away. */
  async #sendAsked(waiting: readonly AnyEntry[]): Promise<void> {
    const { plan, reader } = this.#context;
    const [first] = waiting;
    // when hardly any requests are left, a list also includes entries that are due for a regular
    // read
    const all = plan.isLeast ? [...waiting, ...this.#inTurn()] : waiting;
    const read = reader.next(all, isUrgent(this.asked.rankOf(first!)) ? 'by id' : 'asked')!;
    if (plan.isLeast) {
      this.#placesTaken++;
      this.#turnSentAt = Math.max(this.#now, this.#turnSentAt + plan.turnEvery);
    } else this.#pace.noteSent(first!.rows?.requests);
    this.#underWay++;
    await this.#send(read, this.asked.triggerFor(first!));
    this.#underWay--;
    this.#rearm();
  }

  #send(read: WatchRead, reason: string): Promise<void> {
    return this.asked.during(read.entries, () => this.#context.reader.send(read, reason));
  }

  #sendTurn(now: number): void {
    const { plan, reader } = this.#context;
    this.#placesTaken = 0;
    if (plan.isLeast) this.asked.from = Math.min(this.asked.from, now);
    const inTurn = this.#inTurn();
    const due = inTurn.filter((entry) => this.#isDue(entry, now));
    const all = due.length > 0 ? [...new Set([...due, ...inTurn])] : inTurn;
    const read = reader.next(all, this.#wayOf(all[0]), this.#riders());
    if (!read) {
      // requested reads use this regular read's request
      const from = plan.isLeast && this.asked.size > 0 ? now - plan.turnEvery / 2 : now;
      this.#turnSentAt = Math.max(from, this.#turnSentAt);
      this.#oldestEndsAt = Infinity;
      return;
    }
    const { rows, trigger } = all[0]!;
    this.#turnSentAt += ((rows?.requests ?? 1) - 1) * plan.turnEvery;
    void this.#sendInTurn(read, trigger);
  }

  /** Sends a regular read. If it's early, the next one is scheduled later. */
  async #sendInTurn(read: WatchRead, trigger: string): Promise<void> {
    const now = this.#now;
    const { source, turnEvery } = this.#context.plan;
    // without the feed, at least this read must be sent
    const latest = source ? Infinity : now + LONGEST_PAUSE_MS - turnEvery;
    this.#turnSentAt = Math.max(now, Math.min(this.#turnSentAt + turnEvery, latest));
    this.#oldestEndsAt = Infinity;
    this.#isTurnUnderWay = true;
    await this.#send(read, trigger);
    this.#isTurnUnderWay = false;
    const oldest = this.#inTurn().find((entry) => isConfirmed(entry, this.#context));
    const live = oldest ? liveFor(oldest, this.#context) : Infinity;
    this.#oldestEndsAt = (oldest?.trueAt ?? 0) + live - EARLY_BEFORE_END_MS;
    this.#rearm();
  }

  /** Returns the entries to read regularly, with the least recently read entry first. */
  #inTurn(): readonly AnyEntry[] {
    const { base, entries, plan, reader } = this.#context;
    const now = this.#now;
    const usual = now - base * JUST_READ_PART;
    const isBusy = this.asked.size > 0;
    const single = isBusy ? now - plan.round.single * READ_THIS_ROUND_PART : usual;
    const inTurn: AnyEntry[] = [];
    for (const entry of entries.values()) {
      const isListed = reader.isListed(entry);
      if (entry.readSentAt > (isListed ? usual : Math.min(usual, single))) continue;
      if (this.#isInTurn(entry) && !reader.isPaging(entry, this.#wayOf(entry))) inTurn.push(entry);
    }
    return inTurn;
  }

  /**
   * Returns how to read an entry regularly. If a read of the entry was also requested, continues
   * with the requested pages, so that they aren't read twice.
   */
  #wayOf(entry: AnyEntry | undefined): ReadWay {
    return entry && this.asked.has(entry) ? 'asked' : 'turn';
  }

  #isDue(entry: AnyEntry, now: number): boolean {
    const dueAt = entry.trueAt + rereadAfter(liveFor(entry, this.#context));
    return dueAt <= now && isConfirmed(entry, this.#context);
  }

  /**
   * Returns whether an entry is read regularly. Skips entries that are in flight or scheduled for
   * another reason.
   */
  #isInTurn(entry: AnyEntry): boolean {
    const { isReading, failures, readSentAt, type } = entry;
    const isFirst = readSentAt === -Infinity; // it's waiting for its first read
    if (isReading || failures || isFirst || isAtRest(entry)) return false;
    const { base, relay } = this.#context;
    const isLeftToRelay = (relay?.nextReadAt(entry) ?? -Infinity) > this.#now;
    const isDueSoon = entry.nextReadAt < this.#now + base;
    if (type.watch.wokenBy === 'time' || isLeftToRelay || isDueSoon) return false;
    // a list is still read regularly while its requested read is waiting
    return entry.rows !== undefined || !isUrgent(this.asked.rankOf(entry));
  }

  /** Sends a single request, alternating between polls and reads. */
  async #probe(): Promise<void> {
    const { outage } = this.#context;
    this.#isProbing = true;
    this.#askDue(this.#now);
    const sent = this.#isPollNext() ? this.#poll() : this.#probeByRead();
    if (!sent) this.#postpone(); // all entries are already being read
    await sent;
    // the outage isn't over, and the next probe must not follow immediately
    if (outage.isOn && outage.probeAt <= this.#now) this.#postpone();
    this.#isProbing = false;
    this.#rearm();
  }

  #probeByRead(): Promise<void> | undefined {
    const { entries, outage } = this.#context;
    this.#hasPolled = false;
    if (this.asked.size === 0) {
      const [first] = outage.isOn ? entries.values() : this.#inTurn();
      if (first) this.asked.ask(first, outage.isOn ? 'probe' : 'regular read', 'again');
    }
    const waiting = this.#waiting(Infinity);
    return waiting.length > 0 ? this.#sendAsked(waiting) : undefined;
  }

  #postpone(): void {
    this.asked.sentAt = this.#now;
    this.#context.outage.probeAt = this.#now + this.#context.base;
  }

  #isPollNext(): boolean {
    const { outage, plan } = this.#context;
    if (outage.isOn) return plan.source !== undefined && !this.#hasPolled;
    const isDue = this.#pollAt <= this.#now;
    return isDue && !(this.#hasPolled && this.asked.size > 0);
  }

  #plan(): void {
    const context = this.#context;
    const { client, plan: before, feed, reader } = context;
    const plan = (context.plan = this.#planner.next());
    const { budget, isInTime, source } = plan;
    this.#planAt = this.#now + PLAN_EVERY_MS;
    // nothing is waiting for a regular read any more
    if (!plan.isLeast) this.asked.from = Math.min(this.asked.from, this.#now);
    this.#pace.follow(plan, budget - countSent(client, 'others', 'normal').length);
    reader.plan = source?.name ?? 'polling';
    const isLate = !isInTime.list || !isInTime.single;
    if (feed.isRetryDue(isLate) && !this.#isHeld) void this.#tryFeed();
    if (source === before.source) return;
    before.source?.stop();
    source?.start();
  }

  async #tryFeed(): Promise<void> {
    await this.#context.feed.tryAgain();
    if (!this.#signal.aborted) this.#plan();
    this.#rearm();
  }

  async #poll(): Promise<void> {
    const { outage, plan } = this.#context;
    const source = plan.source!;
    this.asked.sentAt = this.#now;
    this.#hasPolled = true;
    const wasLive = source.isLive;
    const error = await source.poll(outage.isOn);
    if (this.#signal.aborted || this.#context.plan.source !== source) return;
    source.pollAt = Math.min(source.pollAt, nextPollAt(this.#context, error !== undefined));
    if (error) this.results.failPoll(error);
    else this.results.applyPoll();
    if (!source.isPossible || (!wasLive && source.isLive)) this.#plan();
    this.#rearm();
  }
}
