import { UnreachableError } from '../core/errors/index.ts';
import {
  basePeriod,
  blockedFor,
  type Connection,
  internals,
  tellListeners,
} from '../core/http/index.ts';
import { parseMillis } from '../core/time.ts';
import { each, frozenCopy, type WatchStatus } from '../core/watch.ts';
import type { Gap } from '../resources/events.cursor.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { readEventPrefix, isOfCreation } from '../resources/events.types.ts';
import { idKey, type Watchable } from '../resources/resource.ts';
import { announce, announceGap, isSameValue, Outage } from './apply.ts';
import { makeAgingClock, currentPage } from './device.ts';
import { type AnyEntry, emit, emitAgain, type Entry, showUnconfirmed } from './entry.ts';
import { findEntry, hasEntry, type Known, type Watching } from './known.ts';
import { GATHER_MS } from './asked.ts';
import { Engine } from './engine.ts';
import { listUncovered, makeStatus } from './freshness.ts';
import { NO_PLAN, type WatchContext } from './plan.ts';
import { Reader, type ReadResult } from './reads.ts';
import { FeedSource } from './sources/feed.ts';
import { type PushedQuote, RelaySource, type SourceListener } from './sources/relay.ts';

/**
 * Serves all of a client's watches. It exists as long as anything is being watched. The watches
 * share one schedule, and each resource is only read once for all of them.
 */
export class Hub implements SourceListener, Watching {
  readonly #onEnd: () => void;
  readonly #known: Known;
  readonly #life: AbortController = new AbortController();
  readonly #context: WatchContext;
  readonly #engine: Engine;
  readonly #unlisten: () => void;

  constructor(client: Connection, known: Known, onEnd: () => void) {
    const { signal } = this.#life;
    const { random, dial } = client[internals];
    const clock = makeAgingClock(client);
    this.#onEnd = onEnd;
    this.#known = known;
    known.watching = this;
    const base = basePeriod(client);
    const page = currentPage();
    const reader = new Reader(
      client,
      clock,
      signal,
      known.entries,
      (...read) => this.#readEnded(...read),
      () => this.#engine.results.readStale(),
    );
    this.#context = {
      client,
      clock,
      page,
      entries: known.entries,
      outage: new Outage(base, random),
      plan: NO_PLAN,
      reader,
      feed: new FeedSource(client, clock, signal, this),
      relay: dial && new RelaySource(client, clock, dial, this),
      base,
      phase: random() * base,
    };
    this.#engine = new Engine(this.#context, signal);
    this.#unlisten = page.listen((type) => this.#pageChanged(type));
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  #find(resource: string, id: string): AnyEntry | undefined {
    return findEntry(this.#known.entries, resource, id);
  }

