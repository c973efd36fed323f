import {
  type Bucket,
  type Connection,
  internals,
  placesOf,
  type Priority,
  type RateLimitCounter,
  type RateLog,
} from '../core/http/index.ts';
import type { DurableStorage } from '../core/platform.ts';
import type { Clock } from '../core/time.ts';
import { LogCounter, onThisClock } from '../stores/rate-limits.ts';
import { noPlaceInTime, type ReadTurns } from '../webhooks/reads.ts';
import { refusalBy, Refused } from './calls.ts';
import type { RelayStore, TurnPace, Turns } from './relay-store.ts';
import { PLACE_WAIT } from './tokens.ts';

/** Requests to the service that pages can cause. */
type PageRequest = 'read' | 'open' | 'quote';

/** For whom the service is asked. */
interface Asker {
  /** The invoice or order. */
  readonly id: string;
  /** The address, if one is known. */
  readonly visitor?: string | undefined;
}

interface Share {
  /** The rate limit that it is counted in. */
  readonly bucket: Bucket;
  /** Part of that limit that all pages together may use. */
  readonly part: number;
  /** Requests a minute for one invoice or order. */
  readonly each: number;
}

/**
 * The rest of each limit is for what must not wait for pages: reads after webhooks, watches of open
 * pages, the shop itself.
 */
const SHARES: Readonly<Record<PageRequest, Share>> = {
  read: { bucket: 'others', part: 0.3, each: 40 },
  open: { bucket: 'invoices', part: 0.8, each: 6 },
  quote: { bucket: 'invoice-quotes', part: 0.8, each: 12 },
};

const MINUTE = 60_000;
/** Part of what all pages may use that one address may. */
const VISITOR_PART = 1 / 3;

/**
 * Keeps a flood of one request within its share of the service's limits, and one page from using
 * all of that, however often the object sleeps.
 */
export class Shares {
  readonly #client: Connection;
  readonly #counter: LogCounter;

  constructor(client: Connection, counter: LogCounter) {
    this.#client = client;
    this.#counter = counter;
  }

  /**
   * Counts a request to the service: as a whole, by invoice or order, and by address, so that
   * one customer with many orders leaves the others theirs. Throws `Refused` where a share is
   * spent; nothing is sent then.
   */
  take(request: PageRequest, { id, visitor }: Asker): void {
    const { rateLimits, rateLimitShare } = this.#client[internals].settings;
    const { bucket, part, each } = SHARES[request];
    const { limit, window } = rateLimits[bucket];
    const whole = limit * rateLimitShare * part;
    const byVisitor = { places: whole * VISITOR_PART, window };
    const shares = [
      [`pages ${request}`, { places: whole, window }],
      [`pages ${request} ${id}`, { places: each, window: MINUTE }],
      ...(visitor ? ([[`pages ${request} from ${visitor}`, byVisitor]] as const) : []),
    ] as const;
    const waits = shares.map(([name, places]) => this.#counter.read(name, places).delay);
    const wait = Math.max(...waits);
    if (wait > 0) throw new Refused(refusalBy('RATE_LIMIT_EXCEEDED', wait));
    for (const [name, places] of shares) this.#counter.take(name, places);
  }
}

/** A log whose damping after a block is whole again is forgotten. */
const RECOVERY_MS = 6_000_000;

/** A counter in the object's own database: one row for each bucket, with its whole log. */
export function storedCounter({ sql }: DurableStorage, clock: Clock): LogCounter {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS relay_counts (bucket TEXT PRIMARY KEY, log TEXT NOT NULL, ' +
      'until REAL NOT NULL)',
  );
  // wall time for those who come after, but a jump of the clock gives no place
  const ahead = clock.now() - clock.monotonic();
  const now = () => clock.monotonic() + ahead;
  return new LogCounter(
    {
      get(bucket) {
        const query = 'SELECT log FROM relay_counts WHERE bucket = ?';
        const [row] = sql.exec<{ log: string }>(query, bucket).toArray();
        return row && onThisClock(JSON.parse(row.log) as RateLog, now());
      },
      set(bucket, log, window) {
        const until = Math.max(now() + window, log.blockedUntil + RECOVERY_MS);
        sql.exec('DELETE FROM relay_counts WHERE until < ?', now());
        sql.exec(
          'INSERT OR REPLACE INTO relay_counts VALUES (?, ?, ?)',
          bucket,
          JSON.stringify(log),
          until,
        );
      },
    },
    now,
  );
}

/** Part of a window's requests that may leave at once after a quiet time. */
const AT_ONCE = 1 / 8;

/**
 * Counts the requests of all accounts and processes that the service sees from one address: its
 * limits are by address. One turn for each bucket, moved by each request (GCRA), so no window has
 * more than the limit, and one row says it. A lower priority has to leave a part of the burst.
 */
export function egressCounter(
  store: Pick<RelayStore, 'takeEgress' | 'readEgress' | 'blockEgress'>,
  client: Connection,
  address: string,
): RateLimitCounter {
  const { rateLimits, rateLimitShare } = client[internals].settings;
  const egressPace = (bucket: string, places: number, window: number): TurnPace => {
    const { limit } = rateLimits[bucket as Bucket] ?? { limit: places };
    const most = limit * rateLimitShare;
    const interval = window / (most * (1 - AT_ONCE));
    const part = Math.min(1, places / most);
    const burst = Math.max(0, Math.floor((most * AT_ONCE - 1) * interval * part ** 4));
    return { interval: Math.ceil(interval), burst };
  };
  return {
    async take(bucket, { places, window }) {
      const { delay, blockedFor } = await store.takeEgress(
        address,
        bucket,
        egressPace(bucket, places, window),
      );
      return { delay: Math.ceil(delay), blockedFor: Math.ceil(blockedFor) };
    },
    async block(bucket, ms) {
      await store.blockEgress(address, bucket, ms);
    },
    async read(bucket, { places, window }) {
      const { interval, burst } = egressPace(bucket, places, window);
      const { blockedFor, lead, isDamped } = await store.readEgress(address, bucket);
      const delay = Math.max(0, blockedFor, lead - burst);
      return { delay, blockedFor, used: Math.round(lead / interval), part: isDamped ? 0.5 : 1 };
    },
  };
}

/**
 * Interval at which waiting requests are given their turns together and written once, milliseconds.
 */
const SLICE = 50;
/** A request is forgotten after this, milliseconds: who asks less often has had nothing. */
const FORGIVEN_IN = 10_000;
/** More wait nowhere: memory is bounded. */
const MOST_WAITING = 10_000;

/** One that waits for its turn. */
interface Waiting {
  readonly id: string;
  readonly groups: readonly string[];
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The queue of an account's pages for the service's limits: who has had little goes first. Turns
 * are counted by order, and by the networks of an address: an IPv6 home has 2^8 networks of 64 bits
 * and more, so /64, /56 and /48 each count. A process takes turns in slices and writes once a
 * slice.
 */
export class FairQueue {
  readonly #client: Connection;
  readonly #store: Pick<RelayStore, 'takeTurns' | 'chargeTurns'>;
  readonly #account: string;
  readonly #waiting: Map<PageRequest, Waiting[]> = new Map();
  readonly #running: Set<PageRequest> = new Set();

