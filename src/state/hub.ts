import { millisOf } from '../core/time/index.ts';
import {
  basePeriod,
  blockedFor,
  type Connection,
  internals,
  tellListeners,
} from '../core/http/index.ts';
import { countOf } from '../core/lists/index.ts';
import { UnreachableError } from '../core/errors/index.ts';
import { type Observer, sameContent, type WatchStatus, type Work } from '../core/watch/index.ts';
import type { Gap } from '../resources/events/cursor.ts';
import type { ServiceEvent } from '../resources/events/model.ts';
import { eventPrefixOf } from '../resources/events/types.ts';
import type { Watchable } from '../resources/resource.ts';
import { LAG, PAGE } from '../resources/service-facts.ts';
import { announce, announceGap } from './entries/announced.ts';
import type { CountSource } from './counts/count-source.ts';
import type { WatchContext } from './plan/context.ts';
import {
  type AnyEntry,
  createdOf,
  doubt,
  emit,
  type Entry,
  newEntry,
  restore,
} from './entries/entry.ts';
import { addEntry, type Entries, findEntry, hasEntry, keyOf } from './entries/entries.ts';
import { Outage } from './reads/outage.ts';
import { currentPage } from './sources/page.ts';
import { NO_PLAN, UNKNOWN, WINDOW } from './sources/watch-plan.ts';
import { learnedCapabilitiesOf } from '../resources/learned-capabilities.ts';
import { NEIGHBOURS, Reader } from './reads/reader.ts';
import { GATHER } from './plan/backlog.ts';
import { listUncovered } from './plan/coverage.ts';
import { coverOf, nextReadAt } from './plan/schedule.ts';
import { statusOf } from './plan/status.ts';
import { WatchScheduler } from './plan/watch-scheduler.ts';
import type { Snapshot } from './entries/snapshot.ts';
import { Observation } from './observe.ts';
import type { WatchOptions } from './watch-options.ts';
import { FeedSource } from './sources/feed.ts';
import { type PushedQuote, RelaySource } from './sources/relay.ts';
import type { SourceListener } from './sources/source.ts';

/**
 * All watches of a client, from the first to the last: one schedule on one grid, one read of each
 * resource for all.
 */
export class Hub implements SourceListener {
  readonly #onEnd: () => void;
  /** What is watched now. */
  readonly entries: Entries = new Map();
  /** When changes were announced lately, watched or not, by key; monotonic. */
  readonly #recent: Map<string, number> = new Map();
  /** The types of the entries, by name. */
  readonly #types: Map<string, Watchable<unknown>> = new Map();
  readonly #life: AbortController = new AbortController();
  readonly #context: WatchContext;
  readonly #scheduler: WatchScheduler;
  readonly #unlisten: () => void;

  constructor(client: Connection, onEnd: () => void) {
    const { signal } = this.#life;
    const { clock, random, dial } = client[internals];
    this.#onEnd = onEnd;
    const base = basePeriod(client);
    const page = currentPage();
    const reader = new Reader(client, signal, (...read) => this.#scheduler.results.apply(...read));
    this.#context = {
      client,
      clock,
      signal,
      page,
      entries: this.entries,
      outage: new Outage(base, random),
      plan: NO_PLAN,
      reader,
      feed: new FeedSource(client, signal, this),
      loadCounts: () => this.#openCounts(reader),
      relay: dial && new RelaySource(client, dial, this),
      base,
      phase: random() * base,
    };
    this.#scheduler = new WatchScheduler(this.#context);
    this.#unlisten = page.listen((type) => this.#pageChanged(type));
  }

