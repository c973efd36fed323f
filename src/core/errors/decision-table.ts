import { CODE_ROWS, type CodeRow, meaningOf } from './codes.ts';
import { isHarmless, nextOf } from './decisions.ts';
import type { ErrorCode } from './errors.ts';
import type { Idempotency } from './idempotency.ts';
import type { Next, Outcome } from './outcome.ts';

/**
 * How far a request had come: not sent · sent, no response · the service responded with the code ·
 * found in a journal after a restart.
 */
export type Phase = 'unsent' | 'sent' | 'responded' | 'restarted';

/** One cell of the decision table. */
export interface Decision {
  /** A code of the service, of a broken field or of ours; `''` stands for any other. */
  readonly code: string;
  /** What makes repeating the request safe. */
  readonly idempotency: Idempotency;
  /** How far the request had come. */
  readonly phase: Phase;
  /** Whether it is known that nothing was done. */
  readonly outcome: Outcome;
  /** What to do now. */
  readonly next: Next;
}

const PHASES: readonly Phase[] = ['unsent', 'sent', 'responded', 'restarted'];

const REPEATS: readonly Idempotency[] = [
  'safe',
  'pure',
  'client-id',
  'key-then-read',
  'key-then-read-money',
  'key-only',
  'same-request',
  'convergent',
  'none',
];

/**
 * Decides what to do after an error: the one cell of the table for this code, this idempotency and
 * this phase. `idempotency` is a member of each endpoint of `paystate/endpoints`. Nothing is sent.
 *
 * @param code a code of the service, of a field or of ours; any other counts as a refusal
 * @example
 * decide('PAYMENT_QUOTE_EXPIRED', 'same-request', 'responded').next; // 'new-quote'
 */
export function decide(code: ErrorCode, idempotency: Idempotency, phase: Phase): Decision {
  const isKnown = Object.hasOwn(CODE_ROWS, code);
  const row = isKnown ? CODE_ROWS[code]! : { status: 422, ...meaningOf(code) };
  const isDone =
    !row.isUnknown &&
    (isHarmless(idempotency) || phase === 'unsent' || (phase === 'responded' && isRefusal(row)));
  const outcome = isDone ? 'not-done' : 'unknown';
  // how long the service keeps a key is not known
  const isOld = phase === 'restarted' && idempotency === 'key-then-read-money';
  const next = isOld
    ? 'read-first'
    : nextOf(idempotency, { code, status: row.status }, outcome, row);
  return { code: isKnown ? code : '', idempotency, phase, outcome, next };
}

/** The service refused, or nothing was sent. */
function isRefusal({ status, kind, exists, isUnsent }: CodeRow): boolean {
  return isUnsent || (!exists && !kind && status! < 500);
}

/**
 * The whole table as data, for docs, devtools and tests: every code, every idempotency, every
 * phase, once each.
 *
 * @example
 * const unsafe = decisionTable().filter(
 *   ({ idempotency, outcome }) => idempotency === 'none' && outcome === 'unknown',
 * );
 */
export function decisionTable(): readonly Decision[] {
  return [...Object.keys(CODE_ROWS), ''].flatMap((code) =>
    REPEATS.flatMap((idempotency) => PHASES.map((phase) => decide(code, idempotency, phase))),
  );
}
