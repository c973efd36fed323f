import { Alarm } from '../core/time/index.ts';
import { blockedFor, type Connection, internals } from '../core/http/index.ts';
import type { PaystateError } from '../core/errors/index.ts';
import type { Observer, Unsubscribe, WatchStatus } from '../core/watch/index.ts';
import { applyRead } from '../resources/held-state.ts';
import { type Entry, heldAgainst, isSettled, recall, show } from './entry.ts';
import type { Kind } from './kind.ts';
import { Planner } from './planner.ts';
import { type Found, Reader } from './reader.ts';
import type { Snapshot } from './seen.ts';
import { FeedSource } from './sources/feed.ts';
import { type PageSource, pageSource } from './sources/page.ts';
import { type RelaySource, relaySource } from './sources/relay.ts';
import { judgeFailure, NO_FAILURES } from './verdict.ts';

/** Looks that become due within this time travel together, milliseconds. */
const GATHER = 50;
/** Ids missing from lists that are read alone at once. */
const LONELY = 5;

/** Options of every watch. */
export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /** `never`: go on after a settled state, without looks of its own, for kinds that can be reversed. */
  readonly until?: 'settled' | 'never' | undefined;
}

type Any = Entry<unknown>;

/** All watches of a client, from the first to the last: one schedule on one grid, one reading of each entity for all. */
export class Hub {
  readonly #client: Connection;
  readonly #over: () => void;
  readonly #entries: Map<string, Any> = new Map();
  readonly #life: AbortController = new AbortController();
  readonly #page: PageSource = pageSource();
  readonly #reader: Reader;
  readonly #feed: FeedSource;
  readonly #relay: RelaySource | undefined;
  readonly #planner: Planner;
  readonly #alarm: Alarm;
  readonly #unlisten: Unsubscribe;

