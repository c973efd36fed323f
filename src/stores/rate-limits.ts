import { checkArgument, checkMethods, checkOptions } from '../core/errors/index.ts';
import {
  blockHere,
  blockIn,
  type Bucket,
  type Connection,
  count,
  delayIn,
  internals,
  newRateLog,
  partIn,
  placeHere,
  placesNow,
  countPlaces,
  type Priority,
  type QueuePlace,
  type RateLimitCounter,
  type RateLimitCounts,
  type RateLimitPlace,
  type RateLimitStore,
  type RateLog,
  type RatePlaces,
} from '../core/http/index.ts';
import type { ObjectState, ObjectStub } from '../core/platform.ts';
import { type Clock, systemClock, takeTurns } from '../core/time.ts';
import { durableObjectDriver, type SqlDriver, type SqlRow } from './drivers.ts';
import { sql, SQL_OPTIONS, type SqlStoreOptions, SqlTables } from './sql-store.ts';

/**
 * How long we wait for a counter, in milliseconds. The longer timeout is for calls that don't move
 * money. If a counter is slow under heavy load, requests shouldn't bypass it too soon. After a
 * failure, the counter isn't used for `AWAY` milliseconds.
 */
const TIMEOUT = 5_000;
const LONG_TIMEOUT = 30_000;
const AWAY = 10_000;

/**
 * Creates a store from your own counter, such as one in a database that all processes can reach. If
 * the counter fails or takes too long, calls continue anyway. The timeout is five seconds, or
 * thirty seconds for calls that don't move money. After that, the client counts in memory for ten
 * seconds, and `onWait` gets `cause: 'store'`.
 *
 * @example
 * const rateLimitStore = rateLimitStoreOf({
 *   take: async (bucket, { places, window }) => ({ delay: 0, blockedFor: 0 }),
 *   block: async (bucket, ms) => {},
 *   read: async (bucket, places) => ({ delay: 0, blockedFor: 0, used: 0, part: 1 }),
 * });
 */
export function rateLimitStoreOf(counter: RateLimitCounter): RateLimitStore {
  checkMethods('counter', counter, 'take', 'block', 'read');
  return { [internals]: new GuardedCounter(counter, true) };
}

type Shared = RateLimitStore[typeof internals];

/**
 * Wraps a counter so that calls don't fail if the counter throws, rejects, hangs or returns invalid
 * values.
 */
class GuardedCounter implements Shared {
  readonly isShared: boolean;
  readonly #counter: RateLimitCounter;
  /** The time on the monotonic clock until which the counter isn't used, because it has failed. */
  #awayUntil: number = 0;

  constructor(counter: RateLimitCounter, isShared: boolean) {
    this.#counter = counter;
    this.isShared = isShared;
  }

  async take(
    connection: Connection,
    bucket: Bucket,
    priority: Priority,
    signal: AbortSignal | undefined,
  ): Promise<QueuePlace> {
    const places = placesNow(connection, bucket, priority);
    const isAway = this.#isAway(connection);
    const taken = await this.#ask(
      connection,
      async () => checkPlace(await this.#counter.take(bucket, places)),
      priority === 'critical' ? TIMEOUT : LONG_TIMEOUT,
      signal,
    );
    if (signal?.aborted) return { delay: 0, cause: 'limit' }; // nothing else is sent
    if (!taken) {
      const place = placeHere(connection, bucket, priority);
      if (place.delay === 0) count(connection, bucket, priority);
      return isAway ? place : { ...place, cause: 'store' };
    }
    const { delay, blockedFor } = taken;
    if (blockedFor > 0) blockHere(connection, bucket, blockedFor);
    if (delay === 0) count(connection, bucket, priority);
    return { delay, cause: blockedFor > 0 ? 'block' : 'limit' };
  }

  async block(connection: Connection, bucket: Bucket, ms: number): Promise<void> {
    await this.#ask(connection, () => this.#counter.block(bucket, ms));
  }

  read(connection: Connection, bucket: Bucket): Promise<RateLimitCounts | undefined> {
    const places = countPlaces(connection, bucket, 'high');
    return this.#ask(connection, () => this.#counter.read(bucket, places));
  }