  constructor(
    client: Connection,
    store: Pick<RelayStore, 'takeTurns' | 'chargeTurns'>,
    account: string,
  ) {
    this.#client = client;
    this.#store = store;
    this.#account = account;
  }

  get #clock(): Clock {
    return this.#client[internals].clock;
  }

  /** Resolves when it is this request's turn; rejects with `Refused` where that is too late. */
  take(request: PageRequest, { id, visitor }: Asker): Promise<void> {
    const waiting = this.#waiting.get(request) ?? [];
    this.#waiting.set(request, waiting);
    if (waiting.length >= MOST_WAITING)
      return Promise.reject(new Refused(refusalBy('RATE_LIMIT_EXCEEDED', PLACE_WAIT)));
    return new Promise((resolve, reject) => {
      const groups = [`id ${id}`, ...groupsOf(visitor)];
      waiting.push({ id, groups, since: this.#clock.monotonic(), resolve, reject });
      void this.#run(request);
    });
  }

  async #run(request: PageRequest): Promise<void> {
    if (this.#running.has(request)) return;
    this.#running.add(request);
    try {
      while ((this.#waiting.get(request) ?? []).length > 0) await this.#slice(request);
    } finally {
      this.#running.delete(request);
    }
  }

  async #slice(request: PageRequest): Promise<void> {
    const waiting = this.#waiting.get(request)!;
    const groups = [...new Set(waiting.flatMap((one) => one.groups))];
    const pace = this.#paceOf(SHARES[request]);
    try {
      const turns = await this.#store.takeTurns(
        this.#account,
        request,
        waiting.length,
        pace,
        groups,
      );
      await this.#give(request, turns);
    } catch (thrown) {
      // the database failed: no request may pass
      for (const one of waiting.splice(0)) one.reject(thrown);
    }
    await this.#clock.wait(SLICE);
  }

  /** Gives the turns to those who have had least, one after the other. */
  async #give(request: PageRequest, { granted, delay, used }: Turns): Promise<void> {
    const waiting = this.#waiting.get(request)!;
    const { each } = SHARES[request];
    const had = new Map(used);
    const charges = new Map<string, number>();
    const charge = (who: string, ms: number): void => {
      had.set(who, Math.max(0, had.get(who) ?? 0) + ms);
      charges.set(who, (charges.get(who) ?? 0) + ms);
    };
    const spent = waiting.filter(({ id }) => (had.get(`id ${id}`) ?? 0) > MINUTE);
    for (const one of spent) this.#refuse(request, one, (had.get(`id ${one.id}`) ?? 0) - MINUTE);
    for (let left = granted; left > 0 && waiting.length > 0; left -= 1) {
      const next = waiting.reduce((a, b) => (weightOf(b, had) < weightOf(a, had) ? b : a));
      waiting.splice(waiting.indexOf(next), 1);
      charge(`id ${next.id}`, MINUTE / each);
      for (const group of next.groups.slice(1)) charge(group, FORGIVEN_IN);
      next.resolve();
    }
    const now = this.#clock.monotonic();
    for (const one of waiting.filter(({ since }) => now - since >= PLACE_WAIT))
      this.#refuse(request, one, Math.max(delay * waiting.length, PLACE_WAIT));
    const list = [...charges].map(([who, ms]) => ({ who, ms }));
    await this.#store.chargeTurns(this.#account, request, list).catch(() => {}); // they count again
  }

  #refuse(request: PageRequest, one: Waiting, wait: number): void {
    const waiting = this.#waiting.get(request)!;
    waiting.splice(waiting.indexOf(one), 1);
    one.reject(new Refused(refusalBy('RATE_LIMIT_EXCEEDED', Math.min(wait, MINUTE))));
  }

