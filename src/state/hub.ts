import { UnreachableError } from '../core/errors/index.ts';
import {
  basePeriod,
  blockedFor,
  type CallAnswer,
  type Connection,
  holdPlaces,
  internals,
  listenToAnswers,
  recentAnswers,
  tellListeners,
} from '../core/http/index.ts';
import { type Clock, millisOf, onAbort } from '../core/time.ts';
import {
  minus,
  type Observer,
  plus,
  sameContent,
  type WatchStatus,
  type Work,
} from '../core/watch.ts';
import type { Gap } from '../resources/events.cursor.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { eventPrefixOf, isOfCreation } from '../resources/events.types.ts';
import { mayLag } from '../resources/held-state.ts';
import { idKey, type ListRows, type Watchable } from '../resources/resource.ts';
import { LAG_MS } from '../resources/service-facts.ts';
import { announce, announceGap, recall } from './apply.ts';
import { agingClockOf, currentPage } from './device.ts';
import {
  type AnyEntry,
  emit,
  emitAgain,
  type Entry,
  isSettled,
  newEntry,
  restore,
  showUnconfirmed,
} from './entry.ts';
import { Outage } from './failures.ts';
import {
  addEntry,
  AnswerIndex,
  changedBy,
  type Entries,
  findEntry,
  isCreation,
  keepRecent,
  keyOf,
  valuesIn,
} from './known.ts';
import { NO_PLAN, type WatchContext } from './plan/planner.ts';
import { GATHER_MS } from './plan/queue.ts';
import { listUncovered, statusOf } from './plan/schedule.ts';
import { WatchScheduler } from './plan/scheduler.ts';
import { Reader } from './reader.ts';
import type { Snapshot, WatchOptions } from './snapshot.ts';
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
  readonly #recent: Map<string, number>;
  /** The types of the entries, by name. */
  readonly #types: Map<string, Watchable<unknown>> = new Map();
  readonly #life: AbortController = new AbortController();
  readonly #context: WatchContext;
  readonly #scheduler: WatchScheduler;
  readonly #answers: AnswerIndex = new AnswerIndex();
  readonly #unlisten: () => void;

  constructor(client: Connection, recent: Map<string, number>, onEnd: () => void) {
    const { signal } = this.#life;
    const { random, dial } = client[internals];
    const clock = agingClockOf(client);
    this.#onEnd = onEnd;
    this.#recent = recent;
    const base = basePeriod(client);
    const page = currentPage();
    const reader = new Reader(client, clock, signal, (...read) =>
      this.#scheduler.results.apply(...read),
    );
    this.#context = {
      client,
      clock,
      signal,
      page,
      entries: this.entries,
      lists: new Set(),
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
    const leaveAnswers = listenToAnswers(client, (answer) => this.#applyAnswer(answer));
    const releasePlaces = holdPlaces(client);
    this.#unlisten = () => {
      leavePage();
      leaveAnswers();
      releasePlaces();
    };
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
    const key = keyOf(resource, id);
    const entry = findEntry(this.entries, resource, id);
    if (!isShownByAny) keepRecent(this.#recent, key, this.#now);
    for (const list of this.#context.lists)
      if (list.rows!.announce(resource, id, this.#now, age, isShownByAny))
        this.#readChanged(list, trigger);
    if (!entry) return;
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
    const entry = findEntry(this.entries, resource, id);
    if (!entry) return;
    let isKnown = false;
    try {
      const value = entry.type.watch.shape.read(given);
      this.#scheduler.results.applyValue(entry, value, sentAt);
      isKnown = entry.isConfirming! || sameContent(entry.held!.value, value);
      if (isKnown && unconfirmed) showUnconfirmed(entry, unconfirmed, sentAt);
    } finally {
      if (!isKnown) this.invalidate('relay', resource, id, true);
    }
  }

  applyConfirmation(resource: string, id: string, at: number): void {
    const entry = findEntry(this.entries, resource, id);
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

  /** A value that this client has read, and when (milliseconds since 1970). */
  applyRead(resource: string, id: string, value: unknown, asOf: number): void {
    const entry = findEntry(this.entries, resource, id);
    const { results } = this.#scheduler;
    const sentAt = this.#monotonic(asOf);
    if (entry) results.applyValue(entry, value, sentAt);
    else results.tellLists(resource, [value], sentAt);
  }

  /** A value that was handed in, and as of when (milliseconds since 1970). */
  provide(resource: string, id: string, value: unknown, asOf: number): void {
    const entry = findEntry(this.entries, resource, id);
    const { results } = this.#scheduler;
    const sentAt = this.#monotonic(asOf);
    if (entry) results.applyProvided(entry, value, sentAt);
    results.tellLists(resource, [value], sentAt, { isUnread: true });
  }

  /** What a call of the client was told is what it says for the watches too. */
  #applyAnswer(answer: CallAnswer): void {
    const { client, lists } = this.#context;
    const { results } = this.#scheduler;
    results.respond();
    const sentAt = agingClockOf(client).aged(answer.sentAt);
    for (const type of this.#types.values()) {
      const values = valuesIn(type, answer, !client[internals].dial);
      for (const value of values) {
        const entry = findEntry(this.entries, type.name, type.idOf(value));
        if (entry) results.apply(entry, { value }, sentAt);
      }
      results.tellLists(type.name, values, sentAt);
      if (values.length > 0) continue;
      const { state } = Object(answer.value) as { readonly state?: unknown };
      for (const id of changedBy(answer)) {
        const entry = findEntry(this.entries, type.name, id);
        const isKnown = state !== undefined && entry?.held?.state === state;
        const isWatched = entry || [...lists].some(({ rows }) => rows!.has(id));
        if (isWatched && !isKnown) this.invalidate('own call', type.name, id);
      }
    }
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
    if (!entry.held) {
      restore(entry, kept, (at) => this.#monotonic(at));
      this.#recall(entry as AnyEntry);
    }
    return new Observation(entry, to, options, this);
  }

  /** What calls were told before it was watched, and copies of the data may not show yet. */
  #recall(entry: AnyEntry): void {
    const { client, clock } = this.#context;
    const { type } = entry;
    const earliest = this.#now - LAG_MS;
    const isBare = !client[internals].dial;
    const key = idKey(entry.id);
    for (const answer of this.#answers.about(entry.id, recentAnswers(client))) {
      const sentAt = agingClockOf(client).aged(answer.sentAt);
      if (sentAt < earliest) continue;
      const value = valuesIn(type, answer, isBare).find((one) => idKey(type.idOf(one)) === key);
      if (value === undefined) {
        if (changedBy(answer).some((id) => idKey(id) === key)) announce(entry, sentAt);
      } else if (isCreation(answer)) entry.youngUntil = sentAt + LAG_MS;
      else if (type.states?.rank(type.stateOf(value))) recall(entry, value, sentAt, clock);
    }
  }

  #open<T>(type: Watchable<T>, id: string, created: number | undefined): Entry<T> {
    const known = findEntry(this.entries, type.name, id) as Entry<T> | undefined;
    if (known) return known;
    const entry = newEntry(type, id, created, this.#now);
    this.#types.set(type.name, type as Watchable<unknown>);
    addEntry(this.entries, entry as AnyEntry);
    if (type.watch.openRows) this.#openList(entry as AnyEntry, type.watch.openRows);
    this.#scheduler.add(entry as AnyEntry);
    const announcedAt = this.#recent.get(keyOf(type.name, id)) ?? -Infinity;
    if (announcedAt >= this.#now - LAG_MS) announce(entry as AnyEntry, announcedAt);
    return entry;
  }

  /** A list begins with what calls were told of its rows, and with what was announced, lately. */
  #openList(entry: AnyEntry, open: (clock: Clock) => ListRows): void {
    const { client, clock, lists } = this.#context;
    const rows = open(clock);
    const { type } = rows;
    const earliest = this.#now - LAG_MS;
    entry.rows = rows;
    lists.add(entry);
    this.#types.set(type.name, type);
    for (const answer of recentAnswers(client)) {
      const sentAt = agingClockOf(client).aged(answer.sentAt);
      const values = valuesIn(type, answer, !client[internals].dial);
      if (sentAt >= earliest) rows.tell(type.name, values, sentAt, undefined, false);
    }
    for (const { held, type: one } of this.entries.values())
      if (held && mayLag(held, this.#now))
        rows.tell(one.name, [held.value], held.sentAt, undefined, false);
    for (const [key, at] of this.#recent) {
      const [resource, id] = key.split(' ') as [string, string];
      if (at >= earliest) rows.announce(resource, id, at, NaN, false);
    }
  }

  /** Somebody asks for a read of what could not be read. */
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

/** Who hears that one observer less is there, or that one asks for a read. */
interface Owner {
  left(entry: Entry<unknown>): void;
  retry(entry: Entry<unknown>): void;
}

/** An observer of an entry, until it is stopped. */
class Observation<T> implements Observer<Snapshot<T>>, Work {
  readonly #entry: Entry<T>;
  readonly #to: Observer<Snapshot<T>>;
  readonly #owner: Owner;
  readonly #isEndless: boolean;
  readonly #unlisten: (() => void) | undefined;

  /** Gives it what is known. */
  constructor(
    entry: Entry<T>,
    to: Observer<Snapshot<T>>,
    { signal, until }: WatchOptions,
    owner: Owner,
  ) {
    this.#entry = entry;
    this.#to = to;
    this.#owner = owner;
    this.#isEndless = until === 'never';
    entry.observers = plus(entry.observers, this as Observer<Snapshot<T>>);
    this.#unlisten = signal && onAbort(signal, () => to.complete());
    if (signal?.aborted) to.complete();
    else this.next(entry.snapshot);
  }

  next(snapshot: Snapshot<T>): void {
    this.#to.next(snapshot);
    if (!this.#isEndless && isSettled(this.#entry)) this.#to.complete();
  }

  error(reason: unknown): void {
    this.#to.error(reason);
  }

  complete(): void {
    this.#to.complete();
  }

  retry(): void {
    this.#owner.retry(this.#entry as Entry<unknown>);
  }

  stop(): void {
    const entry = this.#entry;
    this.#unlisten?.();
    entry.observers = minus(entry.observers, this as Observer<Snapshot<T>>);
    this.#owner.left(entry as Entry<unknown>);
  }
}
