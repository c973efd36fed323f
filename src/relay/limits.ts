import {
  type Bucket,
  type Connection,
  internals,
  countPlaces,
  type Priority,
  type RateLimitCounter,
  type RatePlaces,
} from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import { noPlaceInTime, type ReadTurns } from '../webhooks/reads.ts';
import { refusalBy, Refused } from './calls.ts';
import type { EvenPace, HadTurns, RelayStore, Turns, WindowPace } from './relay-store.ts';
import { PLACE_WAIT } from './tokens.ts';

type PageRequest = 'read' | 'open' | 'quote';

interface Asker {
  readonly id: string;
  /** The network that the page's IP address belongs to. Absent if the address is unknown. */
  readonly visitor?: string | undefined;
}

interface Share {
  readonly bucket: Bucket;
  readonly part: number;
  /** The maximum number of requests per minute for one invoice or order. */
  readonly each: number;
}

/**
 * The shares of the rate limits that page requests can use. The rest is reserved for requests that
 * must not wait for pages. These are reads after webhooks, reads of invoices on open pages, and the
 * shop's own requests.
 */
const SHARES: Readonly<Record<PageRequest, Share>> = {
  read: { bucket: 'others', part: 0.3, each: 40 },
  open: { bucket: 'invoices', part: 0.8, each: 6 },
  quote: { bucket: 'invoice-quotes', part: 0.8, each: 12 },
};

const MINUTE = 60_000;

/**
 * Counts the requests of all accounts and processes that share an IP address, because the service's
 * rate limits apply per address. Lower priorities leave part of the limit to higher ones. Exceeding
 * a limit would block us for an hour. In a ten-minute window, enough requests are kept to send half
 * of the limit at even intervals, so that none has to wait for the next window.
 */
export function egressCounter(
  store: Pick<RelayStore, 'takeEgress' | 'readEgress' | 'blockEgress'>,
  client: Connection,
  address: string,
): RateLimitCounter {
  const { rateLimits, rateLimitShare } = client[internals].settings;
  const paceFor = (bucket: string, { places, window }: RatePlaces): WindowPace => {
    const { limit } = rateLimits[bucket as Bucket] ?? { limit: places / rateLimitShare };
    const most = Math.max(1, Math.floor(limit * rateLimitShare));
    const reserve = Math.max(0, Math.min(most - 1, Math.ceil(most - places)));
    return { most, window, reserve, spread: window > 2 * MINUTE ? most >> 1 : 0 };
  };
  return {
    take: (bucket, places) => store.takeEgress(address, bucket, paceFor(bucket, places)),
    block: (bucket, ms) => store.blockEgress(address, bucket, ms),
    read: (bucket, places) => store.readEgress(address, bucket, paceFor(bucket, places)),
  };
}

/**
 * The interval at which waiting requests are granted together in a single write, in milliseconds.
 */
const SLICE = 50;
/** The longest interval between checks of the queue, in milliseconds. */
const LONG_SLICE = 500;
/** The maximum number of waiting requests. It limits memory use. */
const MOST_WAITING = 10_000;

interface Group {
  readonly who: string;
  readonly most: number;
  readonly ms: number;
}

interface Waiting {
  /**
   * The groups that the request is counted against. The order or invoice comes first, followed by
   * the networks from narrow to wide.
   */
  readonly groups: readonly Group[];
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

type TurnStore = Pick<RelayStore, 'takeTurns' | 'hadTurns' | 'chargeTurns'>;

/**
 * The fair queue for an account's page requests. Customers who have used the least go first.
 * Requests are counted by order or invoice, and by the networks that an IP address belongs to. A
 * customer with IPv6 may control 2^8 or more networks of size /64, so /64, /56 and /48 are counted
 * separately, each with its own limit. Requests are granted in batches, with one write per batch.
 */
export class FairQueue {
  readonly #client: Connection;
  readonly #store: TurnStore;
  readonly #account: string;
  readonly #waiting: Map<PageRequest, Waiting[]> = new Map();
  readonly #running: Set<PageRequest> = new Set();