  #paceOf({ bucket, part }: Share): TurnPace {
    const { rateLimits, rateLimitShare } = this.#client[internals].settings;
    const { limit, window } = rateLimits[bucket];
    return paceOf(limit * rateLimitShare * part, window);
  }
}

/** Turns that are spread evenly over a window, but for those that may be taken at once. */
function paceOf(most: number, window: number): TurnPace {
  const interval = window / (most * (1 - AT_ONCE));
  return {
    interval: Math.max(1, Math.ceil(interval)),
    burst: Math.floor(most * AT_ONCE * interval),
  };
}

/** Reads of an account that no page waits for. */
interface ReadKind {
  /** Names its row. */
  readonly kind: string;
  /** Part of the places that the rate limit has for its priority. */
  readonly part: number;
  readonly priority: Priority;
}

/**
 * Turns of all processes of an account: each takes its turn in the rows, so together they send no
 * more than one process would. Who takes work from the rows can take the turn to read it with it.
 */
export class SharedTurns implements ReadTurns {
  readonly kind: string;
  readonly pace: TurnPace;
  readonly #clock: Clock;
  readonly #store: Pick<RelayStore, 'takeTurns'>;
  readonly #account: string;
  #isTaken: boolean = false;

  constructor(
    client: Connection,
    store: Pick<RelayStore, 'takeTurns'>,
    account: string,
    { kind, part, priority }: ReadKind,
  ) {
    this.kind = kind;
    const { places, window } = placesOf(client, 'others', priority);
    this.pace = paceOf(places * part, window);
    this.#clock = client[internals].clock;
    this.#store = store;
    this.#account = account;
  }

  /** The next request has its turn: it was taken with the work. */
  noteTaken(): void {
    this.#isTaken = true;
  }

  async next(): Promise<void> {
    const isTaken = this.#isTaken;
    this.#isTaken = false;
    if (isTaken) return;
    const end = this.#clock.monotonic() + PLACE_WAIT;
    for (;;) {
      const { granted, delay } = await this.#take();
      if (granted > 0) return;
      if (this.#clock.monotonic() + delay > end) throw noPlaceInTime(this.#clock, delay);
      await this.#clock.wait(delay);
    }
  }

  /** Takes a turn if there is one now. */
  async takeNow(): Promise<boolean> {
    return (await this.#take()).granted > 0;
  }

  #take(): Promise<Turns> {
    return this.#store.takeTurns(this.#account, this.kind, 1, this.pace, []);
  }
}

/** The turns that a request's networks have had: a wide one is shared by more, and counts less. */
function weightOf({ groups }: Waiting, had: ReadonlyMap<string, number>): number {
  const [own = '', ...networks] = groups;
  const parts = networks.map((group, wider) => (had.get(group) ?? 0) / 2 ** wider);
  return Math.max(...parts, (had.get(own) ?? 0) / 1_000);
}

/** The networks of an address, from narrow to wide; all requests without one are one network. */
function groupsOf(visitor: string | undefined): readonly string[] {
  if (visitor === undefined) return ['none'];
  if (!visitor.endsWith('::/64')) {
    const parts = visitor.split('.');
    return parts.length === 4 ? [visitor, `${parts.slice(0, 3).join('.')}.0/24`] : [visitor];
  }
  const [a = '0', b = '0', c = '0', d = '0'] = visitor.slice(0, -'::/64'.length).split(':');
  const wide = Number.parseInt(d, 16) >> 8;
  return [visitor, `${a}:${b}:${c}:${wide.toString(16)}/56`, `${a}:${b}:${c}/48`];
}
