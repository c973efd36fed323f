import { budgetOf } from '../core/budget.ts';
import { type Connection, shared } from '../core/connection.ts';
import { isPaystateError, UnreachableError } from '../core/errors.ts';
import { basePeriod } from '../core/period.ts';
import { type Observer, type Stop, type Watch, watchOf, type WatchStatus } from '../core/watch.ts';
import { Entry } from './entry.ts';
import { nextOnGrid, periodOf } from './grid.ts';
import type { Kind } from './kind.ts';
import { type Plan, planFor, SAFETY } from './plan.ts';
import { type Found, type Reader, readerOf } from './reader.ts';
import type { Seen } from './seen.ts';
import { type FeedSource, feedSource } from './sources/feed.ts';
import { type PageSource, pageSource } from './sources/page.ts';
import { accept } from './truth.ts';
import { judgeFailure, NO_FAILURES } from './verdict.ts';

/** Looks that become due within this time travel together, milliseconds. */
const GATHER = 50;
/** How often the plan is weighed again, milliseconds. */
const REVIEW = 10_000;
/** Missing ids that are read alone in one tick. */
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
  private readonly client: Connection;
  private readonly entries: Map<string, Any> = new Map();
  private readonly reader: Reader;
  private readonly page: PageSource;
  private readonly feed: FeedSource;
  private readonly phase: number;
  private plan: Plan = { name: 'poll', cost: 0, stretch: 1 };
  private reviewAt: number = -Infinity;
  private feedDue: number = Infinity;
  private feeding: boolean = false;
  private hits: number = 0;
  private hitsSince: number = 0;
  private looks: number = 0;
  private timer: AbortController | undefined;
  private armedFor: number = Infinity;
  private life: AbortController | undefined;
  private unlisten: Stop | undefined;

  constructor(client: Connection) {
    this.client = client;
    this.page = pageSource();
    this.reader = readerOf(client, (entry, found, sentAt) => this.reported(entry, found, sentAt));
    this.feed = feedSource(client, () => this.life!.signal);
    this.phase = client.random() * basePeriod(client);
  }

  private get now(): number {
    return this.client.clock.monotonic();
  }

  /** Watches one entity; nothing starts before somebody subscribes. `created`: whole second, if known. */
  watch<T>(kind: Kind<T>, id: string, created: number | undefined, options: WatchOptions): Watch<Seen<T>> {
    const { signal, until = 'settled' } = options;
    return watchOf<Seen<T>>({
      status: () => this.status(key(kind.name, id)),
      start: (to) => {
        const entry = this.open(kind, id, created);
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
          if (entry.sinks.size === 0) this.close(entry as Any);
        };
      },
    });
  }

  /** Somebody says that an entity may have changed: look soon, once for many. */
  hint(kind: string, id: string, why: string): void {
    const entry = this.entries.get(key(kind, id));
    if (!entry) return;
    this.hits++;
    const blocked = budgetOf(this.client).blockedFor('others');
    if (blocked > 0) entry.hintedAt = this.client.clock.now();
    else this.look(entry, why, GATHER);
  }

  /** A value that was read elsewhere, and when (milliseconds since 1970). */
  told<T>(kind: Kind<T>, value: T, at: number): void {
    const entry = this.entries.get(key(kind.name, kind.idOf(value)));
    const age = Math.max(0, this.client.clock.now() - at);
    if (entry) this.reported(entry, { value }, this.now - age);
  }

  private open<T>(kind: Kind<T>, id: string, created: number | undefined): Entry<T> {
    const name = key(kind.name, id);
    const known = this.entries.get(name) as Entry<T> | undefined;
    if (known) return known;
    const entry = new Entry(kind, id, created, this.now, this.now + GATHER);
    this.entries.set(name, entry as Any);
    if (!this.life) this.begin();
    this.reviewAt = Math.min(this.reviewAt, this.now + GATHER);
    this.arm(entry.due);
    return entry;
  }

  private begin(): void {
    this.life = new AbortController();
    this.hits = 0;
    this.hitsSince = this.now;
    this.unlisten = this.page.listen((why) => this.wake(why), () => this.shown());
  }

  private close(entry: Any): void {
    this.entries.delete(key(entry.kind.name, entry.id));
    if (this.entries.size > 0) return;
    this.timer?.abort();
    this.life?.abort();
    this.unlisten?.();
    this.timer = this.life = this.unlisten = undefined;
    this.armedFor = this.feedDue = Infinity;
    this.reviewAt = -Infinity;
    this.feeding = false;
    this.plan = { name: 'poll', cost: 0, stretch: 1 };
    this.feed.restart();
  }

  /** Looks at everything at once, as when a page becomes visible. */
  private wake(why: string): void {
    for (const entry of this.entries.values()) if (!entry.settled) this.look(entry, why, GATHER);
    if (this.feedDue < Infinity) this.feedDue = this.now;
  }

  private look(entry: Any, why: string, after: number): void {
    if (entry.reading) {
      entry.again = why;
      return;
    }
    entry.why = why;
    entry.due = Math.min(entry.due, this.now + after);
    this.arm(entry.due);
  }

  /** The page went away: what is shown says so. */
  private shown(): void {
    if (!this.page.isOffline()) return;
    for (const entry of this.entries.values())
      if (entry.seen) entry.show(entry.seen.value, entry.seen.at, 'offline', 'OFFLINE', undefined);
  }

  /** Makes sure that the schedule wakes at `due` or before. */
  private arm(due: number): void {
    if (due >= this.armedFor || due === Infinity) return;
    this.timer?.abort();
    const timer = new AbortController();
    this.timer = timer;
    this.armedFor = due;
    void this.client.clock.wait(due - this.now, timer.signal).then(() => {
      if (timer.signal.aborted) return;
      this.armedFor = Infinity;
      this.tick();
    });
  }

  private tick(): void {
    const { now } = this;
    if (now >= this.reviewAt) this.review();
    const due = [...this.entries.values()].filter((entry) => !entry.reading && entry.due <= now);
    if (due.length > 0) void this.read(due);
    if (this.feedDue <= now && !this.feeding) void this.pollFeed();
    this.rearm();
  }

  private rearm(): void {
    let next = Math.min(this.feedDue, this.entries.size > 0 ? this.reviewAt : Infinity);
    for (const entry of this.entries.values()) if (!entry.reading) next = Math.min(next, entry.due);
    this.arm(next);
  }

  private async read(due: readonly Any[]): Promise<void> {
    for (const entry of due) entry.reading = true;
    await this.reader.read(due, this.life!.signal);
    for (const entry of due) this.finished(entry);
    this.rearm();
  }

  private finished(entry: Any): void {
    entry.reading = false;
    if (entry.again === undefined) return;
    const why = entry.again;
    entry.again = undefined;
    this.look(entry, why, GATHER);
  }

  /** What a look brought is taken in, shown, and decides when to look next. */
  private reported(entry: Any, found: Found<unknown>, sentAt: number): void {
    if (!this.entries.has(key(entry.kind.name, entry.id))) return;
    entry.due = this.nextDue(entry);
    if ('error' in found) this.failed(entry, found.error, sentAt);
    else if (found.value === undefined) this.missing(entry);
    else this.succeeded(entry, found.value, sentAt);
  }

  private succeeded(entry: Any, value: unknown, sentAt: number): void {
    const look = { number: ++this.looks, sentAt, now: this.now };
    const { truth, regressed, confirmAt } = accept(entry.kind.life, entry.truth, value, entry.kind.stateOf(value), look);
    const changed = truth.state !== entry.truth?.state;
    entry.truth = truth;
    entry.failures = NO_FAILURES;
    entry.alone = false;
    entry.hintedAt = undefined;
    entry.lookedAt = this.client.clock.now() - (this.now - sentAt);
    entry.noGapSince ??= entry.lookedAt;
    entry.due = confirmAt ?? (changed ? this.nextDue(entry) : entry.due);
    entry.why = confirmAt === undefined ? `every ${Math.round(this.period(entry) / 1_000)} s` : 'confirm a contradiction';
    entry.show(truth.value, entry.lookedAt, 'live', undefined, regressed);
  }

  /** A list that does not hold an id says nothing about it: it is read alone. */
  private missing(entry: Any): void {
    const waiting = [...this.entries.values()].filter((other) => other.alone).length;
    entry.alone = true;
    entry.why = 'missing from a list';
    if (waiting < LONELY) entry.due = this.now;
  }

  private failed(entry: Any, thrown: unknown, sentAt: number): void {
    const error = isPaystateError(thrown) ? thrown : new UnreachableError('the look failed', { code: 'OFFLINE', outcome: 'not-done' });
    const { now } = this;
    const { fresh, failures, ends } = judgeFailure(error, entry.failures, {
      now, sentAt, bornAt: entry.bornAt, seen: entry.truth !== undefined,
      offline: this.page.isOffline(), deletable: entry.kind.deletable ?? false,
    });
    entry.failures = failures;
    entry.noGapSince = undefined;
    const retryIn = error.retryAt === undefined ? budgetOf(this.client).blockedFor('others') : error.retryAt - this.client.clock.now();
    entry.due = Math.max(this.nextDue(entry), now + retryIn);
    entry.why = `again after ${error.code}`;
    if (entry.seen) entry.show(entry.seen.value, entry.lookedAt ?? entry.seen.at, fresh, error.code, undefined);
    if (ends) for (const sink of [...entry.sinks]) sink.error(error);
  }

  private period(entry: Any): number {
    const base = basePeriod(this.client) * this.plan.stretch;
    return periodOf(base, this.now - entry.bornAt, entry.failures.inARow, this.page.isHidden());
  }

  /** When an entity is looked at without a hint. */
  private nextDue(entry: Any): number {
    if (entry.settled) return Infinity;
    const isFed = this.plan.name === 'feed' && this.feed.ready() && entry.failures.inARow === 0 && entry.truth;
    return nextOnGrid(this.now, isFed ? SAFETY * 1_000 : this.period(entry), this.phase);
  }

  /** Weighs polling against the feed and stretches all periods until they fit the budget. */
  private review(): void {
    const { now } = this;
    const budget = budgetOf(this.client);
    const { limit } = this.client.settings.limits.others;
    const share = limit * this.client.settings.share - Math.max(20, limit / 10) - budget.usedByOthers('others', 'watch');
    const before = this.plan.name;
    const seconds = Math.max(1, (now - this.hitsSince) / 1_000);
    this.reviewAt = now + REVIEW;
    this.plan = planFor({
      ...this.load(),
      width: this.client.may.list ? this.reader.width.current() : 1,
      base: basePeriod(this.client) / 1_000,
      feedRequests: this.feed.requests(),
      hints: before === 'feed' ? this.hits / seconds : 1e-5 * this.entries.size,
      feedPossible: this.feed.possible(),
      budget: share,
    });
    if (this.plan.name === before) return;
    this.hits = 0;
    this.hitsSince = now;
    if (this.plan.name === 'feed') this.feedDue = now;
    else this.backToPolling();
  }

  private backToPolling(): void {
    this.feedDue = Infinity;
    this.feed.restart();
    for (const entry of this.entries.values()) entry.due = Math.min(entry.due, this.nextDue(entry));
  }

  private load(): { listed: Map<number, number>; single: Map<number, number> } {
    const load = { listed: new Map<number, number>(), single: new Map<number, number>() };
    const base = basePeriod(this.client);
    for (const entry of this.entries.values()) {
      if (entry.settled) continue;
      const period = periodOf(base, this.now - entry.bornAt, 0, this.page.isHidden()) / 1_000;
      const counts = entry.kind.lists && !entry.alone && this.client.may.list ? load.listed : load.single;
      counts.set(period, (counts.get(period) ?? 0) + 1);
    }
    return load;
  }

  private async pollFeed(): Promise<void> {
    this.feeding = true;
    this.feedDue = Infinity;
    const wasReady = this.feed.ready();
    const trouble = await this.feed.poll((kind, id) => this.hint(kind, id, 'event'));
    if (!this.feeding) return; // the hub has stopped meanwhile
    this.feeding = false;
    if (this.plan.name !== 'feed') return;
    if (!this.feed.possible()) this.review();
    else this.feedDue = nextOnGrid(this.now, basePeriod(this.client) * this.plan.stretch, this.phase);
    this.fed(wasReady, trouble?.code);
    this.rearm();
  }

  /** What a feed poll says about everything that it covers. */
  private fed(wasReady: boolean, trouble: string | undefined): void {
    const covers = this.plan.name === 'feed' && this.feed.ready();
    for (const entry of this.entries.values()) {
      if (covers && !wasReady && !entry.reading) entry.due = Math.max(entry.due, this.nextDue(entry));
      if (!covers || !entry.seen || entry.failures.inARow > 0) continue;
      entry.show(entry.seen.value, entry.seen.at, trouble ? 'stale' : 'live', trouble, undefined);
    }
  }

  private status(name: string): WatchStatus {
    const entry = this.entries.get(name);
    if (!entry) return { why: 'nobody is watching' };
    const { clock } = this.client;
    const blocked = budgetOf(this.client).blockedFor('others');
    const inMs = entry.due - this.now;
    return {
      why: `${this.plan.name === 'feed' && this.feed.ready() ? 'event feed' : 'polling'}, ${entry.why}`,
      lookedAt: entry.lookedAt, wokenBy: entry.why, noGapSince: entry.noGapSince, hintedAt: entry.hintedAt,
      ...(Number.isFinite(inMs) && { nextLookAt: clock.now() + inMs }),
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