  constructor(client: Connection, store: TurnStore, account: string) {
    this.#client = client;
    this.#store = store;
    this.#account = account;
  }

  get #clock(): Clock {
    return this.#client[internals].clock;
  }

  /**
   * Resolves when the request can be sent. Rejects with `Refused` if the wait would be too long.
   */
  take(request: PageRequest, { id, visitor }: Asker): Promise<void> {
    const waiting = this.#waiting.get(request) ?? [];
    this.#waiting.set(request, waiting);
    if (waiting.length >= MOST_WAITING)
      return Promise.reject(new Refused(refusalBy('RATE_LIMIT_EXCEEDED', PLACE_WAIT)));
    return new Promise((resolve, reject) => {
      const own = { who: `id ${id}`, most: SHARES[request].each, ms: MINUTE };
      const groups = [own, ...listNetworks(visitor, this.#paceOf(request))];
      waiting.push({ groups, since: this.#clock.monotonic(), resolve, reject });
      void this.#run(request, waiting);
    });
  }

  async #run(request: PageRequest, waiting: Waiting[]): Promise<void> {
    if (this.#running.has(request)) return;
    this.#running.add(request);
    while (waiting.length > 0) await this.#slice(request, waiting);
    this.#running.delete(request);
  }

  async #slice(request: PageRequest, waiting: Waiting[]): Promise<void> {
    let wait = SLICE;
    try {
      const groups = new Set(waiting.flatMap((one) => one.groups.map(({ who }) => who)));
      const had = await this.#store.hadTurns(this.#account, request, [...groups]);
      for (const one of [...waiting]) {
        const spent = one.groups.filter(({ who, most }) => (had.get(who)?.count ?? 0) >= most);
        if (spent.length === 0) continue;
        refuse(waiting, one, Math.max(...spent.map(({ who }) => had.get(who)!.left)));
      }
      if (waiting.length > 0) wait = await this.#give(request, waiting, had);
    } catch (thrown) {
      // without the database, no request is allowed
      for (const one of waiting.splice(0)) one.reject(thrown);
    }
    await this.#clock.wait(wait);
  }

  /**
   * Grants as many requests as the rate limit allows. Resolves to the delay until the next check,
   * in milliseconds.
   */
  async #give(
    request: PageRequest,
    waiting: Waiting[],
    had: ReadonlyMap<string, HadTurns>,
  ): Promise<number> {
    const [store, account] = [this.#store, this.#account];
    const pace = this.#paceOf(request);
    const turns = inTurn(waiting, had, pace.most);
    const { granted, delay } = await store.takeTurns(account, request, turns.length, pace);
    const charges = new Map<string, { who: string; count: number; ms: number }>();
    for (const one of turns.slice(0, granted)) {
      waiting.splice(waiting.indexOf(one), 1);
      for (const { who, ms } of one.groups)
        charges.set(who, { who, ms, count: (charges.get(who)?.count ?? 0) + 1 });
      one.resolve();
    }
    const charged = store.chargeTurns(account, request, [...charges.values()]);
    const latest = this.#clock.monotonic() - PLACE_WAIT + (granted < turns.length ? delay : 0);
    for (const one of waiting.filter(({ since }) => since <= latest))
      refuse(waiting, one, Math.max(delay, PLACE_WAIT));
    await charged.catch(() => {}); // if this fails, the queue just gets less fair
    return granted < turns.length ? Math.min(Math.max(delay, SLICE), LONG_SLICE) : SLICE;
  }

  #paceOf(request: PageRequest): WindowPace {
    const { rateLimits, rateLimitShare } = this.#client[internals].settings;
    const { bucket, part } = SHARES[request];
    const { limit, window } = rateLimits[bucket];
    return { most: Math.max(1, Math.floor(limit * rateLimitShare * part)), window };
  }
}

/**
 * Returns requests in the order they're granted. The customer who has used the least comes first.
 * Each chosen request is counted as used before the next one is chosen.
 */
function inTurn(
  waiting: readonly Waiting[],
  had: ReadonlyMap<string, HadTurns>,
  most: number,
): readonly Waiting[] {
  const counts = new Map([...had].map(([who, { count }]) => [who, count]));
  const readCount = (who: string): number => counts.get(who) ?? 0;
  const turns: Waiting[] = [];
  let left = [...waiting];
  while (left.length > 0 && turns.length < most) {
    const next = left.reduce((a, b) =>
      computeWeight(b, readCount) < computeWeight(a, readCount) ? b : a,
    );
    turns.push(next);
    left.splice(left.indexOf(next), 1);
    for (const { who } of next.groups) counts.set(who, readCount(who) + 1);
    if (next.groups.some(isSpent)) left = left.filter((one) => !one.groups.some(isSpent));
  }
  return turns;

  function isSpent({ who, most: limit }: Group): boolean {
    return readCount(who) >= limit;
  }
}

function refuse(waiting: Waiting[], one: Waiting, wait: number): void {
  waiting.splice(waiting.indexOf(one), 1);
  one.reject(new Refused(refusalBy('RATE_LIMIT_EXCEEDED', wait)));
}

/** The fraction of a window's requests that can be sent at once after a quiet period. */
const AT_ONCE = 1 / 8;

function evenPace(most: number, window: number): EvenPace {
  const interval = window / (most * (1 - AT_ONCE));
  return {
    interval: Math.max(1, Math.ceil(interval)),
    burst: Math.floor(most * AT_ONCE * interval),
  };
}

interface ReadKind {
  readonly kind: string;
  /** The fraction of its priority's rate limit. */
  readonly part: number;
  readonly priority: Priority;
}

/**
 * Spreads reads evenly over time for all processes of an account. The state is stored in the
 * database, so all processes together don't send more than a single one would. A process can claim
 * work and a rate-limit slot in one transaction.
 */
export class SharedTurns implements ReadTurns {
  readonly kind: string;
  readonly pace: EvenPace;
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
    const { places, window } = countPlaces(client, 'others', priority);
    this.pace = evenPace(places * part, window);
    this.#clock = client[internals].clock;
    this.#store = store;
    this.#account = account;
  }

  /**
   * Marks the next request as already granted, because its rate-limit slot was taken when the work
   * was claimed.
   */
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

  async takeNow(): Promise<boolean> {
    return (await this.#take()).granted > 0;
  }

  #take(): Promise<Turns> {
    return this.#store.takeTurns(this.#account, this.kind, 1, this.pace);
  }
}

/**
 * Returns how much of the limit the networks of a request have used. A wider network counts half as
 * much as the next narrower one, because more customers share it.
 */
function computeWeight({ groups }: Waiting, countOf: (who: string) => number): number {
  const [own, ...networks] = groups.map(({ who }) => countOf(who));
  return Math.max(...networks.map((count, wider) => count / 2 ** wider), (own ?? 0) / 1_000);
}

/**
 * Returns the networks of an IP address, from narrow to wide, with the maximum number of requests
 * for each. There's no limit for a group of neighboring IPv4 addresses, or for the group of
 * requests without an address. Their counts only determine who goes first.
 */
function listNetworks(visitor: string | undefined, { most, window: ms }: WindowPace): Group[] {
  const group = (who: string, turns: number): Group => ({ who, ms, most: Math.floor(turns) });
  if (visitor === undefined) return [group('none', Infinity)];
  if (!visitor.endsWith('::/64')) {
    const parts = visitor.split('.');
    const near = parts.length === 4 ? [`${parts.slice(0, 3).join('.')}.0/24`] : [];
    return [group(visitor, most / 3), ...near.map((who) => group(who, Infinity))];
  }
  const [a = '0', b = '0', c = '0', d = '0'] = visitor.slice(0, -'::/64'.length).split(':');
  const wide = (Number.parseInt(d, 16) >> 8).toString(16);
  return [
    group(visitor, most / 3),
    group(`${a}:${b}:${c}:${wide}/56`, most / 2),
    group(`${a}:${b}:${c}/48`, (most * 2) / 3),
  ];
}
