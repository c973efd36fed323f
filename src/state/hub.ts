import { UnreachableError } from '../core/errors/index.ts';
import {
  basePeriod,
  blockedFor,
  type Connection,
  holdPlaces,
  internals,
  tellListeners,
} from '../core/http/index.ts';
import { millisOf } from '../core/time.ts';
import { sameContent, type WatchStatus } from '../core/watch.ts';
import type { Gap } from '../resources/events.cursor.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { eventPrefixOf, isOfCreation } from '../resources/events.types.ts';
import { idKey, type Watchable } from '../resources/resource.ts';
import { announce, announceGap, Outage } from './apply.ts';
import { agingClockOf, currentPage } from './device.ts';
import { type AnyEntry, emit, emitAgain, type Entry, ReadWaits, showUnconfirmed } from './entry.ts';
import { findEntry, hasEntry, type Known, type Watching } from './known.ts';
import { NO_PLAN, type WatchContext } from './plan/planner.ts';
import { type Backlog, GATHER_MS } from './plan/queue.ts';
import { listUncovered, statusOf } from './plan/schedule.ts';
import { WatchScheduler } from './plan/scheduler.ts';
import { Reader, type ReadResult } from './reader.ts';
import { LOADING } from './snapshot.ts';
import { FeedSource } from './sources/feed.ts';
import { type PushedQuote, RelaySource, type SourceListener } from './sources/relay.ts';

/**
 * All watches of a client, from the first to the last: one schedule on one grid, one read of each
 * resource for all.
 */
export class Hub implements SourceListener, Watching {
  readonly #onEnd: () => void;
  readonly #known: Known;
  readonly #life: AbortController = new AbortController();
  readonly #context: WatchContext;
  readonly #scheduler: WatchScheduler;
  readonly #waits: ReadWaits = new ReadWaits();
  readonly #unlisten: () => void;

