import { type CodeRow, meaningOf } from './codes.ts';
import type { ErrorFacts } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import type { Next, Outcome } from './outcome.ts';

/** The request has no effect that matters: a read, or a fresh quote. */
export function isHarmless(idempotency: Idempotency): boolean {
  return idempotency === 'safe' || idempotency === 'pure';
}

/**
 * The SDK may send the request again after a lost response. `same-request` only where the operation
 * resolves a duplicate.
 */
export function mayRepeat(idempotency: Idempotency, canResolve: boolean): boolean {
  return idempotency !== 'none' && (idempotency !== 'same-request' || canResolve);
}

const BY_STATUS: Readonly<Record<number, Next>> = {
  400: 'fix-input',
  401: 'login',
  403: 'get-scope',
  408: 'retry',
  409: 'read-first',
  425: 'wait',
  429: 'wait',
};

/**
 * The next step for an error: doubt comes first, then the code, then the status. `decide` reads the
 * whole table.
 *
 * @example
 * nextOf('none', { code: 'TIMEOUT' }, 'unknown') // 'read-first'
 */
export function nextOf(
  idempotency: Idempotency,
  { code, status }: Omit<ErrorFacts, 'outcome'>,
  outcome: Outcome,
  { exists, next = nextByStatus(status) }: CodeRow = meaningOf(code),
): Next {
  if (outcome === 'not-done' || (exists && next !== 'retry')) return next;
  if (!mayRepeat(idempotency, false)) return 'read-first';
  // a quote cannot be read, and moves nothing
  return idempotency === 'key-only' ? 'new-quote' : 'retry';
}

function nextByStatus(status: number | undefined): Next {
  if (status === undefined || status >= 500) return 'retry';
  return BY_STATUS[status] ?? (status < 400 ? 'stop' : 'ask-user');
}