  #isAway(connection: Connection): boolean {
    return connection[internals].clock.monotonic() < this.#awayUntil;
  }

  async #ask<T>(
    connection: Connection,
    work: () => T | Promise<T>,
    timeout: number = TIMEOUT,
    signal?: AbortSignal,
  ): Promise<T | undefined> {
    if (this.#isAway(connection)) return undefined;
    const { clock } = connection[internals];
    const over = new AbortController();
    const end = () => over.abort();
    signal?.addEventListener('abort', end);
    const time = clock.wait(timeout, over.signal);
    try {
      return await Promise.race([work(), time.then(() => Promise.reject<T>())]);
    } catch {
      if (!signal?.aborted) this.#awayUntil = clock.monotonic() + AWAY;
      return undefined;
    } finally {
      signal?.removeEventListener('abort', end);
      end();
    }
  }
}

/**
 * Throws if a response is neither a grant nor a delay, so that no request is sent because of it.
 */
function checkPlace(said: RateLimitPlace): RateLimitPlace {
  if (!(said.delay >= 0 && said.blockedFor >= 0))
    throw new TypeError('rateLimitStore returned neither a grant nor a delay');
  return said;
}

/** Takes one request from a log, if the limit allows it. Changes the log. */
function takeIn(log: RateLog, now: number, places: RatePlaces): RateLimitPlace {
  const delay = delayIn(log, now, places);
  if (delay === 0) log.sent.push(now);
  return { delay, blockedFor: Math.max(0, log.blockedUntil - now) };
}

function countsIn(log: RateLog, now: number, places: RatePlaces): RateLimitCounts {
  const delay = delayIn(log, now, places);
  const blockedFor = Math.max(0, log.blockedUntil - now);
  return { delay, blockedFor, used: log.sent.length, part: partIn(log, now) };
}

/** Storage for a counter's logs. It must be synchronous. */
interface Logs {
  get(bucket: string): RateLog | undefined;
  set(bucket: string, log: RateLog, window: number): void;
}

/**
 * Counts requests by logging when each one is sent. All reads and writes are synchronous, so no
 * count is lost.
 */
class LogCounter implements RateLimitCounter {
  readonly #logs: Logs;
  readonly #now: () => number;

  constructor(logs: Logs, now: () => number) {
    this.#logs = logs;
    this.#now = now;
  }

