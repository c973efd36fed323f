import { Alarm } from '../../core/time.ts';
import { SleepDetector } from '../device.ts';
import { type AnyEntry, emit, isFinal } from '../entry.ts';
import type { WindowRead } from '../reader.ts';
import { Results } from '../results.ts';
import { type Lane, LIVE_MS, nextPlan, type WatchContext } from './planner.ts';
import { Backlog, GATHER_MS } from './queue.ts';
import { isRelayed, laneOf, listUncovered, nextPollAt, nextReadAt } from './schedule.ts';

/** How often the plan is made again, milliseconds. */
const REVIEW_EVERY_MS = 10_000;
/** The same while first reads and changes wait, milliseconds. */
const REVIEW_SOON_MS = 2_000;
/** A hidden page sends one request in this time at most, milliseconds. */
const HIDDEN_PERIOD_MS = 60_000;

/** Decides when which requests are sent. Times are monotonic. */
export class WatchScheduler {
  readonly backlog: Backlog;
  readonly results: Results;
  readonly #context: WatchContext;
  readonly #turns: Turns;
  readonly #alarm: Alarm;
  readonly #sleep: SleepDetector;
  #armedAt: number = Infinity;
  /** When the plan is made again. */
  #reviewAt: number = Infinity;
  /** The only request of an outage or of a hidden page is under way. */
  #isProbing: boolean = false;
  /** The last request of such a time was a poll. */
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

  /** A new entry waits for its first read. */
  add(entry: AnyEntry): void {
    this.#reviewAt = Math.min(this.#reviewAt, this.#now + GATHER_MS);
    this.backlog.look(entry, 'first read', GATHER_MS);
  }

  stop(): void {
    this.#alarm.stop();
  }

  /** Changes of any entry may have gone unseen. Returns those that are looked at. */
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

  /** The page is here again: what was read within a base period is not read again. */
  wakeUp(trigger: string): void {
    const { base, outage, plan } = this.#context;
    outage.probeAt = Math.min(outage.probeAt, this.#now);
    plan.source?.wake(base);
    for (const entry of listUncovered(this.#context))
      if (this.#now - entry.readSentAt >= base && !this.backlog.queue.has(entry))
        this.backlog.look(entry, trigger);
    this.#rearm();
  }

  /** Both clocks have moved on without us: sources begin anew, and all is looked at once. */
  #resumeAfterSleep(): void {
    const { feed, outage, plan, relay } = this.#context;
    relay?.wake();
    outage.end();
    feed.forget();
    plan.source?.start();
    this.readAll('after a sleep');
  }

  /** One request at a time: the service is away, or the page is hidden. */
  get #isHeld(): boolean {
    const { outage, page } = this.#context;
    return outage.isOn || page.isHidden();
  }

  /** When the source of the plan is polled. */
  get #pollAt(): number {
    return this.#context.plan.source?.pollAt ?? Infinity;
  }

  /** When there is something to do again. */
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

  /** Takes what is due out: what fits the plan is polled at once, the others wait. */
  #takeDue(now: number): AnyEntry[] {
    const { plan } = this.#context;
    return this.backlog.due.take(now).filter((entry) => {
      if (entry.isReading) return false;
      const isTimed = entry.type.watch.wokenBy === 'time';
      if (plan.kind === 'polling' || isTimed) return true;
      // what only a gap asks for may concern all, and is read by pages
      const isUrgent = entry.isConfirming && entry.announced?.changes !== 0;
      this.backlog.look(entry, entry.trigger, 0, isUrgent);
      return false;
    });
  }