  constructor(client: Connection, known: Known, onEnd: () => void) {
    const { signal } = this.#life;
    const { random, dial } = client[internals];
    const clock = agingClockOf(client);
    this.#onEnd = onEnd;
    this.#known = known;
    known.watching = this;
    const base = basePeriod(client);
    const page = currentPage();
    const reader = new Reader(client, clock, signal, (...read) => this.#readEnded(...read));
    this.#context = {
      client,
      clock,
      signal,
      page,
      entries: known.watched,
      outage: new Outage(base, random),
      plan: NO_PLAN,
      reader,
      feed: new FeedSource(client, clock, signal, this),
      relay: dial && new RelaySource(client, clock, dial, this),
      base,
      phase: random() * base,
    };
    this.#scheduler = new WatchScheduler(this.#context);
    const leavePage = page.listen((type) => this.#pageChanged(type));
    const releasePlaces = holdPlaces(client);
    this.#unlisten = () => {
      leavePage();
      releasePlaces();
    };
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  #find(resource: string, id: string): AnyEntry | undefined {
    return findEntry(this.#known.watched, resource, id);
  }

  /** Events name resources; some resources may be concerned by any. */
  applyEvents(events: readonly ServiceEvent[], gaps: readonly Gap[], now: number): void {
    for (const { data } of events) tellListeners(this.#context.client, data.entityId);
    for (const { name, events: prefix, watch } of this.#known.types.values()) {
      for (const { entityId } of gaps) if (entityId) this.invalidate('event', name, entityId);
      const isAny = watch.wokenBy === 'every-event';
      if (isAny && events.length > 0) this.invalidate('event', name, 'all');
      for (const { eventType, data, created } of isAny ? [] : events) {
        if (eventPrefixOf(eventType) !== prefix) continue;
        const age = now - millisOf(created)!;
        this.invalidate('event', name, data.entityId, isOfCreation(eventType), age);
      }
    }
    if (gaps.every(({ entityId }) => entityId)) return;
    for (const entry of this.#scheduler.readAll('gap in the event feed'))
      announceGap(entry, this.#now);
  }

  /**
   * One resource may have changed; found by its key, however many are watched. What not every read
   * shows is believed when one shows it. `age`: milliseconds since it changed, `NaN` where that is not
   * known.
   */
  invalidate(
    trigger: string,
    resource: string,
    id: string,
    isShownByAny: boolean = false,
    age: number = NaN,
  ): void {
    const entry = this.#find(resource, id);
    for (const list of this.#context.lists?.announce(resource, id, age, isShownByAny) ?? [])
      this.#readChanged(list, trigger);
    if (!entry) return void (isShownByAny || this.#known.announce(resource, id));
    const { queue } = this.#scheduler.backlog;
    // any event may concern it, and most do not
    const isClaim = trigger !== 'event' || entry.type.watch.wokenBy === 'events';
    if (!isShownByAny) announce(entry, this.#now, age, isClaim);
    else if (entry.readAt === undefined && queue.has(entry)) return; // its first read will show it
    this.#readChanged(entry, trigger);
  }

  /** Reads what may have changed, and says until then what was announced of it. */
  #readChanged(entry: AnyEntry, trigger: string): void {
    const { client, clock, feed, page } = this.#context;
    feed.noteChange();
    if (blockedFor(client, 'others') > 0) entry.invalidatedAt = clock.now();
    if (page.isHidden())
      emit(entry, 'stale'); // it may be read in a minute only
    else emitAgain(entry);
    this.#scheduler.backlog.readSoon(entry, trigger);
  }

  /**
   * What our own relay has read counts as a read of ours. What is not taken in for being older, though
   * it says something else, is read once more.
   */
  applyRelayed(
    resource: string,
    id: string,
    given: unknown,
    sentAt: number,
    unconfirmed?: string,
  ): void {
    const entry = this.#find(resource, id);
    if (!entry) return;
    let isKnown = false;
    try {
      const value = entry.type.watch.shape.read(given);
      this.#ended(entry, sentAt, () => this.#scheduler.results.applyValue(entry, value, sentAt));
      isKnown = entry.isConfirming! || sameContent(entry.held!.value, value);
      if (isKnown && unconfirmed) showUnconfirmed(entry, unconfirmed, sentAt);
    } finally {
      if (!isKnown) this.invalidate('relay', resource, id, true);
    }
  }

  applyConfirmation(resource: string, id: string, at: number): void {
    const entry = this.#find(resource, id);
    if (entry) this.#scheduler.results.applyConfirmation(entry, at);
  }

  /** All but what the feed confirms may have changed: each is read, once a base period at most. */
  resumed(trigger: string): void {
    const { base } = this.#context;
    for (const entry of listUncovered(this.#context)) {
      entry.trigger = trigger;
      this.#scheduler.backlog.setDue(
        entry,
        Math.max(this.#now + GATHER_MS, entry.readSentAt + base),
      );
    }
  }

  /**
   * Without a network the last values stay, and say so; browsers keep no page that holds a socket.
   */
  #pageChanged(type: string): void {
    const { page, relay } = this.#context;
    if (type === 'pagehide') relay?.stop();
    else if (page.isOffline())
      this.#scheduler.results.markAllStale(
        new UnreachableError('no network', { code: 'OFFLINE', outcome: 'not-done' }),
      );
    else if (!page.isHidden() || type === 'online') {
      relay?.wake();
      this.#scheduler.wakeUp(`page ${type}`);
    }
  }

  /**
   * Takes in a value that this client has read, and when (milliseconds since 1970). False where it
   * is not watched.
   */
  applyRead(resource: string, id: string, value: unknown, asOf: number): boolean {
    const entry = this.#find(resource, id);
    const { results } = this.#scheduler;
    const sentAt = this.#monotonic(asOf);
    if (entry) this.#ended(entry, sentAt, () => results.applyValue(entry, value, sentAt));
    else this.tellLists(resource, [value], sentAt);
    return entry !== undefined;
  }

  /** The same for a value that was handed in. */
  provide(resource: string, id: string, value: unknown, asOf: number): boolean {
    const entry = this.#find(resource, id);
    const { results } = this.#scheduler;
    const sentAt = this.#monotonic(asOf);
    if (entry) results.applyProvided(entry, value, sentAt);
    this.#context.lists?.tell(resource, [value], sentAt, 'provided');
    return entry !== undefined;
  }

  respond(): void {
    this.#scheduler.results.respond();
  }

  applyAnswer(entry: AnyEntry, value: unknown, sentAt: number): void {
    this.#readEnded(entry, { value }, sentAt);
  }

  tellLists(resource: string, values: readonly unknown[], sentAt: number): void {
    this.#context.lists?.tell(resource, values, sentAt, 'read');
  }

  isListed(id: string): boolean {
    return this.#context.lists?.has(id) === true;
  }

  /** Begins to follow the rows of a list that is watched: `open` makes the lists of the context. */
  openList(resource: string, id: string, open: (entry: AnyEntry, world: ListWorld) => void): void {
    const entry = this.#find(resource, id);
    const { backlog } = this.#scheduler;
    if (entry && !entry.rows) open(entry, { context: this.#context, backlog, known: this.#known });
  }

  readAll(trigger: string): void {
    this.#scheduler.readAll(trigger);
  }

  /** The code that the relay has pushed for this invoice last. */
  quoteOf(invoiceId: string): PushedQuote | undefined {
    const { quote } = this.#context.relay ?? {};
    return quote && idKey(quote.invoiceId) === idKey(invoiceId) ? quote : undefined;
  }

  /** The monotonic time of a wall-clock time in the past. */
  #monotonic(at: number): number {
    return this.#now - Math.max(0, this.#context.clock.now() - at);
  }

  /** Begins to watch one resource. `created`: whole second, if known. */
  open<T>(type: Watchable<T>, id: string, created: number | undefined): Entry<T> {
    const watched = this.#find(type.name, id);
    if (watched) return watched as Entry<T>;
    const entry = this.#known.open(type, id, created);
    this.#scheduler.add(entry as AnyEntry);
    return entry;
  }

  #readEnded(entry: AnyEntry, result: ReadResult, sentAt: number): void {
    const apply = () => this.#scheduler.results.apply(entry, result, sentAt);
    // what a list did not hold is read once more
    if (result.error || result.value !== undefined) this.#ended(entry, sentAt, apply);
    else apply();
    if (result.error && this.#context.outage.isOn) this.#waits.endAll();
  }

  /** Takes in what a read sent at `sentAt` has brought, and tells those who wait for its end. */
  #ended(entry: AnyEntry, sentAt: number, apply: () => void): void {
    const before = entry.snapshot;
    apply();
    const isGone = !hasEntry(this.#known.watched, entry);
    this.#waits.end(entry, isGone ? Infinity : sentAt, entry.snapshot !== before);
  }

  /** Calls `tell` when the next read of this has ended without an emission. */
  afterRead(entry: AnyEntry, tell: () => void): void {
    // where nothing is known and nothing has failed, the end of a read is always emitted
    if (entry.snapshot !== LOADING)
      this.#waits.add(entry, -Infinity, (isEmitted) => void (isEmitted || tell()));
  }

  /** Resolves when a read has ended that is sent from now on, or where nothing can be asked. */
  refresh(entry: AnyEntry): Promise<void> {
    const { client, outage, page } = this.#context;
    const isHeld = blockedFor(client, 'others') > 0 || page.isOffline();
    if (isHeld || !hasEntry(this.#known.watched, entry)) return Promise.resolve();
    outage.probeAt = Math.min(outage.probeAt, this.#now);
    return new Promise((resolve) => {
      this.#waits.add(entry, this.#now, () => resolve());
      this.#scheduler.backlog.readSoon(entry, 'refresh');
    });
  }

  /** Reads what could not be read. */
  retry(entry: AnyEntry): void {
    const { outage } = this.#context;
    if (!entry.snapshot.error) return;
    outage.probeAt = Math.min(outage.probeAt, this.#now);
    this.#scheduler.backlog.readSoon(entry, 'retry');
  }

  /** An observer has left: what has no observer is not watched any more. */
  left(entry: AnyEntry): void {
    if (entry.observers) return;
    this.#scheduler.backlog.remove(entry);
    this.#waits.end(entry, Infinity, true);
    this.#known.keep(entry);
    if (this.#known.watched.size > 0) return;
    this.#known.watching = undefined;
    this.#life.abort();
    this.#scheduler.stop();
    this.#context.relay?.stop();
    this.#unlisten();
    this.#onEnd();
  }

  status(resource: string, id: string): WatchStatus | undefined {
    const entry = this.#find(resource, id);
    return entry && statusOf(entry, this.#context, this.#scheduler.backlog.queue);
  }
}

/** The parts of a hub that lists use. */
export interface ListWorld {
  readonly context: WatchContext;
  readonly backlog: Backlog;
  readonly known: Known;
}
