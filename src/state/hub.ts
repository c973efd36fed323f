import { basePeriod, blockedFor, type Connection, internals } from '../core/http/index.ts';
import { type PaystateError, UnreachableError } from '../core/errors/index.ts';
import { Alarm, type Clock } from '../core/time/index.ts';
import type { Observer, WatchStatus } from '../core/watch/index.ts';
import type { Watchable } from '../resources/resource.ts';
import { announce, confirm } from './announced.ts';
import { applyValue } from './apply-value.ts';
import type { WatchContext } from './context.ts';
import {
  type AnyEntry,
  emit,
  emitApplied,
  type Entry,
  isSettled,
  isUpToDate,
  newEntry,
  restore,
} from './entry.ts';
import { applyFailure } from './failure-policy.ts';
import { currentPage } from './page.ts';
import { NO_PLAN, plan, type WatchPlan } from './planner.ts';
import { Reader, type ReadResult } from './reader.ts';
import { nextPollAt, nextReadAt } from './schedule.ts';
import type { Snapshot } from './snapshot.ts';
import { observe } from './observe.ts';
import type { WatchOptions } from './watch-options.ts';
import { statusOf } from './status.ts';
import { type Entries, hasEntry, keyOf, removeEntry } from './entries.ts';
import { FeedSource } from './sources/feed.ts';
import { RelaySource } from './sources/relay.ts';
import type { SourceListener } from './sources/source.ts';

/** Reads that become due within this time travel together, milliseconds. */
const GATHER = 50;
/** How often the plan is made again, milliseconds. */
const REVIEW_EVERY = 10_000;
/** Ids missing from lists that are read alone at once. */
const MAX_READ_ALONE = 5;

/**
 * All watches of a client, from the first to the last: one schedule on one grid, one read of each
 * resource for all.
 */
export class Hub implements SourceListener {
  readonly #client: Connection;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  readonly #entries: Entries = new Map();
  readonly #life: AbortController = new AbortController();
  readonly #alarm: Alarm;
  readonly #context: WatchContext;
  readonly #unlisten: () => void;
  #plan: WatchPlan = NO_PLAN;
  /** When the plan is made again, monotonic. */
  #reviewAt: number = Infinity;

  constructor(client: Connection, onEnd: () => void) {
    const { signal } = this.#life;
    const { clock, random, dial } = client[internals];
    this.#client = client;
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.#alarm = new Alarm(clock, () => this.#tick());
    const base = basePeriod(client);
    const page = currentPage();
    const feed = new FeedSource(client, signal, this);
    const relay = dial && new RelaySource(client, dial, this);
    this.#context = {
      client,
      clock,
      page,
      feed,
      reader: new Reader(client, signal, (...read) => this.#apply(...read)),
      relay,
      base,
      phase: random() * base,
    };
    this.#unlisten = page.listen((type) => this.#pageChanged(type));
  }

