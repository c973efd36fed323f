import { mayRepeat } from '../errors/index.ts';
import type { AttemptResult } from './attempt.ts';
import type { CallState } from './call-state.ts';
import { type Connection, type Priority, stateOf } from './connection.ts';
import type { Failure } from './failure.ts';
import { RESERVE } from './rate-limiter.ts';

/** First and longest delay between attempts, milliseconds; the real one is random below. */
const FIRST_DELAY = 250;
const LONGEST_DELAY = 20_000;
/** What a client may spend on attempts after the first: 5 each, 10 after a timeout; a call that needs none gives 1 back. */
const TOKENS = 500;

function bucketOf(connection: Connection): { tokens: number } {
  return stateOf(connection, 'core.retries', () => ({ tokens: TOKENS }));
}

/** Gives back a token for a call that needed no second attempt. */
export function earnRetry(connection: Connection): void {
  const bucket = bucketOf(connection);
  bucket.tokens = Math.min(TOKENS, bucket.tokens + 1);
}

/** Pays for another attempt, unless that would leave too little for the priorities that go first. */
function payRetry(connection: Connection, priority: Priority, cost: number): boolean {
  const bucket = bucketOf(connection);
  if (bucket.tokens < cost + TOKENS * RESERVE[priority]) return false;
  bucket.tokens -= cost;
  return true;
}

/** Tells the source of the credential that the service refused it; true where another one may be tried, once a call. */
function rejectCredential(call: CallState, failure: Failure, { sender }: AttemptResult): boolean {
  if (failure.kind !== 'authentication' || !sender?.reject) return false;
  sender.reject();
  return failure === (call.refusal ??= failure);
}

/** Decides on another attempt, and pays for it: milliseconds until it, or `undefined` where there must be none. */
export function planRetry(
  call: CallState,
  failure: Failure,
  result: AttemptResult,
  attempt: number,
): number | undefined {
  const { connection, endpoint, job, options, priority, end } = call;
  const renews = rejectCredential(call, failure, result);
  const backoff = () => connection.random() * Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt);
  const delay = renews ? 0 : (failure.delay ?? backoff());
  const isLate = connection.clock.monotonic() + delay >= end;
  if (isLate || !mayRepeat(endpoint.idempotency, job.resolve !== undefined)) return undefined;
  if (renews) return delay;
  const isTransient = failure.transient && !(call.refusal && result.isUnsent); // the service's refusal is told at once
  const isAllowed =
    isTransient &&
    attempt < options.maxAttempts &&
    payRetry(connection, priority, result.reason === 'TIMEOUT' ? 10 : 5);
  return isAllowed ? delay : undefined;
}
