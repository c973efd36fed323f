import { type Connection, type Priority, stateOf } from './connection.ts';
import { RESERVE } from './rate-limiter.ts';

/**
 * What a client may spend on attempts after the first: 5 each, 10 after a timeout; a call that
 * needs none gives 1 back.
 */
const TOKENS = 500;

function bucketOf(connection: Connection): { tokens: number } {
  return stateOf(connection, 'core.retries', () => ({ tokens: TOKENS }));
}

/** Gives back a token for a call that needed no second attempt. */
export function earnRetry(connection: Connection): void {
  const bucket = bucketOf(connection);
  bucket.tokens = Math.min(TOKENS, bucket.tokens + 1);
}

/**
 * Pays for another attempt, unless that would leave too little for the priorities that go first.
 */
export function payRetry(connection: Connection, priority: Priority, cost: number): boolean {
  const bucket = bucketOf(connection);
  if (bucket.tokens < cost + TOKENS * RESERVE[priority]) return false;
  bucket.tokens -= cost;
  return true;
}
