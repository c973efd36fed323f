import { basePeriod, blockedFor, type Connection } from '../core/http/index.ts';
import { type PaystateError, UnreachableError } from '../core/errors/index.ts';
import { Alarm } from '../core/time/index.ts';
import type { Observer, Unsubscribe, WatchStatus } from '../core/watch/index.ts';
import type { ServiceEvent } from '../resources/events/model.ts';
import { eventPrefixOf } from '../resources/events/types.ts';
import type { Watchable } from '../resources/resource.ts';
import { type AnyEntry, emit, type Entry, isSettled, newEntry, restore } from './entry.ts';
import { currentPage, type Page } from './page.ts';
import { budgetOf, NO_PLAN, type Plan, plan } from './planner.ts';
import { Reader, type ReadResult } from './reader.ts';
import { applyFailure, applyValue, type ResultContext } from './results.ts';
import { coverOf, nextPollAt, nextReadAt, type Schedule } from './schedule.ts';
import type { Snapshot } from './snapshot.ts';
import { FeedSource } from './sources/feed.ts';
import { pageSource } from './sources/page.ts';
import { relaySource } from './sources/relay.ts';
import type { Source, SourceListener } from './sources/source.ts';

/** Reads that become due within this time travel together, milliseconds. */
const GATHER = 50;
/** Ids missing from lists that are read alone at once. */
const MAX_READ_ALONE = 5;

export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /** `never`: go on after a settled state, without reads of its own, for resources that can be reversed. */
  readonly until?: 'settled' | 'never' | undefined;
}

/** All watches of a client, from the first to the last: one schedule on one grid, one read of each resource for all. */
export class Hub implements SourceListener {
  readonly #client: Connection;
  readonly #onEnd: () => void;
  readonly #entries: Map<string, AnyEntry> = new Map();
  readonly #life: AbortController = new AbortController();
  readonly #page: Page = currentPage();
  readonly #alarm: Alarm;
  readonly #reader: Reader;
  readonly #feed: FeedSource;
  /** Those that cover more cheaply come first. */
  readonly #sources: readonly Source[];
  readonly #base: number;
  readonly #phase: number;
  readonly #context: ResultContext;
  #plan: Plan = NO_PLAN;
  /** Changes of watched resources that were noticed under this plan. */
  #changes: number = 0;

