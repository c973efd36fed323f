import type { Heard, Trial } from './attempt.ts';
import {
  AnswerError, type ErrorFacts, LoginError, type PaystateError, RefusedError, UnreachableError, type ValidationErrors, validationErrorsOf,
} from './errors.ts';
import type { Settings } from './connection.ts';
import { retryAfter, serviceTime } from './retry-after.ts';
import { type AnyRow, misfitOf } from './row.ts';

/** Why an attempt failed, before it is known whether another one follows. */
export interface Failure {
  readonly error: new (message: string, facts: ErrorFacts) => PaystateError;
  readonly message: string;
  readonly facts: Omit<ErrorFacts, 'outcome'>;
  /** The request may have had its effect although we hold no answer of the service. */
  readonly doubtful: boolean;
  /** Another attempt may fare better. */
  readonly passing: boolean;
  /** Milliseconds that we are told to stay away. */
  readonly wait?: number | undefined;
}

export type Judgement = { readonly failure: Failure; readonly value?: undefined } | { readonly failure?: undefined; readonly value: unknown };

/** How long TOO_MANY_ATTEMPTS is kept to where the service does not say. */
const A_MINUTE = 60_000;

/** Refusals that pass by themselves. */
const BUSY = /^(PROCESSING_CONFLICT|ACCOUNT_NOT_READY|RATE_LIMIT_EXCEEDED)$/;

/** Judges one attempt: only an answer with the service's envelope is an answer of the service. */
export function judge(row: AnyRow, trial: Trial, now: number, { limits, inspect }: Settings): Judgement {
  const { why, status } = trial;
  if (why === 'TOKEN_UNAVAILABLE') {
    const { login } = trial;
    if (login) return failure(LoginError, login.message, { code: login.code, next: login.next ?? 'login' }, false, false);
    return failure(UnreachableError, 'the token provider gave no usable token', { code: why }, false, true); // away, not refused
  }
  if (why) return failure(UnreachableError, 'no answer came', { code: why, status }, !trial.unsent, why !== 'RESPONSE_TOO_LARGE');
  if (status < 200 || (status >= 300 && status < 400))
    return failure(UnreachableError, 'redirects are not followed; check baseUrl', { code: 'REDIRECT', status }, true, false);
  if (status < 300) return accept(row, trial, inspect);
  const told = status === 429 || status === 503 ? retryAfter(trial.headers.get('retry-after'), serviceTime(trial.headers, now)) : undefined;
  return refusal(row, trial, told, limits[row.group].block);
}

function failure(
  error: Failure['error'], message: string, facts: Failure['facts'], doubtful: boolean, passing: boolean, wait?: number,
): Judgement {
  return { failure: { error, message, facts, doubtful, passing, wait } };
}

function accept(row: AnyRow, { status, text }: Heard, inspect: Settings['inspect']): Judgement {
  if (!row.output || (!text && row.output.mayBeEmpty)) return { value: undefined };
  const json = parse(text);
  if (json === undefined) return failure(AnswerError, 'the answer is not JSON', { code: 'ANSWER_NOT_JSON', status }, true, true);
  try {
    const value = row.output.read(json);
    if (row.output.schema) inspect?.(row.path, row.output.schema, json);
    return { value };
  } catch (thrown) {
    const { message, breaches } = misfitOf(thrown);
    const facts = { code: 'ANSWER_UNREADABLE', status, validationErrors: validationErrorsOf(breaches) };
    return failure(AnswerError, `the answer cannot be read: ${message}`, facts, true, false);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** What is read of the service's envelope; nothing in it is trusted to be there. */
interface Envelope {
  readonly traceId?: unknown;
  readonly data?: { readonly code?: unknown; readonly values?: unknown; readonly validationErrors?: unknown } | null;
}

function refusal(row: AnyRow, { status, text }: Heard, told: number | undefined, block: number): Judgement {
  const { traceId, data } = (parse(text) ?? {}) as Envelope;
  const isServer = status >= 500;
  const wait = told ?? (status !== 429 ? undefined : data?.code === 'TOO_MANY_ATTEMPTS' ? A_MINUTE : block);
  if (typeof data?.code !== 'string' || !/^\w{1,99}$/.test(data.code)) {
    const passes = isServer || status === 408 || status === 429;
    const hint = status === 404 ? '; check baseUrl (without /v1) and paths of createClient' : '';
    return failure(UnreachableError, `not the service but something before it answered ${status}${hint}`, { code: 'NO_ENVELOPE', status }, true, passes, wait);
  }
  const { code } = data;
  const facts = {
    code, status,
    traceId: typeof traceId === 'string' ? traceId : undefined,
    values: objectIn(data.values),
    validationErrors: objectIn(data.validationErrors) as ValidationErrors | undefined,
    neededScope: (status === 403 && row.scope) || undefined,
  };
  const about = status === 403 ? `needs the scope ${row.scope}` : Object.keys(facts.validationErrors ?? {}).join(', ').slice(0, 200);
  const error = status === 401 ? LoginError : isServer ? UnreachableError : RefusedError;
  return failure(error, `${code} ${about}`.trim(), facts, isServer, isServer || BUSY.test(code), wait);
}

function objectIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
