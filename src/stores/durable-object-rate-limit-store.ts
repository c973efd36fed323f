import type { RateLimitCounter, RateLimitStore, RateLog } from '../core/http/index.ts';
import type { DurableStorage, ObjectState, ObjectStub } from '../core/platform.ts';
import { type Clock, systemClock } from '../core/time.ts';
import { LogCounter } from './log-counter.ts';
import { rateLimitStoreOf } from './rate-limit-store.ts';

/** The service's longest block is an hour; a clock that was set back makes none longer. */
const LONGEST_BLOCK = 3_900_000;
/** What is damped after a block is whole again after this. */
const RECOVERY = 6_000_000;

/** Where an object is asked for places. */
export const RATE_LIMITS_PATH = '/rate-limits';

/**
 * Counts the requests of all clients of an account, in one Durable Object: in its SQLite database,
 * so that a block outlives the object's sleep. Inside the object give its storage; elsewhere, as in
 * a Worker with a client for each request, the stub of a `RateLimitObject` or of the relay's account
 * object.
 *
 * @param clock the clients' clock, where that is not the machine's
 * @example
 * const rateLimitStore = durableObjectRateLimitStore(env.LIMITS.get(env.LIMITS.idFromName('main')));
 * const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY', rateLimitStore });
 */
export function durableObjectRateLimitStore(
  source: DurableStorage | ObjectStub,
  clock: Clock = systemClock,
): RateLimitStore {
  // a stub has every member that is asked for, as a remote call, and the storage no `fetch`
  return rateLimitStoreOf('fetch' in source ? counterBehind(source) : storedCounter(source, clock));
}

/**
 * A Durable Object that counts requests for clients elsewhere; see `durableObjectRateLimitStore`.
 * Your Worker exports a class that extends it, one of its `new_sqlite_classes`.
 *
 * @example
 * class Limits extends RateLimitObject {}
 */
export class RateLimitObject {
  readonly #counter: RateLimitCounter;

  constructor(ctx: ObjectState) {
    this.#counter = storedCounter(ctx.storage, systemClock);
  }

  /** Answers a client's store. */
  fetch(request: Request): Promise<Response> {
    return answerFrom(this.#counter, request);
  }
}

/** A counter in the object's own database: one row for each bucket, with its whole log. */
export function storedCounter({ sql }: DurableStorage, clock: Clock): LogCounter {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS paystate_rate_limits (bucket TEXT PRIMARY KEY, log TEXT NOT NULL, until REAL NOT NULL)',
  );
  // wall time for those who come after, but a jump of the clock gives no place
  const ahead = clock.now() - clock.monotonic();
  const now = () => clock.monotonic() + ahead;
  return new LogCounter(
    {
      get(bucket) {
        const query = 'SELECT log FROM paystate_rate_limits WHERE bucket = ?';
        const [row] = sql.exec<{ log: string }>(query, bucket).toArray();
        return row && onThisClock(JSON.parse(row.log) as RateLog, now());
      },
      set(bucket, log, window) {
        const until = Math.max(now() + window, log.blockedUntil + RECOVERY);
        sql.exec('DELETE FROM paystate_rate_limits WHERE until < ?', now());
        sql.exec(
          'INSERT OR REPLACE INTO paystate_rate_limits VALUES (?, ?, ?)',
          bucket,
          JSON.stringify(log),
          until,
        );
      },
    },
    now,
  );
}

/** After the clock was set back, nothing lies in the future. */
function onThisClock({ sent, blockedUntil, damped }: RateLog, now: number): RateLog {
  return {
    sent: sent.map((at) => Math.min(at, now)),
    blockedUntil: Math.min(blockedUntil, now + LONGEST_BLOCK),
    damped,
  };
}

/** The counter of an object elsewhere. */
function counterBehind(stub: ObjectStub): RateLimitCounter {
  const ask = async (verb: keyof RateLimitCounter, ...given: readonly unknown[]) => {
    const body = JSON.stringify([verb, ...given]);
    const answer = await stub.fetch(`https://object${RATE_LIMITS_PATH}`, { method: 'POST', body });
    if (!answer.ok) throw new Error(`the rate limits' object answered ${answer.status}`);
    return (await answer.json()) as never;
  };
  return {
    take: (bucket, places) => ask('take', bucket, places),
    block: (bucket, ms) => ask('block', bucket, ms),
    read: (bucket, places) => ask('read', bucket, places),
  };
}

/** Answers what `counterBehind` asks; 400 where it cannot be from one. */
export async function answerFrom(counter: RateLimitCounter, request: Request): Promise<Response> {
  const [verb, bucket, given] = (await request.json().catch(() => [])) as readonly unknown[];
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