  get #now(): number {
    return this.#clock.monotonic();
  }

  /** Resources may have changed: they are read soon, once for many reports. */
  changed(trigger: string, changesOf: (entry: AnyEntry) => number | undefined): void {
    for (const entry of this.#entries.values()) {
      const changes = changesOf(entry);
      if (changes !== undefined) this.#note(entry, trigger, changes);
    }
  }

  /** One resource may have changed; found by its key, however many are watched. */
  invalidate(trigger: string, resource: string, id: string): void {
    const entry = this.#entries.get(keyOf(resource, id));
    if (entry) this.#note(entry, trigger, 1);
  }

  #note(entry: AnyEntry, trigger: string, changes: number): void {
    this.#context.feed.changes++;
    announce(entry, changes, this.#now);
    if (blockedFor(this.#client, 'others') > 0) entry.invalidatedAt = this.#clock.now();
    else this.#readSoon(entry, trigger);
  }

  /** All may have changed, as when a page becomes visible. */
  resumed(trigger: string): void {
    this.#context.feed.wake();
    for (const entry of this.#entries.values())
      if (!isSettled(entry)) this.#readSoon(entry, trigger);
  }

  /**
   * Without a network the last values stay, and say so; browsers keep no page that holds a socket.
   */
  #pageChanged(type: string): void {
    const { page, relay } = this.#context;
    if (type === 'pagehide') relay?.stop();
    else if (page.isOffline()) {
      const error = new UnreachableError('no network', { code: 'OFFLINE', outcome: 'not-done' });
      for (const entry of this.#entries.values()) emit(entry, 'offline', error);
    } else if (!page.isHidden() || type === 'online') {
      relay?.wake();
      this.resumed(`page ${type}`);
    }
  }

  /** A value that was read elsewhere, and when (milliseconds since 1970). */
  provide(resource: string, value: unknown, asOf: number): void {
    const like = [...this.#entries.values()].find(({ type }) => type.name === resource);
    const entry = like && this.#entries.get(keyOf(resource, like.type.idOf(value)));
    if (entry) this.#apply(entry, { value }, this.#monotonic(asOf));
  }

  /** The monotonic time of a wall-clock time in the past. */
  #monotonic(at: number): number {
    return this.#now - Math.max(0, this.#clock.now() - at);
  }

  /**
   * Begins to watch one resource. `created`: whole second, if known. `kept`: left of an earlier
   * watch.
   */
  join<T>(
    type: Watchable<T>,
    id: string,
    created: number | undefined,
    to: Observer<Snapshot<T>>,
    options: WatchOptions,
    kept?: Snapshot<T>,
  ): () => void {
    const entry = this.#open(type, id, created);
    if (kept && !entry.held) restore(entry, kept, (at) => this.#monotonic(at));
    return observe(entry, to, options, () => {
      if (entry.observers.size === 0) this.#close(entry as AnyEntry);
    });
  }

  #open<T>(type: Watchable<T>, id: string, created: number | undefined): Entry<T> {
    const known = this.#entries.get(keyOf(type.name, id)) as Entry<T> | undefined;
    if (known) return known;
    const entry = newEntry(type, id, created, this.#now);
    this.#entries.set(keyOf(type.name, id), entry as AnyEntry);
    this.#reviewAt = Math.min(this.#reviewAt, this.#now + GATHER);
    this.#readSoon(entry as AnyEntry, 'first read');
    return entry;
  }

  #close(entry: AnyEntry): void {
    removeEntry(this.#entries, entry);
    if (this.#entries.size > 0) return;
    this.#life.abort();
    this.#alarm.stop();
    this.#context.relay?.stop();
    this.#unlisten();
    this.#onEnd();
  }

  /** Reads an entry soon; once more afterwards if a read is under way. */
  #readSoon(entry: AnyEntry, trigger: string): void {
    if (entry.isReading) {
      entry.readAgain = trigger;
      return;
    }
    entry.trigger = trigger;
    entry.nextReadAt = Math.min(entry.nextReadAt, this.#now + GATHER);
    this.#arm(entry.nextReadAt);
  }

  #arm(at: number): void {
    if (!this.#life.signal.aborted) this.#alarm.byLatest(at);
  }

  #rearm(): void {
    let next = Math.min(this.#context.feed.pollAt, this.#reviewAt);
    for (const entry of this.#entries.values())
      if (!entry.isReading) next = Math.min(next, entry.nextReadAt);
    this.#arm(next);
  }

  #tick(): void {
    const now = this.#now;
    if (this.#reviewAt <= now) this.#review();
    const due = [...this.#entries.values()].filter(
      (entry) => !entry.isReading && entry.nextReadAt <= now,
    );
    if (due.length > 0) void this.#read(due);
    if (this.#context.feed.pollAt <= now) void this.#pollFeed();
    this.#rearm();
  }

  async #read(due: readonly AnyEntry[]): Promise<void> {
    for (const entry of due) {
      entry.isReading = true;
      entry.nextReadAt = this.#nextReadAt(entry); // where the read brings no result at all
    }
    try {
      await this.#context.reader.read(due);
    } finally {
      for (const entry of due) {
        const { readAgain } = entry;
        entry.isReading = false;
        entry.readAgain = undefined;
        if (readAgain) this.#readSoon(entry, readAgain);
      }
      this.#rearm();
    }
  }

  /** Takes the result of a read in, which emits and decides when to read next. */
  #apply(entry: AnyEntry, { value, error }: ReadResult, sentAt: number): void {
    if (!hasEntry(this.#entries, entry)) return;
    if (error) this.#applyFailure(entry, error, sentAt);
    else if (value === undefined) this.#readAlone(entry);
    else {
      const applied = applyValue(entry, value, sentAt, this.#clock);
      const againAt = Math.min(applied.confirmAt ?? Infinity, confirm(entry, sentAt));
      entry.nextReadAt = Math.min(againAt, this.#nextReadAt(entry));
      emitApplied(entry, applied);
    }
  }

  #applyFailure(entry: AnyEntry, error: PaystateError, sentAt: number): void {
    const now = this.#now;
    const { ends, confirmAt } = applyFailure(entry, error, sentAt, this.#clock);
    entry.nextReadAt = Math.max(
      Math.min(confirmAt, this.#nextReadAt(entry)),
      now + blockedFor(this.#client, 'others'),
      now + (error.retryAt ?? 0) - this.#clock.now(),
    );
    const isOffline = error.kind === 'unreachable' && this.#context.page.isOffline();
    if (!ends)
      return emit(entry, error.status === 429 ? 'blocked' : isOffline ? 'offline' : 'stale', error);
    removeEntry(this.#entries, entry); // who subscribes again on hearing the error begins anew
    emit(entry, 'failed', error);
    for (const observer of [...entry.observers]) observer.error(error);
  }

  /** A list that does not hold an id says nothing about it: it is read alone. */
  #readAlone(entry: AnyEntry): void {
    const waiting = [...this.#entries.values()].filter((other) => other.isReadAlone).length;
    entry.isReadAlone = true;
    entry.trigger = 'missing from a list';
    entry.nextReadAt = waiting < MAX_READ_ALONE ? this.#now : this.#nextReadAt(entry);
  }

  #review(): void {
    const before = this.#plan;
    const { feed } = this.#context;
    this.#plan = plan(this.#context, before, [...this.#entries.values()]);
    this.#reviewAt = this.#now + REVIEW_EVERY;
    if (this.#plan.byFeed === before.byFeed) return;
    if (this.#plan.byFeed) return feed.start();
    feed.stop();
    for (const entry of this.#entries.values())
      entry.nextReadAt = Math.min(entry.nextReadAt, this.#nextReadAt(entry));
  }

  async #pollFeed(): Promise<void> {
    const error = await this.#context.feed.poll();
    if (this.#life.signal.aborted || !this.#plan.byFeed) return;
    if (this.#context.feed.isPossible)
      this.#context.feed.pollAt = nextPollAt(this.#plan, this.#context);
    else this.#review();
    this.#vouch(error);
    this.#rearm();
  }

  /**
   * A poll vouches for all that the feed covers; a failed one makes them stale. Each entry still
   * has one regular read after the feed has begun, so that nothing falls between the two.
   */
  #vouch(error: PaystateError | undefined): void {
    for (const entry of this.#entries.values())
      if (isUpToDate(entry) && this.#context.feed.safetyPeriod(entry))
        emit(entry, error ? 'stale' : 'live', error);
  }

  #nextReadAt(entry: AnyEntry): number {
    return nextReadAt(entry, this.#plan, this.#context);
  }

  status(resource: string, id: string): WatchStatus | undefined {
    const entry = this.#entries.get(keyOf(resource, id));
    return entry && statusOf(entry, this.#context);
  }
}