  async #openCounts(reader: Reader): Promise<CountSource> {
    const { client, clock, signal } = this.#context;
    const { CountSource } = await import('./counts/count-source.ts');
    return new CountSource({
      clock,
      signal,
      entries: this.entries,
      learned: learnedCapabilitiesOf(client),
      listener: this,
      reader,
      findEntry,
      hasEntry,
      createdOf,
      countOf,
      lag: LAG,
      page: PAGE,
      neighbours: NEIGHBOURS,
      window: WINDOW,
      unknown: UNKNOWN,
    });
  }

  get #now(): number {
    return this.#context.clock.monotonic();
  }

  /** Events name resources; some resources may be concerned by any. */
  applyEvents(events: readonly ServiceEvent[], gaps: readonly Gap[], now: number): void {
    for (const { data } of events) tellListeners(this.#context.client, data.entityId);
    for (const { name, events: prefix, watch } of this.#types.values()) {
      for (const { entityId } of gaps) if (entityId) this.invalidate('event', name, entityId);
      const isAny = watch.wokenBy === 'every-event';
      if (isAny && events.length > 0) this.invalidate('event', name, 'all');
      for (const { eventType, data, created } of isAny ? [] : events) {
        if (eventPrefixOf(eventType) !== prefix) continue;
        const age = now - millisOf(created)!;
        this.invalidate('event', name, data.entityId, eventType.endsWith('.created'), age);
      }
    }
    if (gaps.every(({ entityId }) => entityId)) return;
    for (const entry of this.#scheduler.lookAtAll('gap in the event feed'))
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
    const key = keyOf(resource, id);
    const entry = findEntry(this.entries, resource, id);
    if (!isShownByAny) this.#keepRecent(key);
    if (!entry) return;
    const { queue } = this.#scheduler.backlog;
    if (!isShownByAny) announce(entry, this.#now, age);
    else if (entry.readAt === undefined && queue.has(entry)) return; // its first read will show it
    const { client, clock, feed, page } = this.#context;
    feed.noteChange();
    if (blockedFor(client, 'others') > 0) entry.invalidatedAt = clock.now();
    if (page.isHidden()) emit(entry, 'stale'); // it may be read in a minute only
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
    const entry = findEntry(this.entries, resource, id);
    if (!entry) return;
    let isKnown = false;
    try {
      const value = entry.type.watch.relayed!.read(given);
      this.#scheduler.results.applyValue(entry, value, sentAt);
      isKnown = entry.isConfirming! || sameContent(entry.held!.value, value);
      if (isKnown && unconfirmed) doubt(entry, unconfirmed, sentAt);
    } finally {
      if (!isKnown) this.invalidate('relay', resource, id, true);
    }
  }

  applyListed(entry: AnyEntry, value: unknown, sentAt: number): void {
    this.#scheduler.results.apply(entry, { value }, sentAt);
  }

  takeLook(): boolean {
    return !this.#context.page.isHidden() && this.#scheduler.backlog.takeLook();
  }

  /** What the relay covers was true just now: it need not be read yet. */
  applyConfirmation(): void {
    for (const entry of listUncovered(this.#context))
      if (coverOf(entry, this.#context) && !entry.isConfirming)
        this.#scheduler.backlog.setDue(entry, nextReadAt(entry, this.#context));
  }

  /** All but what the feed covers may have changed: each is read, once a base period at most. */
  resumed(trigger: string): void {
    const { base } = this.#context;
    for (const entry of listUncovered(this.#context)) {
      entry.trigger = trigger;
      this.#scheduler.backlog.setDue(entry, Math.max(this.#now + GATHER, entry.lookedAt + base));
    }
  }

  /**
   * Without a network the last values stay, and say so; browsers keep no page that holds a socket.
   */
  #pageChanged(type: string): void {
    const { page, relay } = this.#context;
    if (type === 'pagehide') relay?.stop();
    else if (page.isOffline())
      this.#scheduler.results.doubtAll(
        new UnreachableError('no network', { code: 'OFFLINE', outcome: 'not-done' }),
      );
    else if (!page.isHidden() || type === 'online') {
      relay?.wake();
      this.#scheduler.wakeUp(`page ${type}`);
    }
  }

  /** A value that was read elsewhere, and when (milliseconds since 1970). */
  provide(resource: string, id: string, value: unknown, asOf: number): void {
    const entry = findEntry(this.entries, resource, id);
    if (entry) this.#scheduler.results.applyValue(entry, value, this.#monotonic(asOf));
  }

  /** The code that the relay has pushed for this invoice last. */
  quoteOf(invoiceId: string): PushedQuote | undefined {
    const { quote } = this.#context.relay ?? {};
    return quote?.invoiceId === invoiceId ? quote : undefined;
  }

  /** The monotonic time of a wall-clock time in the past. */
  #monotonic(at: number): number {
    return this.#now - Math.max(0, this.#context.clock.now() - at);
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
    kept: Snapshot<T>,
  ): Work {
    const entry = this.#open(type, id, created);
    if (!entry.held) restore(entry, kept, (at) => this.#monotonic(at));
    return new Observation(entry, to, options, this);
  }

  /** Notes what was announced lately: a first read may come from a copy that does not show it. */
  #keepRecent(key: string): void {
    const now = this.#now;
    this.#recent.delete(key);
    this.#recent.set(key, now);
    for (const [earlier, at] of this.#recent) {
      if (at >= now - LAG) break;
      this.#recent.delete(earlier);
    }
  }

  #open<T>(type: Watchable<T>, id: string, created: number | undefined): Entry<T> {
    const known = findEntry(this.entries, type.name, id) as Entry<T> | undefined;
    if (known) return known;
    const entry = newEntry(type, id, created, this.#now);
    this.#types.set(type.name, type as Watchable<unknown>);
    addEntry(this.entries, entry as AnyEntry);
    this.#scheduler.add(entry as AnyEntry);
    const announcedAt = this.#recent.get(keyOf(type.name, id)) ?? -Infinity;
    if (announcedAt >= this.#now - LAG) announce(entry as AnyEntry, this.#now);
    return entry;
  }

  /** An observer has left: what has no observer is not watched any more. */
  left(entry: AnyEntry): void {
    if (entry.observers) return;
    this.#scheduler.backlog.remove(entry);
    if (this.entries.size > 0) return;
    this.#life.abort();
    this.#scheduler.stop();
    this.#context.relay?.stop();
    this.#unlisten();
    this.#onEnd();
  }

  status(resource: string, id: string): WatchStatus | undefined {
    const entry = findEntry(this.entries, resource, id);
    return entry && statusOf(entry, this.#context, this.#scheduler.backlog.queue);
  }
}