  constructor(client: Connection, over: () => void) {
    this.#client = client;
    this.#over = over;
    this.#reader = new Reader(client, this.#life.signal, (entry, found, sentAt) =>
      this.#reported(entry, found, sentAt),
    );
    this.#feed = new FeedSource(client, this.#life.signal);
    const { clock, dial } = client[internals];
    this.#relay =
      dial &&
      relaySource(
        client,
        dial,
        (id) => this.invalidate('invoice', id, 'relay'),
        () => this.#wake('relay'),
      );
    this.#planner = new Planner(client, this.#feed, this.#reader, this.#page.isHidden, ({ id }) =>
      this.#relay?.covers(id),
    );
    this.#alarm = new Alarm(clock, () => this.#tick());
    this.#unlisten = this.#page.listen((type) => this.#pageChanged(type));
  }

  get #now(): number {
    return this.#client[internals].clock.monotonic();
  }

  /** Somebody says that an entity may have changed: look soon, once for many. */
  invalidate(kind: string, id: string, why: string): void {
    const entry = this.#entries.get(key(kind, id));
    if (!entry) return;
    this.#planner.hints++;
    if (blockedFor(this.#client, 'others') > 0)
      entry.invalidatedAt = this.#client[internals].clock.now();
    else this.#look(entry, why);
  }

  /** A value that was read elsewhere, and when (milliseconds since 1970). */
  provide<T>(kind: Kind<T>, value: T, at: number): void {
    const entry = this.#entries.get(key(kind.name, kind.idOf(value)));
    if (entry) this.#reported(entry, { value }, this.#monotonic(at));
  }

  /** The monotonic time of a wall-clock time in the past. */
  #monotonic(at: number): number {
    return this.#now - Math.max(0, this.#client[internals].clock.now() - at);
  }

  /** Lets somebody watch one entity. `created`: whole second, if known. `kept`: left of an earlier watch. */
  join<T>(
    kind: Kind<T>,
    id: string,
    created: number | undefined,
    to: Observer<Snapshot<T>>,
    { signal, until }: WatchOptions,
    kept?: Snapshot<T>,
  ): Unsubscribe {
    const entry = this.#open(kind, id, created);
    if (kept && !entry.held) recall(entry, kept, this.#monotonic(kept.asOf));
    const sink: Observer<Snapshot<T>> = {
      ...to,
      next(seen) {
        to.next(seen);
        if (until !== 'never' && isSettled(entry)) to.complete();
      },
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
    const now = this.#now;
    const entry: Entry<T> = {
      key: name,
      kind,
      id,
      created,
      bornAt: now,
      due: Infinity,
      sinks: new Set(),
      failures: NO_FAILURES,
      reason: '',
    };
    this.#entries.set(name, entry as Any);
    this.#planner.due = Math.min(this.#planner.due, now + GATHER);
    this.#look(entry as Any, 'first look');
    return entry;
  }

  #isOpen(entry: Any): boolean {
    return this.#entries.get(entry.key) === entry;
  }

  #close(entry: Any): void {
    if (this.#isOpen(entry)) this.#entries.delete(entry.key);
    if (this.#entries.size > 0) return;
    this.#life.abort();
    this.#alarm.stop();
    this.#relay?.stop();
    this.#unlisten();
    this.#over();
  }

  /** Looks at everything at once, as when a page becomes visible. */
  #wake(why: string): void {
    for (const entry of this.#entries.values()) if (!isSettled(entry)) this.#look(entry, why);
    if (this.#planner.feedDue < Infinity) this.#planner.feedDue = this.#now;
  }

  /** Looks at an entity soon; once more afterwards if a look is under way. */
  #look(entry: Any, why: string): void {
    if (entry.reading) {
      entry.again = why;
      return;
    }
    entry.reason = why;
    entry.due = Math.min(entry.due, this.#now + GATHER);
    this.#arm(entry.due);
  }

  /** Without a network the last values stay, and say so; a page that is put away keeps no socket, or no browser would keep the page. */
  #pageChanged(type: string): void {
    if (type === 'pagehide') this.#relay?.stop();
    else if (this.#page.isOffline())
      for (const entry of this.#entries.values()) show(entry, 'offline', 'OFFLINE');
    else if (!this.#page.isHidden() || type === 'online') {
      this.#relay?.wake();
      this.#wake(`page ${type}`);
    }
  }

  #arm(at: number): void {
    if (!this.#life.signal.aborted) this.#alarm.byLatest(at);
  }

  #rearm(): void {
    const dues = [...this.#entries.values()].map(({ reading, due }) => (reading ? Infinity : due));
    this.#arm(
      dues.reduce((a, b) => Math.min(a, b), Math.min(this.#planner.feedDue, this.#planner.due)),
    );
  }

  #tick(): void {
    const now = this.#now;
    if (this.#planner.due <= now) this.#review();
    const due = [...this.#entries.values()].filter((entry) => !entry.reading && entry.due <= now);
    if (due.length > 0) void this.#read(due);
    if (this.#planner.feedDue <= now) void this.#pollFeed();
    this.#rearm();
  }

  async #read(due: readonly Any[]): Promise<void> {
    for (const entry of due) {
      entry.reading = true;
      entry.due = this.#planner.next(entry); // where a look brings nothing at all
    }
    try {
      await this.#reader.read(due);
    } finally {
      for (const entry of due) {
        const { again } = entry;
        entry.reading = false;
        entry.again = undefined;
        if (again !== undefined) this.#look(entry, again);
      }
      this.#rearm();
    }
  }

  /** What a look brought is taken in, shown, and decides when to look next. */
  #reported(entry: Any, { value, error }: Found, sentAt: number): void {
    if (!this.#isOpen(entry)) return;
    if (error) this.#failed(entry, error, sentAt);
    else if (value === undefined) this.#missing(entry);
    else this.#succeeded(entry, value, sentAt);
  }

  #succeeded(entry: Any, value: unknown, sentAt: number): void {
    const now = this.#now;
    const state = entry.kind.stateOf(value);
    const read = { value, state, sentAt, receivedAt: now };
    const {
      held,
      regressed,
      confirmAt = Infinity,
    } = applyRead(entry.kind.life, heldAgainst(entry, sentAt), read);
    entry.held = held;
    entry.failures = NO_FAILURES;
    entry.alone = false;
    entry.invalidatedAt = undefined;
    entry.readAt = this.#client[internals].clock.now() - (now - sentAt);
    entry.noGapSince ??= entry.readAt;
    entry.due = Math.min(confirmAt, this.#planner.next(entry));
    entry.reason = confirmAt < Infinity ? 'confirm a contradiction' : 'regular look';
    show(entry, 'live', undefined, regressed);
  }

  /** A list that does not hold an id says nothing about it: it is read alone. */
  #missing(entry: Any): void {
    const waiting = [...this.#entries.values()].filter((other) => other.alone).length;
    entry.alone = true;
    entry.reason = 'missing from a list';
    entry.due = waiting < LONELY ? this.#now : this.#planner.next(entry);
  }

  #failed(entry: Any, error: PaystateError, sentAt: number): void {
    const { code, status, kind, retryAt = 0 } = error;
    const now = this.#now;
    const { failures, ends } = judgeFailure(error, entry.failures, {
      now,
      age: sentAt - entry.bornAt,
      seen: entry.held !== undefined,
      deletable: entry.kind.deletable,
    });
    entry.failures = failures;
    entry.noGapSince = undefined;
    entry.due = Math.max(
      this.#planner.next(entry),
      now + blockedFor(this.#client, 'others'),
      now + retryAt - this.#client[internals].clock.now(),
    );
    entry.reason = `again after ${code}`;
    show(
      entry,
      status === 429
        ? 'blocked'
        : kind === 'unreachable' && this.#page.isOffline()
          ? 'offline'
          : 'stale',
      code,
    );
    if (!ends) return;
    this.#entries.delete(entry.key); // who subscribes again on hearing of it begins anew
    for (const sink of [...entry.sinks]) sink.error(error);
  }

  #review(): void {
    if (!this.#planner.weigh([...this.#entries.values()])) return;
    this.#planner.feedDue = this.#planner.isFeed ? this.#now : Infinity;
    if (this.#planner.isFeed) return;
    this.#feed.restart();
    for (const entry of this.#entries.values())
      entry.due = Math.min(entry.due, this.#planner.next(entry));
  }

  async #pollFeed(): Promise<void> {
    const planner = this.#planner;
    planner.feedDue = Infinity;
    let moved = false;
    const trouble = await this.#feed.poll((kind, id) => {
      moved = true;
      this.invalidate(kind, id, 'event');
    });
    if (moved) this.invalidate('balances', 'all', 'event'); // whatever happened, it may have cost something
    if (this.#life.signal.aborted || !planner.isFeed) return;
    if (this.#feed.isPossible) planner.feedDue = planner.nextFeedPoll();
    else this.#review();
    if (planner.isFed) this.#fed(trouble?.code);
    this.#rearm();
  }

  /**
   * A poll vouches for all that it covers; a failed one makes them stale. Each entity still has one regular
   * look after the feed has begun, so that nothing falls between the two.
   */
  #fed(trouble: string | undefined): void {
    for (const entry of this.#entries.values())
      if (entry.failures.inARow === 0 && entry.readAt !== undefined && !entry.kind.silent)
        show(entry, trouble === undefined ? 'live' : 'stale', trouble);
  }

  status(kind: string, id: string): WatchStatus | undefined {
    const entry = this.#entries.get(key(kind, id));
    if (!entry) return undefined;
    const { reason, readAt, noGapSince, invalidatedAt, due } = entry;
    const now = this.#client[internals].clock.now();
    const blocked = blockedFor(this.#client, 'others');
    const until = due - this.#now;
    return {
      reason: `${this.#relay?.covers(id) ? 'relay' : this.#planner.isFed ? 'event feed' : 'polling'}, ${reason}`,
      trigger: reason,
      readAt,
      noGapSince,
      invalidatedAt,
      nextReadAt: until < Infinity ? now + until : undefined,
      blockedUntil: blocked > 0 ? now + blocked : undefined,
    };
  }
}

function key(kind: string, id: string): string {
  return `${kind}:${id}`;
}
