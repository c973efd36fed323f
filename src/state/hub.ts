import { Alarm } from '../core/alarm.ts';
import { budgetOf } from '../core/budget.ts';
import { type Connection, shared } from '../core/connection.ts';
import { isPaystateError, UnreachableError } from '../core/errors.ts';
import { type Observer, type Stop, type Watch, watchOf, type WatchStatus } from '../core/watch.ts';
import { Entry } from './entry.ts';
import type { Kind } from './kind.ts';
import { Planner } from './planner.ts';
import { type Found, type Reader, readerOf } from './reader.ts';
import type { Seen } from './seen.ts';
import { type FeedSource, feedSource } from './sources/feed.ts';
import { type PageSource, pageSource } from './sources/page.ts';
import { accept } from './truth.ts';
import { judgeFailure, NO_FAILURES } from './verdict.ts';

/** Looks that become due within this time travel together, milliseconds. */
const GATHER = 50;
/** Ids missing from lists that are read alone at once. */
const LONELY = 5;

export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /** `never`: go on after a settled state, without looks of its own, for kinds that can be reversed. */
  readonly until?: 'settled' | 'never' | undefined;
}

type Any = Entry<unknown>;

/** All watches of a client: one schedule on one grid, one reading of each entity for all who watch it. */
export class Hub {
  readonly #client: Connection;
  readonly #entries: Map<string, Any> = new Map();
  readonly #reader: Reader;
  readonly #page: PageSource = pageSource();
  readonly #feed: FeedSource;
  readonly #planner: Planner;
  readonly #alarm: Alarm;
  #feedDue: number = Infinity;
  #looks: number = 0;
  /** Lives from the first watch to the last one. */
  #life: AbortController | undefined;
  #unlisten: Stop | undefined;

  constructor(client: Connection) {
    this.#client = client;
    this.#reader = readerOf(client, (entry, found, sentAt) => this.#reported(entry, found, sentAt));
    this.#feed = feedSource(client);
    this.#planner = new Planner(client, this.#feed, this.#page, this.#reader);
    this.#alarm = new Alarm(client.clock, () => this.#tick());
  }

