// Plays one cell of the watching table in virtual time, and measures what was sent and how late each change was seen.
import { type Client, createClient } from 'paystate';
import { randomOf } from '../../unit/flows/pay-lives.ts';
import { boundOf, type Cell, nameOf } from './cells.ts';
import { type AnySnapshot, type Subject, WAY_MS, World } from './world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const TEN_MINUTES = 10 * MINUTE;
/** The SDK counts its requests over 630 s, so the measurement begins after that time. */
const WARM_UP_MS = 10.5 * MINUTE;
/** All first reads end within this. */
const FIRST_READS_MS = 90 * MINUTE;
/** Enough for a p99. */
const CHANGES = 200;
const SHORTEST_MINUTES = 30;
const LONGEST_MINUTES = 60;
/** At most this part of all has changed, is not watched any more and is not replaced yet. */
const MISSING = 0.02;
/** A share that is given and is the whole limit but for one request: the client knows that it is alone. */
const SHARE_OF_ONE = 0.999;
/** Timers and the way of a response add this to the time for which a value is `live`. */
const SLACK_MS = 250;
/** For how long a value is `live` where the status does not say. */
const LIVE_MS = 30 * SECOND;

/** Holds what was measured of a cell; times are seconds where no unit is named. */
export interface Row {
  readonly name: string;
  /** Requests of the watches. */
  readonly worstMinute: number;
  /** The same with the caller's own: what the service counts. */
  readonly allInTenMinutes: number;
  readonly changes: number;
  readonly missed: number;
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly worst: number | undefined;
  readonly bound: number;
  /** The longest time without a request of the watches. */
  readonly silence: number;
  /** Emissions of `stale` snapshots, and how many there may be. */
  readonly stale: number;
  readonly mostStale: number;
  /** Times that the service blocked the address. */
  readonly blocks: number;
  /** Changes that a `live` snapshot did not show for longer than its bound. */
  readonly falseLive: number;
  readonly longestFalse: number;
  /** Own reads that failed. */
  readonly ownFailures: number;
  /** Watches that ended by an error. */
  readonly ended: number;
}

/** One that is watched. */
class Watched {
  readonly subject: Subject;
  isKnown = false;
  isLive = false;
  changedAt: number | undefined;
  isMeasured = false;
  /** A `live` snapshot does not show the change now; it may be shown for this long. */
  isFalse = false;
  liveFor = LIVE_MS;
  stop: () => void = () => {};
  statusOf: () => { liveFor?: number | undefined; reason: string } = () => ({ reason: '' });

  constructor(subject: Subject) {
    this.subject = subject;
  }
}

/** Calls `act` in each period of this length, at a moment drawn by chance. */
function repeat(world: World, period: number, random: () => number, act: () => void): () => void {
  let isOver = false;
  const next = (from: number, at: number): void => {
    world.sandbox.clock.after(at - world.now(), () => {
      if (isOver) return;
      act();
      next(from + period, from + period * (1 + random()));
    });
  };
  const begin = world.now();
  next(begin + period, begin + period * random());
  return () => void (isOver = true);
}

/** The most of these times in any stretch of `ms`. */
function most(times: readonly number[], ms: number): number {
  let from = 0;
  return times.reduce((largest, at, n) => {
    while (times[from]! <= at - ms) from++;
    return Math.max(largest, n - from + 1);
  }, 0);
}

const longestPause = (times: readonly number[]): number =>
  times.slice(1).reduce((longest, at, n) => Math.max(longest, at - times[n]!), 0);

