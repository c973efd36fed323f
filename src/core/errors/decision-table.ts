import { isHarmless, isTaken, nextOf } from './decisions.ts';
import type { ErrorCode, Next, Outcome, OwnCode } from './errors.ts';
import { SERVICE_CODES, type ServiceCode, type ValidationCode } from './codes.ts';
import type { Repeat } from './idempotency.ts';

/** How far a command had come: not sent · sent, no answer · answered with the code · found in a journal after a restart. */
export type Phase = 'before' | 'sent' | 'answered' | 'restarted';

/** One cell of the decision table. */
export interface Decision {
  /** A code of the service, of a broken field or of ours; `''` stands for any other. */
  readonly code: string;
  readonly repeat: Repeat;
  readonly phase: Phase;
  readonly outcome: Outcome;
  readonly next: Next;
}

export const PHASES: readonly Phase[] = ['before', 'sent', 'answered', 'restarted'];

export const REPEATS: readonly Repeat[] = [
  'read',
  'pure',
  'own-id',
  'key-read',
  'key-read-money',
  'key-blind',
  'by-id',
  'converge',
  'once',
];

/** Status that stands for each of our own codes when something did answer. */
const OWN: Readonly<Record<OwnCode, number | undefined>> = {
  INPUT_INVALID: 400,
  KEY_IN_PAGE: 400,
  KEY_TOO_OLD: 409,
  TOKEN_UNAVAILABLE: undefined,
  LOGIN_NEEDED: undefined,
  LOGIN_UNSURE: undefined,
  TIMEOUT: undefined,
  OFFLINE: undefined,
  ABORTED: undefined,
  REDIRECT: 302,
  RESPONSE_TOO_LARGE: 200,
  ANSWER_UNREADABLE: 200,
  ANSWER_NOT_JSON: 200,
  ANSWER_MISMATCH: 200,
  NO_ENVELOPE: 502,
  BUDGET_SPENT: undefined,
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
const UNSENT = /^(INPUT_INVALID|KEY_IN_PAGE|TOKEN_UNAVAILABLE|LOGIN_\w+|BUDGET_SPENT)$/;

/** Our own codes that say that something exists, or may. */
const MADE = /^(KEY_TOO_OLD|EXISTS_UNREAD)$/;

const statuses = (): Readonly<Record<string, number | undefined>> => ({
  ...OWN,
  ...FIELD,
  ...SERVICE_CODES,
});

/**
 * Decides what to do after an error: the one cell of the table for this code, this way of repeating and this phase.
 * `repeat` is a column of each row of `paystate/endpoints`. Nothing is sent.
 *
 * @param code a code of the service, of a field or of ours; any other is judged as a refusal
 * @example
 * decide('PAYMENT_QUOTE_EXPIRED', 'by-id', 'answered').next; // 'new-quote'
 */
export function decide(code: ErrorCode, repeat: Repeat, phase: Phase): Decision {
  const known = statuses();
  const isKnown = Object.hasOwn(known, code);
  const status = isKnown ? known[code] : 422;
  const isRefused = phase === 'answered' && isAnswer(code, status) && !isTaken(code);
  const isDone =
    code !== 'ANSWER_MISMATCH' && (isHarmless(repeat) || phase === 'before' || isRefused); // that is nobody's answer
  const outcome = isDone && !MADE.test(code) ? 'not-done' : 'unknown';
  const isOld = phase === 'restarted' && repeat === 'key-read-money'; // how long the service keeps a key is not known
  return {
    code: isKnown ? code : '',
    repeat,
    phase,
    outcome,
    next: isOld || MADE.test(code) ? 'read-first' : nextOf(repeat, { code, status }, outcome),
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
 * const unsafe = decisionTable().filter(({ repeat, outcome }) => repeat === 'once' && outcome === 'unknown');
 */
export function decisionTable(): readonly Decision[] {
  return [...Object.keys(statuses()), ''].flatMap((code) =>
    REPEATS.flatMap((repeat) => PHASES.map((phase) => decide(code, repeat, phase))),
  );
}

/** Every code that is known: the service's, those of single fields, ours. */
export type KnownCode = ServiceCode | ValidationCode | OwnCode;
