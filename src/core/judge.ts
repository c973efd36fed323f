import type { Trial } from './attempt.ts';
import {
  AnswerError, type ErrorFacts, LoginError, type PaystateError, RefusedError, UnreachableError, type ValidationErrors,
} from './errors.ts';
import { type AnyRow, type Breach, type Drift, Misfit } from './row.ts';
import { retryAfter } from './retry-after.ts';

type ErrorClass = new (message: string, facts: ErrorFacts) => PaystateError;

/** Why an attempt failed, before it is known whether another one follows. */
export interface Failure {
  readonly failed: true;
  readonly error: ErrorClass;
  readonly message: string;
  readonly facts: Omit<ErrorFacts, 'outcome'>;
  /** The request may have had its effect although we hold no answer of the service. */
  readonly doubtful: boolean;
  /** Another attempt may fare better. */
  readonly passing: boolean;
  /** Milliseconds that the service asks us to stay away. */
  readonly wait?: number | undefined;
}

export interface Success {
  readonly failed: false;
  readonly value: unknown;
}

const NOTHING = {
  TIMEOUT: 'no answer within the time limit',
  ABORTED: 'the caller gave up waiting',
  OFFLINE: 'the connection failed',
  RESPONSE_TOO_LARGE: 'the answer is longer than the cap',
} as const;

const NO_TOKEN: Failure = {
  failed: true,
  error: LoginError,
  message: 'the token provider gave no usable token; nothing was sent',
  facts: { code: 'TOKEN_UNAVAILABLE' },
  doubtful: false,
  passing: false,
};

/** Refusals that pass by themselves. */
const BUSY: ReadonlySet<string> = new Set(['PROCESSING_CONFLICT', 'ACCOUNT_NOT_READY', 'RATE_LIMIT_EXCEEDED']);

/** Judges one attempt: only an answer with the service's envelope is an answer of the service. */
export function judge(row: AnyRow, trial: Trial, now: number, strict: boolean, drift?: (finding: Drift) => void): Success | Failure {
  if (trial.came === 'unsent') return NO_TOKEN;
  if (trial.came === 'nothing')
    return unreachable(trial.why, NOTHING[trial.why], trial.status, trial.why !== 'RESPONSE_TOO_LARGE');
  const { status, text } = trial;
  if (status === 0 || (status >= 300 && status < 400))
    return unreachable('REDIRECT', 'redirects are not followed; check baseUrl', status, false);
  const json = parse(text);
  if (status >= 200 && status < 300) return accept(row, status, text, json, strict, drift);
  const envelope = envelopeOf(json);
  if (!envelope) return unreachable('NO_ENVELOPE', strangerText(row, status), status, status >= 500 || status === 408 || status === 429, waitOf(trial, now));
  return refusal(row, status, envelope, waitOf(trial, now), now);
}

function unreachable(code: string, text: string, status: number | undefined, passing: boolean, wait?: number): Failure {
  const facts = { code, status };
  return { failed: true, error: UnreachableError, message: text, facts, doubtful: true, passing, wait };
}

function waitOf(trial: { headers: Headers; status: number }, now: number): number | undefined {
  return trial.status === 429 || trial.status === 503 ? retryAfter(trial.headers.get('retry-after'), now) : undefined;
}

function strangerText(row: AnyRow, status: number): string {
  const hint = status === 404 ? `; if the service serves ${row.path} elsewhere, set it in createClient({ paths })` : '';
  return `status ${status} without the service's envelope, so something between answered${hint}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function accept(row: AnyRow, status: number, text: string, json: unknown, strict: boolean, drift?: (finding: Drift) => void): Success | Failure {
  if (!row.output) return { failed: false, value: undefined };
  if (json === undefined)
    return unreadable('ANSWER_NOT_JSON', `the answer is ${text === '' ? 'empty' : 'not JSON'}`, { status }, true);
  try {
    return { failed: false, value: row.output.read(json, strict ? refuseDrift : drift) };
  } catch (thrown) {
    if (!(thrown instanceof Misfit)) throw thrown;
    const facts = { status, validationErrors: validationErrorsOf(thrown.breaches) };
    return unreadable('ANSWER_UNREADABLE', `the answer cannot be read (${thrown.message})`, facts, false);
  }
}

function unreadable(code: string, message: string, facts: Partial<ErrorFacts>, passing: boolean): Failure {
  return { failed: true, error: AnswerError, message, facts: { ...facts, code }, doubtful: true, passing };
}

function refuseDrift(finding: Drift): void {
  throw new Misfit([{ field: finding.field, code: 'INVALID_DATA_VALUE', advice: `is new to this version (${finding.kind})` }]);
}

/** Breaches in the shape of the service's own `validationErrors`. */
export function validationErrorsOf(breaches: readonly Breach[]): ValidationErrors {
  const errors: Record<string, { code: string; message: string; values: Record<string, unknown> }[]> = {};
  for (const { field, code, advice, values } of breaches)
    (errors[field] ??= []).push({ code, message: advice, values: { field, ...values } });
  return errors;
}

interface Envelope {
  readonly code: string;
  readonly traceId: string | undefined;
  readonly values: Readonly<Record<string, unknown>> | undefined;
  readonly validationErrors: ValidationErrors | undefined;
}

type Loose = { readonly [member: string]: unknown } | null | undefined;

function envelopeOf(json: unknown): Envelope | undefined {
  const body = json as Loose;
  const inner = typeof body === 'object' ? (body?.['data'] as Loose) : undefined;
  if (typeof inner !== 'object' || typeof inner?.['code'] !== 'string') return undefined;
  const asObject = (value: unknown) => (typeof value === 'object' && value !== null ? value : undefined) as never;
  return {
    code: inner['code'],
    traceId: typeof body?.['traceId'] === 'string' ? body['traceId'] : undefined,
    values: asObject(inner['values']),
    validationErrors: asObject(inner['validationErrors']),
  };
}

function refusal(row: AnyRow, status: number, envelope: Envelope, wait: number | undefined, now: number): Failure {
  const { code } = envelope;
  const server = status >= 500;
  const error = status === 401 ? LoginError : server ? UnreachableError : RefusedError;
  const facts = {
    ...envelope, status,
    ...(wait !== undefined && { retryAt: now + wait }),
    ...(status === 403 && { neededScope: row.scope }),
  };
  const fields = Object.keys(envelope.validationErrors ?? {}).join(', ');
  const message = `${code}${fields && `: check ${fields}`}${status === 403 ? `: the credential needs the scope ${row.scope}` : ''}`;
  return { failed: true, error, message, facts, doubtful: server, passing: server || BUSY.has(code), wait };
}