const partOf = (sorted: readonly number[], part: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

const inSeconds = (ms: number | undefined): number | undefined => ms && ms / SECOND;

const minutesOf = ({ payments }: Cell): number =>
  Math.ceil(Math.max(SHORTEST_MINUTES, Math.min(LONGEST_MINUTES, CHANGES / payments)));

/** A world, its client and all that is watched. */
class Run {
  readonly cell: Cell;
  readonly world: World;
  readonly client: Client;
  readonly random: () => number;
  readonly sent: number[] = [];
  readonly own: number[] = [];
  readonly delays: number[] = [];
  readonly watched = new Set<Watched>();
  isMeasuring = false;
  changes = 0;
  stale = 0;
  falseLive = 0;
  longestFalse = 0;
  ownFailures = 0;
  ended = 0;
  #missing = 0;
  /** Those that may be paid, in any order. */
  readonly #payable: Watched[] = [];

  constructor(cell: Cell) {
    this.cell = cell;
    this.world = new World(nameOf(cell), cell);
    this.random = randomOf(cell.count + cell.payments + cell.ownReads);
    const { sandbox } = this.world;
    const { fetch, ...options } = sandbox.clientOptionsFor({ address: '203.0.113.9' });
    this.client = createClient({
      ...options,
      ...(cell.share > 0.5 && { rateLimitShare: SHARE_OF_ONE }),
      capabilities: { feed: cell.hasFeed },
      fetch: async (url: string | URL | Request, init?: RequestInit) => {
        const { signal } = init ?? {};
        await sandbox.clock.wait(WAY_MS, signal ?? undefined);
        signal?.throwIfAborted();
        const response = await fetch(url, init);
        await sandbox.clock.wait(WAY_MS, signal ?? undefined);
        signal?.throwIfAborted();
        return response;
      },
      onRequest: ({ path }) => {
        if (!this.isMeasuring) return;
        (path === '/v1/balances' ? this.own : this.sent).push(this.world.now());
      },
    });
  }

  watch(subject: Subject): void {
    const one = new Watched(subject);
    this.watched.add(one);
    const watch = subject.watch(this.client, this.cell.isById);
    one.statusOf = () => watch.status();
    one.stop = watch.subscribe({
      next: (snapshot) => this.#hear(one, snapshot),
      error: () => void this.ended++,
    });
  }

  #hear(one: Watched, snapshot: AnySnapshot): void {
    const now = this.world.now();
    one.isLive = snapshot.freshness === 'live';
    if (this.isMeasuring && snapshot.freshness === 'stale') this.stale++;
    if (!one.isKnown && snapshot.value !== undefined) {
      one.isKnown = true;
      this.#payable.push(one);
    }
    if (one.changedAt === undefined) return;
    this.#judge(one, now);
    const shows = one.subject.shows(snapshot);
    one.isFalse = one.isLive && !shows;
    if (!shows) return;
    if (one.isMeasured) this.delays.push(now - one.changedAt);
    this.watched.delete(one);
    this.#missing++;
    queueMicrotask(() => one.stop());
    if (this.#missing > MISSING * this.cell.count) void this.replace();
  }

  /** Until now a `live` snapshot may have shown what was not so any more. */
  #judge(one: Watched, now: number): void {
    if (!one.isFalse) return;
    const lasted = now - one.changedAt!;
    this.longestFalse = Math.max(this.longestFalse, lasted);
    if (lasted > one.liveFor + SLACK_MS) this.falseLive++;
  }

  /** Makes and watches as many as have changed. */
  async replace(): Promise<void> {
    while (this.#missing > 0) {
      this.#missing--;
      this.watch(await this.world.create());
    }
  }

  /** One of those that are known changes. */
  async change(): Promise<void> {
    const at = Math.floor(this.random() * this.#payable.length);
    const one = this.#payable[at];
    if (!one) return; // it is known too late for this turn
    this.#payable[at] = this.#payable.at(-1)!;
    this.#payable.pop();
    one.isMeasured = this.isMeasuring;
    if (one.isMeasured) this.changes++;
    const { liveFor } = one.statusOf();
    await one.subject.change();
    one.changedAt = this.world.now();
    one.liveFor = liveFor ?? LIVE_MS;
    one.isFalse = one.isLive;
  }

  /** A read of the caller's own. */
  async read(): Promise<void> {
    await this.client.balances.list().catch(() => void this.ownFailures++);
  }

  /** Ends all, and returns how many changes were never shown; they count as seen now. */
  end(): number {
    const now = this.world.now();
    let missed = 0;
    for (const one of this.watched) {
      if (one.changedAt !== undefined) this.#judge(one, now);
      if (one.isMeasured) {
        missed++;
        this.delays.push(now - one.changedAt!);
      }
      one.stop();
    }
    return missed;
  }
}

async function readAllOnce(run: Run): Promise<void> {
  const begin = run.world.now();
  while ([...run.watched].some(({ isKnown }) => !isKnown)) {
    if (run.world.now() - begin > FIRST_READS_MS) throw new Error('first reads do not end');
    await run.world.sandbox.advance(SECOND);
  }
}

/** Begins the caller's own reads a window before anything is watched; returns what ends them. */
async function beginReading(run: Run): Promise<() => void> {
  const { ownReads } = run.cell;
  if (ownReads === 0) return () => {};
  const end = repeat(run.world, MINUTE / ownReads, run.random, () => void run.read());
  await run.world.sandbox.advance(WARM_UP_MS);
  return end;
}

/** Goes on until all that has changed was seen; what is seen later counts as missed. */
async function awaitChanges({ world, cell, watched }: Run): Promise<void> {
  const latest = world.now() + 3 * boundOf(cell) * SECOND + TEN_MINUTES;
  const isWaiting = (): boolean => [...watched].some(({ isMeasured }) => isMeasured);
  while (isWaiting() && world.now() < latest) await world.sandbox.advance(MINUTE / 2);
}

/** Holds what a measured span took. */
interface Span {
  readonly begin: number;
  readonly end: number;
  readonly missed: number;
}

async function playSpan(run: Run, minutes: number): Promise<Span> {
  const { world, cell } = run;
  const { sandbox } = world;
  const subjects = await world.fill(cell.count);
  await sandbox.advance(MINUTE);
  const endReading = await beginReading(run);
  for (const subject of subjects) run.watch(subject);
  await readAllOnce(run);
  await world.beginForeignEvents(cell.foreign);
  const perPayment = MINUTE / cell.payments;
  const endPayments = repeat(world, perPayment, run.random, () => void run.change());
  const endReplacing = repeat(world, MINUTE, run.random, () => void run.replace());
  await sandbox.advance(WARM_UP_MS);
  run.isMeasuring = true;
  const begin = world.now();
  await sandbox.advance(minutes * MINUTE - 1);
  run.isMeasuring = false;
  const end = world.now();
  endPayments();
  await awaitChanges(run);
  endReading();
  endReplacing();
  return { begin, end, missed: run.end() };
}

const delaysOf = (run: Run): Pick<Row, 'p50' | 'p99' | 'worst'> => {
  const delays = run.delays.sort((a, b) => a - b);
  return {
    p50: inSeconds(partOf(delays, 0.5)),
    p99: inSeconds(partOf(delays, 0.99)),
    worst: inSeconds(delays.at(-1)),
  };
};

/** Plays a cell: all is read once, everything goes on for a window, and is then measured. */
export async function playCell(cell: Cell, minutes = minutesOf(cell)): Promise<Row> {
  const run = new Run(cell);
  const span = await playSpan(run, minutes);
  const { begin, end } = span;
  const { sent, changes } = run;
  return {
    name: nameOf(cell),
    worstMinute: most(sent, MINUTE),
    allInTenMinutes: most(
      [...sent, ...run.own].sort((a, b) => a - b),
      TEN_MINUTES,
    ),
    changes,
    missed: span.missed,
    ...delaysOf(run),
    bound: boundOf(cell),
    silence: longestPause([begin, ...sent, end]) / SECOND,
    stale: run.stale,
    mostStale: Math.ceil((cell.count * minutes) / 10) + 2 * changes,
    blocks: run.world.sandbox.blocks,
    falseLive: run.falseLive,
    longestFalse: run.longestFalse / SECOND,
    ownFailures: run.ownFailures,
    ended: run.ended,
  };
}