  /** Sends one request: a poll and a read in turn. */
  async #probe(): Promise<void> {
    const { outage, entries } = this.#context;
    const { queue, due } = this.backlog;
    this.#isProbing = true;
    for (const entry of due.take(this.#now)) this.backlog.look(entry, entry.trigger);
    if (!outage.isOn && queue.size === 0)
      for (const lane of ['listed', 'alone'] as const)
        for (const entry of this.#turns.nextOf(lane)) this.backlog.look(entry, 'regular read');
    const [first] = entries.values();
    const polls = this.#isPollNext();
    this.#hasPolled = false;
    if (outage.isOn && !polls && queue.size === 0 && first) this.backlog.look(first, 'probe');
    const sent = polls ? this.#poll() : queue.sendOne();
    if (!sent) this.#postpone(); // all are being read
    await sent;
    // what came back settled nothing: never probe again at once
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
    const { plan: before, feed, reader } = context;
    feed.averageChanges();
    const { kind, looks, source, lanes } = (context.plan = nextPlan(context));
    const isReading = this.backlog.queue.size > 0;
    this.#reviewAt = this.#now + (isReading ? REVIEW_SOON_MS : REVIEW_EVERY_MS);
    this.backlog.limiter.setMost(looks);
    reader.plan = source?.name ?? 'polling';
    const isLate = !lanes.listed.isInTime || !lanes.alone.isInTime;
    if (feed.isRetryDue(isLate) && !this.#isHeld) void this.#tryFeed();
    if (kind === before.kind) return;
    before.source?.stop();
    source?.start();
    for (const entry of context.entries.values())
      if (!entry.failures && !entry.isConfirming && entry.readAt !== undefined)
        this.backlog.setDue(entry, nextReadAt(entry, context));
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

/** How many are considered for one request. */
const MAX_CANDIDATES = 1_000;
/** A page holds so many of them at least, or ids are asked for. */
const MIN_FOUND_PER_PAGE = 15;
const TURN_LANES: readonly Lane[] = ['listed', 'alone'];
/** A value that is live for only this long yet does not wait for an even pace, milliseconds. */
const READ_BEFORE_END_MS = 6_000;
/** Time between two requests then, milliseconds. */
const MIN_HURRY_GAP_MS = 500;

/**
 * Reads all that is watched in turn, evenly: always those that were read longest ago and can be read
 * together. Times are monotonic milliseconds.
 */
class Turns {
  /** When the last request of a lane was sent. */
  readonly #sentAt: Record<Lane, number>;
  /** When the oldest of those that are read next was read. */
  readonly #oldestAt: Record<Lane, number> = { listed: -Infinity, alone: -Infinity };
  /** Entries of which more pages are to be read. */
  #window: WindowRead | undefined;
  /** Pages of it that may still be read. */
  #pages: number = 0;
  #isPaging: boolean = false;
  readonly #context: WatchContext;
  readonly #backlog: Backlog;

  constructor(context: WatchContext, backlog: Backlog) {
    const at = context.clock.monotonic();
    this.#context = context;
    this.#backlog = backlog;
    this.#sentAt = { listed: at, alone: at };
  }

  /** When the next request is due. */
  get next(): number {
    return Math.min(...TURN_LANES.map((lane) => this.#dueAt(lane)));
  }

  #dueAt(lane: Lane): number {
    const { isMany, lanes } = this.#context.plan;
    const { every, idleEvery, isInTime } = lanes[lane];
    if (every === Infinity) return Infinity;
    const sentAt = this.#sentAt[lane];
    const evenly = sentAt + (this.#backlog.isIdle ? idleEvery : every);
    if (!isInTime || isMany) return evenly;
    return Math.min(
      evenly,
      Math.max(sentAt + MIN_HURRY_GAP_MS, this.#oldestAt[lane] + LIVE_MS - READ_BEFORE_END_MS),
    );
  }

  /** Sends what is due. */
  run(now: number): void {
    for (const lane of TURN_LANES) if (this.#dueAt(lane) <= now) this.#readNext(lane, now);
  }

  #readNext(lane: Lane, now: number): void {
    this.#sentAt[lane] = now;
    this.#oldestAt[lane] = now;
    if (lane === 'listed' && this.#window) return this.#readPage(this.#window);
    const oldest = this.#oldestOf(lane);
    const batch = this.#context.reader.firstOf(oldest);
    if (batch.length === 0) return;
    const { requests = 1 } = batch[0]!.rows ?? {};
    this.#sentAt[lane] += (requests - 1) * this.#context.plan.lanes[lane].idleEvery;
    const read = new Set(batch);
    this.#oldestAt[lane] = oldest.find((entry) => !read.has(entry))?.readSentAt ?? now;
    for (const entry of batch) {
      if (entry.rows) this.#backlog.queue.delete(entry);
      else this.#backlog.queue.dismiss(entry);
    }
    const { reader } = this.#context;
    const window = reader.openWindow(batch);
    if (!window)
      return void this.#backlog.during(batch, async () => void (await reader.readBatch(batch)));
    this.#pages = Math.ceil(batch.length / MIN_FOUND_PER_PAGE) + 1;
    this.#readPage(window);
  }

  /** Pages may hold others too; what was not found on so many is read by its id. */
  #readPage(window: WindowRead): void {
    if (this.#isPaging) return;
    this.#window = window;
    this.#isPaging = true;
    void this.#backlog.during([], async () => {
      const isDone = await this.#context.reader.readPage(window);
      this.#isPaging = false;
      const isOver = isDone || --this.#pages <= 0;
      this.#window = isOver ? undefined : window;
      const [rest] = isOver ? this.#oldestOf('listed') : window.wanted.values();
      this.#oldestAt.listed = rest?.readSentAt ?? this.#sentAt.listed;
    });
  }

  /** Those that were read longest ago, and that one request can read. */
  nextOf(lane: Lane): AnyEntry[] {
    return this.#context.reader.firstOf(this.#oldestOf(lane));
  }

  #oldestOf(lane: Lane): AnyEntry[] {
    const oldest: AnyEntry[] = [];
    for (const entry of this.#context.entries.values()) {
      if (oldest.length === MAX_CANDIDATES) break;
      if (this.#isRead(entry) && laneOf(entry, this.#context) === lane) oldest.push(entry);
    }
    return oldest;
  }

  /** It is read in turn, and not for a reason of its own just now. */
  #isRead(entry: AnyEntry): boolean {
    const { isReading, failures, type } = entry;
    if (isReading || failures || isFinal(entry)) return false;
    if (type.watch.wokenBy === 'time' || isRelayed(entry, this.#context)) return false;
    // each event may concern a list: it keeps its turn while it waits for a read because of one
    return entry.rows !== undefined || !this.#backlog.queue.isUrgent(entry);
  }
}
