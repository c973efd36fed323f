import { isHarmless, isTaken, nextOf } from './decisions.ts';
import type { ErrorCode, Next, Outcome, OwnCode } from './errors.ts';
import { SERVICE_CODES, type ServiceCode, type ValidationCode } from './codes.ts';
import type { Idempotency } from './idempotency.ts';

/** How far a command had come: not sent · sent, no answer · answered with the code · found in a journal after a restart. */
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

export const PHASES: readonly Phase[] = ['unsent', 'sent', 'responded', 'restarted'];

export const REPEATS: readonly Idempotency[] = [
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

/** Status that stands for each of our own codes when something did answer. */
const OWN: Readonly<Record<OwnCode, number | undefined>> = {
  INPUT_INVALID: 400,
  SECRET_IN_BROWSER: 400,
  IDEMPOTENCY_KEY_EXPIRED: 409,
  TOKEN_UNAVAILABLE: undefined,
  LOGIN_REQUIRED: undefined,
  REFRESH_UNKNOWN: undefined,
  TIMEOUT: undefined,
  OFFLINE: undefined,
  ABORTED: undefined,
  REDIRECT: 302,
  RESPONSE_TOO_LARGE: 200,
  RESPONSE_INVALID: 200,
  RESPONSE_NOT_JSON: 200,
  RESPONSE_MISMATCH: 200,
  NOT_FROM_SERVICE: 502,
  QUEUE_TIMEOUT: undefined,
  EXISTS_UNREAD: undefined,
  LIST_UNSTABLE: undefined,
};

const FIELD: Readonly<Record<ValidationCode, 400>> = {
  INVALID_DATA: 400,
  INVALID_DATA_REQUIRED: 400,
  INVALID_DATA_LENGTH: 400,
  INVALID_DATA_MINLENGTH: 400,
  INVALID_DATA_MAXLENGTH: 400,
  INVALID_DATA_VALUE: 400,
  INVALID_DATA_CURRENCY: 400,
};

/** Our own codes that say that nothing was sent. */
const UNSENT =
  /^(INPUT_INVALID|SECRET_IN_BROWSER|TOKEN_UNAVAILABLE|LOGIN_\w+|REFRESH_UNKNOWN|QUEUE_TIMEOUT)$/;

/** Our own codes that say that something exists, or may. */
const MADE = /^(IDEMPOTENCY_KEY_EXPIRED|EXISTS_UNREAD)$/;

const statuses = (): Readonly<Record<string, number | undefined>> => ({
  ...OWN,
  ...FIELD,
  ...SERVICE_CODES,
});

/**
 * Decides what to do after an error: the one cell of the table for this code, this way of repeating and this phase.
 * `idempotency` is a column of each row of `paystate/endpoints`. Nothing is sent.
 *
 * @param code a code of the service, of a field or of ours; any other is judged as a refusal
 * @example
 * decide('PAYMENT_QUOTE_EXPIRED', 'same-request', 'responded').next; // 'new-quote'
 */
export function decide(code: ErrorCode, idempotency: Idempotency, phase: Phase): Decision {
  const known = statuses();
  const isKnown = Object.hasOwn(known, code);
  const status = isKnown ? known[code] : 422;
  const isRefused = phase === 'responded' && isAnswer(code, status) && !isTaken(code);
  const isDone =
    code !== 'RESPONSE_MISMATCH' && (isHarmless(idempotency) || phase === 'unsent' || isRefused); // that is nobody's answer
  const outcome = isDone && !MADE.test(code) ? 'not-done' : 'unknown';
  const isOld = phase === 'restarted' && idempotency === 'key-then-read-money'; // how long the service keeps a key is not known
  return {
    code: isKnown ? code : '',
    idempotency,
    phase,
    outcome,
    next: isOld || MADE.test(code) ? 'read-first' : nextOf(idempotency, { code, status }, outcome),
  };
}

/** The service said no, or nothing was sent. */
function isAnswer(code: string, status: number | undefined): boolean {
  return UNSENT.test(code) || (!Object.hasOwn(OWN, code) && status! < 500);
}

/**
 * The whole table as data, for docs, devtools and tests: every code, every way of repeating, every phase, once each.
 *
 * @example
 * const unsafe = decisionTable().filter(({ idempotency, outcome }) => idempotency === 'none' && outcome === 'unknown');
 */
export function decisionTable(): readonly Decision[] {
  return [...Object.keys(statuses()), ''].flatMap((code) =>
    REPEATS.flatMap((idempotency) => PHASES.map((phase) => decide(code, idempotency, phase))),
  );
}

/** Every code that is known: the service's, those of single fields, ours. */
export type KnownCode = ServiceCode | ValidationCode | OwnCode;
