import type { ErrorFacts, Next, Outcome } from './errors.ts';
import type { Idempotency } from './idempotency.ts';

/** Rows whose effect nobody can see when the answer is lost. */
export function isHarmless(idempotency: Idempotency): boolean {
  return idempotency === 'safe' || idempotency === 'pure';
}

/** Rows that the SDK may send again after a lost answer. `same-request` only where the operation resolves a duplicate. */
export function mayRepeat(idempotency: Idempotency, resolvable: boolean): boolean {
  return idempotency !== 'none' && (idempotency !== 'same-request' || resolvable);
}

/** Codes that say that the thing is there already, or under way: never that it did not happen. */
export function isTaken(code: string): boolean {
  return /^PROCESSING_|^DUPLICATE_|_PROCESSED$|_INITIATED$|_INVOICE_CANCELLED$/.test(code);
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
 * The next step for an error: doubt comes first, then the code, then the status. `decide` asks the whole table.
 *
 * @example
 * nextOf('none', { code: 'TIMEOUT' }, 'unknown') // 'read-first'
 */
export function nextOf(
  idempotency: Idempotency,
  facts: Omit<ErrorFacts, 'outcome'>,
  outcome: Outcome,
): Next {
  if (facts.code === 'DUPLICATE_PAYMENT_QUOTE') return 'new-quote'; // it cannot be read, and moves nothing
  if (isTaken(facts.code) && facts.code !== 'PROCESSING_CONFLICT') return 'read-first';
  if (outcome === 'unknown')
    return !mayRepeat(idempotency, false)
      ? 'read-first'
      : idempotency === 'key-only'
        ? 'new-quote'
        : 'retry'; // a quote cannot be read, and moves nothing
  if (facts.code === 'QUEUE_TIMEOUT') return 'wait';
  if (/^LOGIN_/.test(facts.code)) return 'login';
  if (/^(PROCESSING_CONFLICT|OFFLINE|TIMEOUT|RESPONSE_NOT_JSON)$/.test(facts.code)) return 'retry'; // whatever the status was
  if (/_EXPIRED$/.test(facts.code)) return 'new-quote';
  const { status } = facts;
  if (status === undefined || status >= 500) return 'retry';
  return BY_STATUS[status] ?? (status < 400 ? 'stop' : 'ask-user');
}