  take(bucket: string, places: RatePlaces): RateLimitPlace {
    const log = this.#log(bucket);
    const place = takeIn(log, this.#now(), places);
    if (place.delay === 0) this.#logs.set(bucket, log, places.window);
    return place;
  }

  block(bucket: string, ms: number): void {
    const log = this.#log(bucket);
    blockIn(log, this.#now(), ms);
    this.#logs.set(bucket, log, 0);
  }

  read(bucket: string, places: RatePlaces): RateLimitCounts {
    return countsIn(this.#log(bucket), this.#now(), places);
  }

  #log(bucket: string): RateLog {
    return this.#logs.get(bucket) ?? newRateLog();
  }
}

/**
 * Creates a store that counts in memory, for all clients in this process that share it. A single
 * client doesn't need one, because it counts its own requests.
 *
 * @param clock the clients' clock. Defaults to the system clock
 *
 * @example
 * const rateLimitStore = memoryRateLimitStore();
 * const [one, two] = ['KEY-1', 'KEY-2'].map((apiKey) =>
 *   createClient({ baseUrl: 'https://payments.example', apiKey, rateLimitStore }),
 * );
 */
export function memoryRateLimitStore(clock: Clock = systemClock): RateLimitStore {
  checkMethods('clock', clock, 'monotonic');
  const counter = new LogCounter(new Map(), () => clock.monotonic());
  return { [internals]: new GuardedCounter(counter, false) };
}

/** The path for requests to a Durable Object's counter. */
export const RATE_LIMITS_PATH = '/rate-limits';

/** The table prefix and clock of a rate limit store in an SQL database. */
export interface SqlRateLimitOptions extends SqlStoreOptions {
  /** The clients' clock. Defaults to the system clock. PostgreSQL uses its own clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a store that counts in an SQL database, for all clients that share it in any number of
 * processes. If the service blocks the clients, that block is stored too, so it survives a restart.
 *
 * @param driver the database driver. A SQLite database must be a file, unless `mayForget` is set
 *
 * @example
 * const client = createClient({
 *   baseUrl: 'https://payments.example',
 *   apiKey: 'KEY',
 *   rateLimitStore: sqlRateLimitStore(driver),
 * });
 */
export function sqlRateLimitStore(
  driver: SqlDriver,
  options: SqlRateLimitOptions = {},
): RateLimitStore {
  checkOptions<SqlRateLimitOptions>(options, { ...SQL_OPTIONS, clock: 'object' });
  return rateLimitStoreOf(new SqlCounter(driver, options));
}

/**
 * Creates a store that counts in a Durable Object, for example for a Worker that creates a client
 * for each request. The object can be a `RateLimitObject` or the account object of a relay.
 *
 * @param stub the object's stub
 *
 * @example
 * const limits = env.LIMITS.get(env.LIMITS.idFromName('main'));
 * const rateLimitStore = durableObjectRateLimitStore(limits);
 * const baseUrl = 'https://payments.example';
 * const client = createClient({ baseUrl, apiKey: 'KEY', rateLimitStore });
 */
export function durableObjectRateLimitStore(stub: ObjectStub): RateLimitStore {
  checkMethods('stub', stub, 'fetch');
  return rateLimitStoreOf(counterBehind(stub));
}

/**
 * A Durable Object that counts the requests of clients in other Workers or objects. See
 * `durableObjectRateLimitStore`. Export a subclass from your Worker, and list it under
 * `new_sqlite_classes`.
 *
 * @example
 * class Limits extends RateLimitObject {}
 */
export class RateLimitObject {
  readonly #counter: RateLimitCounter;

  constructor(ctx: ObjectState) {
    checkArgument('ctx', ctx, 'object!');
    this.#counter = new SqlCounter(durableObjectDriver(ctx.storage), {});
  }

  /** Responds to requests from a client's store. */
  fetch(request: Request): Promise<Response> {
    return answerFrom(this.#counter, request);
  }
}

interface StoredLog {
  readonly log: RateLog;
  readonly version: number;
}

/**
 * The maximum number of attempts to write a log. An attempt fails if another process has written
 * first. If this many attempts fail, something else must be wrong.
 */
const MAX_TRIES = 200;

/**
 * Stores the log of each bucket in one row. A write only replaces the version that was read. The
 * same batch then reads the row for the next attempt or request.
 */
class SqlCounter implements RateLimitCounter {
  readonly #tables: SqlTables;
  readonly #monotonic: () => number;
  /**
   * Difference between the database's clock and this process's monotonic clock. Initially, it's the
   * difference between the wall clock and the monotonic clock.
   */
  #ahead: number;
  readonly #known: Map<string, StoredLog> = new Map();
  /**
   * Runs this process's changes one after another, because concurrent changes would conflict.
   */
  readonly #inTurn: ReturnType<typeof takeTurns> = takeTurns();

  constructor(driver: SqlDriver, { clock = systemClock, ...options }: SqlRateLimitOptions) {
    this.#tables = new SqlTables(driver, options);
    this.#monotonic = () => clock.monotonic();
    // set only once, so that a jump of the wall clock doesn't allow more requests
    this.#ahead = clock.now() - clock.monotonic();
  }

  take(bucket: string, places: RatePlaces): Promise<RateLimitPlace> {
    return this.#inTurn(() =>
      this.#change(bucket, (log, now) => {
        const result = takeIn(log, now, places);
        return { result, isChanged: result.delay === 0 };
      }),
    );
  }

  block(bucket: string, ms: number): Promise<void> {
    return this.#inTurn(() =>
      this.#change(bucket, (log, now) => ({ result: blockIn(log, now, ms), isChanged: true })),
    );
  }