  constructor(client: Connection, onEnd: () => void) {
    const { signal } = this.#life;
    this.#client = client;
    this.#onEnd = onEnd;
    this.#base = basePeriod(client);
    this.#phase = client.random() * this.#base;
    this.#alarm = new Alarm(client.clock, () => this.#tick());
    this.#reader = new Reader(client, signal, (...read) => this.#apply(...read));
    this.#feed = new FeedSource(client, signal, this);
    const relay = client.dial ? [relaySource(client, client.dial, this)] : [];
    this.#sources = [...relay, this.#feed, pageSource(this.#page, this)];
    this.#context = {
      clock: client.clock,
      isOffline: this.#page.isOffline,
      nextReadAt: (entry) => this.#nextReadAt(entry),
      blockedUntil: () => this.#now + blockedFor(client, 'others'),
    };
  }

  get #now(): number {
    return this.#client.clock.monotonic();
  }

  /** A resource may have changed: it is read soon, once for many reports. */
  changed(resource: string, id: string, trigger: string): void {
    const entry = this.#entries.get(keyOf(resource, id));
    if (!entry) return;
    this.#changes++;
    if (blockedFor(this.#client, 'others') > 0) entry.invalidatedAt = this.#client.clock.now();
    else this.#readSoon(entry, trigger);
  }

  /** Events name resources; some resources may be concerned by any. */
  happened(events: readonly ServiceEvent[]): void {
    const types = new Set([...this.#entries.values()].map(({ type }) => type));
    for (const { eventType, data } of events)
      for (const { events: own, name } of types)
        if (own === eventPrefixOf(eventType)) this.changed(name, data.entityId, 'event');
    for (const { type, id } of this.#entries.values())
      if (type.watch.wokenBy === 'every-event') this.changed(type.name, id, 'event');
  }

  /** All may have changed, as when a page becomes visible. */
  resumed(source: Source, trigger: string): void {
    for (const other of this.#sources) if (other !== source) other.wake();
    for (const entry of this.#entries.values())
      if (!isSettled(entry)) this.#readSoon(entry, trigger);
  }

  /** Browsers keep no page that holds a socket. */
  suspended(): void {
    for (const source of this.#sources) source.pause?.();
  }

  /** The last values stay, and say so. */
  disconnected(): void {
    const error = new UnreachableError('no network', { code: 'OFFLINE', outcome: 'not-done' });
    for (const entry of this.#entries.values()) emit(entry, 'offline', error);
  }

  /** A value that was read elsewhere, and when (milliseconds since 1970). */
  provide(resource: string, value: unknown, asOf: number): void {
    for (const entry of this.#entries.values())
      if (entry.type.name === resource && entry.type.idOf(value) === entry.id)
        this.#apply(entry, { value }, this.#monotonic(asOf));
  }

  /** The monotonic time of a wall-clock time in the past. */
  #monotonic(at: number): number {
    return this.#now - Math.max(0, this.#client.clock.now() - at);
  }

  /** Begins to watch one resource. `created`: whole second, if known. `kept`: left of an earlier watch. */
  join<T>(
    type: Watchable<T>,
    id: string,
    created: number | undefined,
    to: Observer<Snapshot<T>>,
    { signal, until }: WatchOptions,
    kept?: Snapshot<T>,
  ): Unsubscribe {
    const entry = this.#open(type, id, created);
    if (kept && !entry.held) restore(entry, kept, this.#monotonic(kept.asOf));
    const observer: Observer<Snapshot<T>> = {
      ...to,
      next(snapshot) {
        to.next(snapshot);
        if (until !== 'never' && isSettled(entry)) to.complete();
      },
    };
    const abort = () => to.complete();
    entry.observers.add(observer);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    else if (entry.snapshot) observer.next(entry.snapshot);
    return () => {
      signal?.removeEventListener('abort', abort);
      entry.observers.delete(observer);
      if (entry.observers.size === 0) this.#close(entry as AnyEntry);
    };
  }

  #open<T>(type: Watchable<T>, id: string, created: number | undefined): Entry<T> {
    const key = keyOf(type.name, id);
    const known = this.#entries.get(key) as Entry<T> | undefined;
    if (known) return known;
    const entry = newEntry(type, id, created, this.#now);
    this.#entries.set(key, entry as AnyEntry);
    this.#plan = {
      ...this.#plan,
      reviewAt: Math.min(this.#plan.reviewAt, this.#now + GATHER),
    };
    this.#readSoon(entry as AnyEntry, 'first read');
    return entry;
  }

  #isOpen(entry: AnyEntry): boolean {
    return this.#entries.get(keyOf(entry.type.name, entry.id)) === entry;
  }

  #close(entry: AnyEntry): void {
    if (this.#isOpen(entry)) this.#remove(entry);
    if (this.#entries.size > 0) return;
    this.#life.abort();
    this.#alarm.stop();
    for (const source of this.#sources) source.stop();
    this.#onEnd();
  }

  #remove({ type, id }: AnyEntry): void {
    this.#entries.delete(keyOf(type.name, id));
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
    let next = Math.min(this.#feed.pollAt, this.#plan.reviewAt);
    for (const entry of this.#entries.values())
      if (!entry.isReading) next = Math.min(next, entry.nextReadAt);
    this.#arm(next);
  }

  #tick(): void {
    const now = this.#now;
    if (this.#plan.reviewAt <= now) this.#review();
    const due = [...this.#entries.values()].filter(
      (entry) => !entry.isReading && entry.nextReadAt <= now,
    );
    if (due.length > 0) void this.#read(due);
    if (this.#feed.pollAt <= now) void this.#pollFeed();
    this.#rearm();
  }

  async #read(due: readonly AnyEntry[]): Promise<void> {
    for (const entry of due) {
      entry.isReading = true;
      entry.nextReadAt = this.#nextReadAt(entry); // where the read brings no result at all
    }
    try {
      await this.#reader.read(due);
    } finally {
      for (const entry of due) {
        const { readAgain } = entry;
        entry.isReading = false;
        entry.readAgain = undefined;
        if (readAgain !== undefined) this.#readSoon(entry, readAgain);
      }
      this.#rearm();
    }
  }

  /** Takes the result of a read in, which emits and decides when to read next. */
  #apply(entry: AnyEntry, { value, error }: ReadResult, sentAt: number): void {
    if (!this.#isOpen(entry)) return;
    if (value !== undefined) applyValue(entry, value, sentAt, this.#context);
    else if (!error) this.#readAlone(entry);
    else if (applyFailure(entry, error, sentAt, this.#context)) this.#end(entry, error);
  }

  /** Who subscribes again on hearing the error begins anew. */
  #end(entry: AnyEntry, error: PaystateError): void {
    this.#remove(entry);
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
    this.#plan = plan({
      before,
      now: this.#now,
      entries: [...this.#entries.values()],
      isHidden: this.#page.isHidden(),
      base: this.#base,
      budget: budgetOf(this.#client),
      changes: this.#changes,
      feed: this.#feed,
      width: this.#reader.width,
      cost: (entries) => this.#reader.cost(entries),
    });
    if (this.#plan.byFeed === before.byFeed) return;
    this.#changes = 0;
    if (this.#plan.byFeed) return this.#feed.start();
    this.#feed.stop();
    for (const entry of this.#entries.values())
      entry.nextReadAt = Math.min(entry.nextReadAt, this.#nextReadAt(entry));
  }

  async #pollFeed(): Promise<void> {
    const error = await this.#feed.poll();
    if (this.#life.signal.aborted || !this.#plan.byFeed) return;
    if (this.#feed.isPossible) this.#feed.pollAt = nextPollAt(this.#schedule);
    else this.#review();
    if (this.#feed.isLive) this.#vouch(error);
    this.#rearm();
  }

  /**
   * A poll vouches for all that the feed covers; a failed one makes them stale. Each entry still has one regular read after
   * the feed has begun, so that nothing falls between the two.
   */
  #vouch(error: PaystateError | undefined): void {
    for (const entry of this.#entries.values())
      if (
        entry.failures.inARow === 0 &&
        entry.readAt !== undefined &&
        entry.type.watch.wokenBy !== 'time'
      )
        emit(entry, error ? 'stale' : 'live', error);
  }

  get #schedule(): Schedule {
    return {
      now: this.#now,
      base: this.#base,
      phase: this.#phase,
      stretch: this.#plan.stretch,
      isHidden: this.#page.isHidden(),
      sources: this.#sources,
    };
  }

  #nextReadAt(entry: AnyEntry): number {
    return nextReadAt(entry, this.#schedule);
  }

  status(resource: string, id: string): WatchStatus | undefined {
    const entry = this.#entries.get(keyOf(resource, id));
    if (!entry) return undefined;
    const { trigger, readAt, noGapSince, invalidatedAt } = entry;
    const now = this.#client.clock.now();
    const blocked = blockedFor(this.#client, 'others');
    const until = entry.nextReadAt - this.#now;
    const cover = coverOf(entry, this.#now - entry.bornAt, this.#sources)?.name ?? 'polling';
    return {
      reason: `${cover}, ${trigger}`,
      trigger,
      readAt,
      noGapSince,
      invalidatedAt,
      nextReadAt: until < Infinity ? now + until : undefined,
      blockedUntil: blocked > 0 ? now + blocked : undefined,
    };
  }
}

function keyOf(resource: string, id: string): string {
  return `${resource}:${id}`;
}