  get #now(): number {
    return this.#client.clock.monotonic();
  }

  /** Watches one entity; nothing starts before somebody subscribes. `created`: whole second, if known. */
  watch<T>(kind: Kind<T>, id: string, created: number | undefined, options: WatchOptions): Watch<Seen<T>> {
    return watchOf<Seen<T>>({
      status: () => this.#status(key(kind.name, id)),
      start: (to) => this.#join(this.#open(kind, id, created), to, options),
    });
  }

  /** Somebody says that an entity may have changed: look soon, once for many. */
  hint(kind: string, id: string, why: string): void {
    const entry = this.#entries.get(key(kind, id));
    if (!entry) return;
    this.#planner.heard();
    if (budgetOf(this.#client).blockedFor('others') > 0) entry.hintedAt = this.#client.clock.now();
    else this.#look(entry, why, GATHER);
  }

  /** A value that was read elsewhere, and when (milliseconds since 1970). */
  told<T>(kind: Kind<T>, value: T, at: number): void {
    const entry = this.#entries.get(key(kind.name, kind.idOf(value)));
    const age = Math.max(0, this.#client.clock.now() - at);
    if (entry) this.#reported(entry, { value }, this.#now - age);
  }

  #join<T>(entry: Entry<T>, to: Observer<Seen<T>>, { signal, until = 'settled' }: WatchOptions): Stop {
    const sink: Observer<Seen<T>> = {
      next(seen) {
        to.next(seen);
        if (until === 'settled' && entry.settled) to.complete();
      },
      error: (reason) => to.error(reason),
      complete: () => to.complete(),
    };
    const abort = () => to.complete();
    entry.sinks.add(sink);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    else if (entry.seen) sink.next(entry.seen);
    return () => {
      signal?.removeEventListener('abort', abort);
      entry.sinks.delete(sink);
      if (entry.sinks.size === 0) this.#close(entry as Any);
    };
  }

  #open<T>(kind: Kind<T>, id: string, created: number | undefined): Entry<T> {
    const name = key(kind.name, id);
    const known = this.#entries.get(name) as Entry<T> | undefined;
    if (known) return known;
    const entry = new Entry(kind, id, created, this.#now, this.#now + GATHER);
    this.#entries.set(name, entry as Any);
    this.#life ??= new AbortController();
    this.#unlisten ??= this.#page.listen((why) => this.#wake(why), () => this.#pageWentAway());
    this.#planner.due = Math.min(this.#planner.due, entry.due);
    this.#alarm.byLatest(entry.due);
    return entry;
  }

  #close(entry: Any): void {
    this.#entries.delete(key(entry.kind.name, entry.id));
    if (this.#entries.size > 0) return;
    this.#alarm.stop();
    this.#life?.abort();
    this.#unlisten?.();
    this.#life = this.#unlisten = undefined;
    this.#feedDue = Infinity;
    this.#planner.reset();
    this.#feed.restart();
  }

  /** Looks at everything at once, as when a page becomes visible. */
  #wake(why: string): void {
    for (const entry of this.#entries.values()) if (!entry.settled) this.#look(entry, why, GATHER);
    if (this.#feedDue < Infinity) this.#feedDue = this.#now;
  }

  /** Looks at an entity soon; once more afterwards if a look is under way. */
  #look(entry: Any, why: string, after: number): void {
    if (entry.reading) {
      entry.again = why;
      return;
    }
    entry.why = why;
    entry.due = Math.min(entry.due, this.#now + after);
    this.#alarm.byLatest(entry.due);
  }

  /** Without a network the last values stay, and say so. */
  #pageWentAway(): void {
    if (!this.#page.isOffline()) return;
    for (const entry of this.#entries.values())
      if (entry.seen) entry.show(entry.seen.value, entry.seen.at, 'offline', 'OFFLINE', undefined);
  }

  #tick(): void {
    const now = this.#now;
    if (this.#planner.due <= now) this.#review();
    const due = [...this.#entries.values()].filter((entry) => !entry.reading && entry.due <= now);
    if (due.length > 0) void this.#read(due);
    if (this.#feedDue <= now) void this.#pollFeed();
    this.#rearm();
  }

  #rearm(): void {
    if (this.#entries.size === 0) return;
    let next = Math.min(this.#feedDue, this.#planner.due);
    for (const entry of this.#entries.values()) if (!entry.reading) next = Math.min(next, entry.due);
    this.#alarm.byLatest(next);
  }

  async #read(due: readonly Any[]): Promise<void> {
    for (const entry of due) entry.reading = true;
    await this.#reader.read(due, this.#life!.signal);
    for (const entry of due) this.#finished(entry);
    this.#rearm();
  }

  #finished(entry: Any): void {
    entry.reading = false;
    const why = entry.again;
    entry.again = undefined;
    if (why !== undefined && this.#entries.has(key(entry.kind.name, entry.id))) this.#look(entry, why, GATHER);
  }

  /** What a look brought is taken in, shown, and decides when to look next. */
  #reported(entry: Any, found: Found<unknown>, sentAt: number): void {
    if (this.#entries.get(key(entry.kind.name, entry.id)) !== entry) return;
    if ('error' in found) this.#failed(entry, found.error, sentAt);
    else if (found.value === undefined) this.#missing(entry);
    else this.#succeeded(entry, found.value, sentAt);
  }

  #succeeded(entry: Any, value: unknown, sentAt: number): void {
    const look = { number: ++this.#looks, sentAt, now: this.#now };
    const { truth, regressed, confirmAt } = accept(entry.kind.life, entry.truth, value, entry.kind.stateOf(value), look);
    entry.truth = truth;
    entry.failures = NO_FAILURES;
    entry.alone = false;
    entry.hintedAt = undefined;
    entry.lookedAt = this.#client.clock.now() - (this.#now - sentAt);
    entry.noGapSince ??= entry.lookedAt;
    entry.due = Math.min(confirmAt ?? Infinity, this.#planner.next(entry));
    entry.why = confirmAt === undefined ? 'regular look' : 'confirm a contradiction';
    entry.show(truth.value, entry.lookedAt, 'live', undefined, regressed);
  }

  /** A list that does not hold an id says nothing about it: it is read alone. */
  #missing(entry: Any): void {
    const waiting = [...this.#entries.values()].filter((other) => other.alone).length;
    entry.alone = true;
    entry.why = 'missing from a list';
    entry.due = waiting < LONELY ? this.#now : this.#planner.next(entry);
  }

  #failed(entry: Any, thrown: unknown, sentAt: number): void {
    const error = isPaystateError(thrown) ? thrown : new UnreachableError('the look failed', { code: 'OFFLINE', outcome: 'not-done' });
    const now = this.#now;
    const { fresh, failures, ends } = judgeFailure(error, entry.failures, {
      now, sentAt, bornAt: entry.bornAt, seen: entry.truth !== undefined,
      offline: this.#page.isOffline(), deletable: entry.kind.deletable ?? false,
    });
    const blocked = budgetOf(this.#client).blockedFor('others');
    const told = error.retryAt === undefined ? 0 : error.retryAt - this.#client.clock.now();
    entry.failures = failures;
    entry.noGapSince = undefined;
    entry.due = Math.max(this.#planner.next(entry), now + Math.max(blocked, told));
    entry.why = `again after ${error.code}`;
    if (entry.seen) entry.show(entry.seen.value, entry.lookedAt ?? entry.seen.at, fresh, error.code, undefined);
    if (ends) for (const sink of [...entry.sinks]) sink.error(error);
  }

  #review(): void {
    const changed = this.#planner.weigh([...this.#entries.values()]);
    if (changed === 'feed') this.#feedDue = this.#now;
    if (changed !== 'poll') return;
    this.#feedDue = Infinity;
    this.#feed.restart();
    for (const entry of this.#entries.values()) entry.due = Math.min(entry.due, this.#planner.next(entry));
  }

  async #pollFeed(): Promise<void> {
    const life = this.#life!;
    this.#feedDue = Infinity;
    const trouble = await this.#feed.poll(life.signal, (kind, id) => this.hint(kind, id, 'event'));
    if (life.signal.aborted || this.#planner.plan.name !== 'feed') return;
    if (this.#feed.possible()) this.#feedDue = this.#planner.nextFeedPoll();
    else this.#review();
    if (this.#planner.isFed) this.#fed(trouble?.code);
    this.#rearm();
  }

  /**
   * A poll vouches for all that it covers; a failed one makes them stale. Each entity still has one regular
   * look after the feed has begun, so that nothing falls between the two.
   */
  #fed(trouble: string | undefined): void {
    for (const entry of this.#entries.values()) {
      if (!entry.seen || entry.failures.inARow > 0) continue;
      entry.show(entry.seen.value, entry.seen.at, trouble === undefined ? 'live' : 'stale', trouble, undefined);
    }
  }

  #status(name: string): WatchStatus {
    const entry = this.#entries.get(name);
    if (!entry) return { why: 'nobody is watching' };
    const { clock } = this.#client;
    const blocked = budgetOf(this.#client).blockedFor('others');
    const until = entry.due - this.#now;
    return {
      why: `${this.#planner.isFed ? 'event feed' : 'polling'}, ${entry.why}`,
      lookedAt: entry.lookedAt, wokenBy: entry.why, noGapSince: entry.noGapSince, hintedAt: entry.hintedAt,
      ...(Number.isFinite(until) && { nextLookAt: clock.now() + until }),
      ...(blocked > 0 && { blockedUntil: clock.now() + blocked }),
    };
  }
}

function key(kind: string, id: string): string {
  return `${kind}:${id}`;
}

/** The hub of this client and its children. */
export function hubOf(client: Connection): Hub {
  return shared(client, 'state.hub', () => new Hub(client));
}