  /** Applies events to the resources they name, and to resources that any event can affect. */
  applyEvents(events: readonly ServiceEvent[], gaps: readonly Gap[], now: number): void {
    for (const { data } of events) tellListeners(this.#context.client, data.entityId);
    for (const { name, events: prefix, watch } of this.#known.types.values()) {
      for (const { entityId } of gaps) if (entityId) this.invalidate('event', name, entityId);
      const isAny = watch.wokenBy === 'every-event';
      if (isAny && events.length > 0) this.invalidate('event', name, 'all');
      for (const { eventType, data, created } of isAny ? [] : events) {
        if (readEventPrefix(eventType) !== prefix) continue;
        const age = now - parseMillis(created)!;
        this.invalidate('event', name, data.entityId, isOfCreation(eventType), age);
      }
    }
    if (gaps.every(({ entityId }) => entityId)) return;
    for (const entry of this.#engine.readAll('gap in the event feed'))
      announceGap(entry, this.#now);
  }

  /**
   * Reads a resource that may have changed. If `isShownByAny` is set, the change has already
   * reached every replica. Otherwise, the change counts as pending until a read returns it. `age`
   * is the time since the change in milliseconds, or `NaN` if it's unknown.
   */
  invalidate(
    trigger: string,
    resource: string,
    id: string,
    isShownByAny: boolean = false,
    age: number = NaN,
  ): void {
    const entry = this.#find(resource, id);
    // a resource that any event can affect hasn't necessarily changed
    const isClaim = trigger !== 'event' || entry?.type.watch.wokenBy === 'events';
    if (!isShownByAny && entry) announce(entry, this.#now, age, isClaim);
    else if (!isShownByAny) this.#known.announce(resource, id);
    for (const list of this.#context.lists?.announce(resource, id, age, isShownByAny) ?? [])
      this.#readChanged(list, trigger);
    if (!entry?.observers) return;
    // the resource was just created, and its first read is already requested
    if (isShownByAny && entry.readAt === undefined && this.#engine.asked.has(entry)) return;
    this.#readChanged(entry, trigger);
  }

  /**
   * Reads a resource that may have changed. Emits a snapshot that reflects the announced change.
   */
  #readChanged(entry: AnyEntry, trigger: string): void {
    const { client, clock, page } = this.#context;
    if (blockedFor(client, 'others') > 0) entry.invalidatedAt = clock.now();
    if (page.isHidden())
      emit(entry, 'stale'); // on a hidden page, it may take a minute until the resource is read
    else emitAgain(entry);
    this.#engine.asked.readSoon(entry, trigger);
  }

  /**
   * Applies a value that our own relay has read, as if the hub had read it. If the value differs
   * but isn't accepted because it's older, reads the resource again.
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
      const value = frozenCopy(entry.type.watch.shape.read(given));
      this.#ended(entry, sentAt, () => this.#engine.results.applyValue(entry, value, sentAt));
      isKnown = entry.isConfirming! || isSameValue(entry.held!.value, value);
      if (isKnown && unconfirmed) showUnconfirmed(entry, unconfirmed, sentAt);
    } finally {
      if (!isKnown) this.invalidate('relay', resource, id, true);
    }
  }

  applyConfirmation(resource: string, id: string, at: number): void {
    const entry = this.#find(resource, id);
    if (entry) this.#engine.results.applyConfirmation(entry, at);
  }

  /**
   * Reads everything that the feed doesn't confirm, because it may have changed. Each resource is
   * read at most once per base period.
   */
  resumed(trigger: string): void {
    const { base } = this.#context;
    for (const entry of listUncovered(this.#context)) {
      entry.trigger = trigger;
      this.#engine.asked.setDue(entry, Math.max(this.#now + GATHER_MS, entry.readSentAt + base));
    }
  }

  /**
   * Marks values as `offline` while the machine has no network. Closes the relay's socket on
   * `pagehide`, because browsers don't cache a page with an open socket.
   */
  #pageChanged(type: string): void {
    const { page, relay } = this.#context;
    if (type === 'pagehide') relay?.stop();
    else if (page.isOffline())
      this.#engine.results.markAllStale(
        new UnreachableError('no network', { code: 'OFFLINE', outcome: 'not-done' }),
      );
    else if (!page.isHidden() || type === 'online') {
      relay?.wake();
      this.#engine.wakeUp(`page ${type}`);
    }
  }

  tell(resource: string, id: string, value: unknown, sentAt: number, isProvided = false): boolean {
    const entry = this.#find(resource, id);
    const { results } = this.#engine;
    if (entry && isProvided) results.applyProvided(entry, value, sentAt);
    else if (entry) this.#ended(entry, sentAt, () => results.applyValue(entry, value, sentAt));
    if (!entry || isProvided) this.#context.lists?.tell(resource, value, sentAt, isProvided);
    return this.#find(resource, id) !== undefined;
  }

  respond(): void {
    this.#engine.results.endOutage();
  }

  /** Starts following the rows of a watched list. `open` creates the list's state. */
  openList(resource: string, id: string, open: (entry: AnyEntry, world: ListWorld) => void): void {
    const entry = this.#find(resource, id);
    const world = { context: this.#context, engine: this.#engine, known: this.#known };
    if (entry && !entry.rows) open(entry, world);
  }

  readAll(trigger: string): void {
    this.#engine.readAll(trigger);
  }

  /** Returns the last payment code that the relay pushed for this invoice. */
  quoteOf(invoiceId: string): PushedQuote | undefined {
    const { quote } = this.#context.relay ?? {};
    return quote && idKey(quote.invoiceId) === idKey(invoiceId) ? quote : undefined;
  }

  /** Starts watching one resource. `created` is its creation time in seconds, if it's known. */
  open<T>(type: Watchable<T>, id: string, created: number | undefined): Entry<T> {
    const known = this.#find(type.name, id) as Entry<T> | undefined;
    if (known?.observers) return known;
    const entry = known ?? this.#known.open(type, id, created);
    this.#engine.add(entry as AnyEntry);
    return entry;
  }

  #readEnded(entry: AnyEntry, result: ReadResult, sentAt: number): void {
    const apply = () => this.#engine.results.apply(entry, result, sentAt);
    // if a list didn't include a resource, it's read again with its own request
    if (result.error || result.value !== undefined) this.#ended(entry, sentAt, apply);
    else apply();
    if (result.error && this.#context.outage.isOn) this.#engine.results.waits.endAll();
  }

  /**
   * Applies the result of a read sent at `sentAt`, and notifies the callers waiting for it.
   */
  #ended(entry: AnyEntry, sentAt: number, apply: () => void): void {
    const before = entry.snapshot;
    apply();
    const isGone = !hasEntry(this.#known.entries, entry);
    this.#engine.results.waits.end(entry, isGone ? Infinity : sentAt);
    const isEmitted = entry.snapshot !== before;
    for (const observer of each(entry.observers)) observer.readEnded(isEmitted);
  }

  /**
   * Resolves when a read that's sent after this call has ended. Resolves immediately if nothing can
   * be requested.
   */
  refresh(entry: AnyEntry): Promise<void> {
    const { client, page } = this.#context;
    const isHeld = blockedFor(client, 'others') > 0 || page.isOffline();
    if (isHeld || !hasEntry(this.#known.entries, entry)) return Promise.resolve();
    const read = this.#engine.results.waits.wait(entry, this.#now);
    this.#known.noteRefresh(entry);
    this.#engine.asked.readSoon(entry, 'refresh');
    this.#engine.probeSoon();
    return read;
  }

  /** Reads an entry again if its last read failed. */
  retry(entry: AnyEntry): void {
    const { outage } = this.#context;
    if (!entry.snapshot.error) return;
    outage.probeAt = Math.min(outage.probeAt, this.#now);
    this.#engine.asked.readSoon(entry, 'retry');
  }

  /** Ends an entry's watch if its last observer has unsubscribed. */
  left(entry: AnyEntry): void {
    if (entry.observers) return;
    const { lists } = this.#context;
    this.#engine.results.waits.end(entry, Infinity);
    if (lists?.hasRow(entry)) return this.#engine.asked.dismiss(entry);
    this.#engine.asked.remove(entry);
    this.#known.keep(entry);
    if (this.#known.entries.size > 0) return;
    this.#known.watching = undefined;
    this.#life.abort();
    this.#engine.stop();
    this.#context.relay?.stop();
    this.#unlisten();
    this.#onEnd();
  }

  status(resource: string, id: string): WatchStatus | undefined {
    const entry = this.#find(resource, id);
    return entry?.observers && makeStatus(entry, this.#context, this.#engine.asked);
  }
}

/** The parts of a hub that lists depend on. */
export interface ListWorld {
  readonly context: WatchContext;
  readonly engine: Engine;
  readonly known: Known;
}