  async read(bucket: string, places: RatePlaces): Promise<RateLimitCounts> {
    const { log } = await this.#read(bucket);
    return countsIn(onThisClock(log, this.#now()), this.#now(), places);
  }

  async #change<T>(
    bucket: string,
    work: (log: RateLog, now: number) => { readonly result: T; readonly isChanged: boolean },
  ): Promise<T> {
    let before = this.#known.get(bucket) ?? (await this.#read(bucket));
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const log = onThisClock(before.log, this.#now());
      const { result, isChanged } = work(log, this.#now());
      if (isChanged && (await this.#replace(bucket, before.version, log))) return result;
      const now = isChanged ? this.#known.get(bucket)! : await this.#read(bucket);
      if (!isChanged && now.version === before.version) return result;
      before = now;
    }
    throw new Error('other processes keep changing the rate limits');
  }

  async #replace(bucket: string, version: number, log: RateLog): Promise<boolean> {
    const text = JSON.stringify(log);
    const write =
      version === 0
        ? sql(
            `INSERT INTO {}_rate_limits (bucket, log, version) VALUES (?, ?, 1)
              ON CONFLICT (bucket) DO NOTHING RETURNING version`,
            ...[bucket, text],
          )
        : sql(
            `UPDATE {}_rate_limits SET log = ?, version = version + 1
              WHERE bucket = ? AND version = ? RETURNING version`,
            ...[text, bucket, version],
          );
    const [written, found] = await this.#tables.batch([write, this.#select(bucket)]);
    this.#note(bucket, found![0]!);
    return written!.length > 0;
  }

  async #read(bucket: string): Promise<StoredLog> {
    const [[row]] = (await this.#tables.batch([this.#select(bucket)])) as [[SqlRow]];
    return this.#note(bucket, row);
  }

  #select(bucket: string): ReturnType<typeof sql> {
    const clock = 'extract(epoch FROM clock_timestamp()) * 1000';
    const now = this.#tables.onlyPostgresql(`, CAST(${clock} AS DOUBLE PRECISION) AS now`);
    return sql(
      `SELECT (SELECT log FROM {}_rate_limits WHERE bucket = ?) AS log,
        (SELECT version FROM {}_rate_limits WHERE bucket = ?) AS version${now}`,
      ...[bucket, bucket],
    );
  }

  #note(bucket: string, { log, version, now }: SqlRow): StoredLog {
    if (typeof now === 'number') this.#ahead = now - this.#monotonic();
    const known =
      typeof log === 'string'
        ? { log: JSON.parse(log) as RateLog, version: version as number }
        : { log: newRateLog(), version: 0 };
    this.#known.set(bucket, known);
    return known;
  }

  #now(): number {
    return this.#monotonic() + this.#ahead;
  }
}

/**
 * The longest that a block can last after a clock was set back, in milliseconds. The service's own
 * blocks last at most an hour.
 */
const LONGEST_BLOCK_MS = 3_900_000;

/**
 * Returns a copy of a log without future times, which occur if a clock was set back.
 */
function onThisClock({ sent, blockedUntil, damped }: RateLog, now: number): RateLog {
  return {
    sent: sent.map((at) => Math.min(at, now)),
    blockedUntil: Math.min(blockedUntil, now + LONGEST_BLOCK_MS),
    damped,
  };
}

function counterBehind(stub: ObjectStub): RateLimitCounter {
  const ask = async <T>(verb: keyof RateLimitCounter, ...given: readonly unknown[]): Promise<T> => {
    const body = JSON.stringify([verb, ...given]);
    const answer = await stub.fetch(`https://object${RATE_LIMITS_PATH}`, { method: 'POST', body });
    if (!answer.ok)
      throw new Error(`the Durable Object for rate limits responded with status ${answer.status}`);
    return (await answer.json()) as T;
  };
  return {
    take: (bucket, places) => ask('take', bucket, places),
    block: (bucket, ms) => ask('block', bucket, ms),
    read: (bucket, places) => ask('read', bucket, places),
  };
}

/** Responds to a request of `counterBehind`. Responds to invalid requests with 400. */
export async function answerFrom(counter: RateLimitCounter, request: Request): Promise<Response> {
  const body: unknown = await request.json().catch(() => undefined);
  const [verb, bucket, given]: readonly unknown[] = Array.isArray(body) ? body : [];
  const { places, window } = Object(given) as {
    readonly places?: unknown;
    readonly window?: unknown;
  };
  const isPlaces = isNumber(places) && isNumber(window);
  if (typeof bucket !== 'string' || bucket.length > 200) return new Response(null, { status: 400 });
  if (verb === 'take' && isPlaces)
    return Response.json(await counter.take(bucket, { places, window }));
  if (verb === 'read' && isPlaces)
    return Response.json(await counter.read(bucket, { places, window }));
  if (verb !== 'block' || !isNumber(given)) return new Response(null, { status: 400 });
  await counter.block(bucket, given);
  return Response.json({});
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && value >= 0;
}
