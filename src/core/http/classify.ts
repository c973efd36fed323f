import type { Heard, Trial } from './attempt.ts';
import {
  ResponseError,
  type ErrorFacts,
  isTaken,
  AuthenticationError,
  ValidationError,
  validationErrorOf,
  type PaystateError,
  RefusedError,
  UnreachableError,
  type ValidationErrors,
  validationErrorsOf,
} from '../errors/index.ts';
import type { Settings } from './connection.ts';
import { retryAfter, serviceTime } from './retry-after.ts';
import { type AnyEndpoint } from './endpoint.ts';

/** Why an attempt failed, before it is known whether another one follows. */
export interface Failure {
  readonly error: new (message: string, facts: ErrorFacts) => PaystateError;
  readonly message: string;
  readonly facts: Omit<ErrorFacts, 'outcome'>;
  /** The request may have had its effect although we hold no answer of the service. */
  readonly doubtful: boolean;
  /** The service says that it is there, or under way: whether by this request, nobody knows. */
  readonly taken?: boolean;
  /** Another attempt may fare better. */
  readonly passing: boolean;
  /** Milliseconds that we are told to stay away. */
  readonly wait?: number | undefined;
}

export type Judgement =
  | { readonly failure: Failure; readonly value?: undefined }
  | { readonly failure?: undefined; readonly value: unknown };

/** How long TOO_MANY_ATTEMPTS is kept to where the service does not say. */
const A_MINUTE = 60_000;

/** Refusals that pass by themselves. */
const BUSY = /^(PROCESSING_CONFLICT|ACCOUNT_NOT_READY|RATE_LIMIT_EXCEEDED)$/;

/** Longer answers give no more to an error than code and ids. */
const LONG_REFUSAL = 65_536;

/** Judges one attempt: only an answer with the service's envelope is an answer of the service. */
export function classify(
  row: AnyEndpoint,
  question: Question,
  trial: Trial,
  now: number,
  { rateLimits: limits, drift: inspect }: Settings,
): Judgement {
  const { why, status } = trial;
  if (why === 'TOKEN_UNAVAILABLE') {
    const { login } = trial;
    if (login)
      return failure(
        AuthenticationError,
        login.message,
        { code: login.code, next: login.next ?? 'login' },
        false,
        false,
      );
    return failure(
      UnreachableError,
      'the token provider gave no token',
      { code: why },
      false,
      true,
    ); // away, not refused
  }
  if (why)
    return failure(
      UnreachableError,
      'no answer came',
      { code: why, status },
      !trial.unsent,
      why !== 'RESPONSE_TOO_LARGE',
    );
  if (status >= 200 && status < 300) return accept(row, question, trial, inspect);
  if (status < 400)
    return failure(
      UnreachableError,
      'a redirect came; check baseUrl',
      { code: 'REDIRECT', status },
      true,
      false,
    );
  const told =
    status === 429 || status === 503
      ? retryAfter(trial.headers.get('retry-after'), serviceTime(trial.headers, now))
      : undefined;
  return refusal(row, trial, told, limits[row.bucket].block);
}

export function failure(
  error: Failure['error'],
  message: string,
  facts: Failure['facts'],
  doubtful: boolean,
  passing: boolean,
  wait?: number,
): { readonly failure: Failure } {
  return { failure: { error, message, facts, doubtful, passing, wait } };
}

/** What was asked for, by name, and whether an answer can be about it. */
interface Question {
  readonly asked: Readonly<Record<string, unknown>>;
  readonly fits: ((value: unknown) => boolean) | undefined;
}

/** A success is an answer that the endpoint knows; any other 2xx may be anybody's, and the request may have had its effect. */
function accept(
  row: AnyEndpoint,
  question: Question,
  { status, text, redact }: Heard,
  inspect: Settings['drift'],
): Judgement {
  const { output, path, statuses } = row;
  if (!text && (output ? output.mayBeEmpty : [202, 204, ...statuses].includes(status)))
    return { value: undefined };
  const json = parse(text);
  if (json === undefined)
    return failure(
      ResponseError,
      'the answer is not JSON',
      { code: 'RESPONSE_NOT_JSON', status },
      true,
      true,
    );
  try {
    if (!output)
      throw new ValidationError([
        { field: 'body', code: 'INVALID_DATA_VALUE', advice: 'must be empty' },
      ]);
    const value = output.read(json);
    if (isAnothers(row, question, value))
      return failure(
        ResponseError,
        'the answer is about something else',
        { code: 'RESPONSE_MISMATCH', status },
        true,
        true,
      );
    if (output.schema) inspect?.(path, output.schema, json);
    return { value };
  } catch (thrown) {
    const { message, violations: breaches } = validationErrorOf(thrown);
    const values = idsIn(parse(text, redact));
    const facts = {
      code: 'RESPONSE_INVALID',
      status,
      values,
      validationErrors: validationErrorsOf(breaches),
    };
    return failure(ResponseError, `the answer cannot be read: ${message}`, facts, true, !output);
  }
}

/** The answer names another thing than the one that was asked for. */
function isAnothers(
  { echo = {} }: AnyEndpoint,
  { asked, fits }: Question,
  value: unknown,
): boolean {
  return (
    fits?.(value) === false ||
    Object.entries(echo).some(([name, there]) => {
      const answered = (value as Question['asked'] | null)?.[there];
      return (
        asked[name] !== undefined &&
        typeof answered === 'string' &&
        answered.toLowerCase() !== String(asked[name]).toLowerCase()
      );
    })
  );
}

/** The ids of an answer that cannot be used, to look for what it was about. */
function idsIn(json: unknown): Record<string, unknown> | undefined {
  const ids = Object.entries(objectIn(json) ?? {}).filter(
    ([name, id]) =>
      /^(\w{1,40}I|i)d$/.test(name) && typeof id === 'string' && /^[\w.-]{1,100}$/.test(id),
  );
  return ids.length === 0 ? undefined : Object.fromEntries(ids.slice(0, 10));
}

function parse(text: string, redact?: (json: string) => string): unknown {
  try {
    const json = JSON.parse(text) as unknown;
    return redact ? (JSON.parse(redact(JSON.stringify(json))) as unknown) : json;
  } catch {
    return undefined;
  }
}

/** What is read of the service's envelope; nothing in it is trusted to be there. */
interface Envelope {
  readonly traceId?: unknown;
  readonly data?: {
    readonly code?: unknown;
    readonly values?: unknown;
    readonly validationErrors?: unknown;
  } | null;
}

function refusal(
  row: AnyEndpoint,
  { status, text, redact }: Heard,
  told: number | undefined,
  block: number,
): Judgement {
  const { traceId, data } = (parse(text, redact) ?? {}) as Envelope;
  const isServer = status >= 500;
  const wait =
    told ?? (status !== 429 ? undefined : data?.code === 'TOO_MANY_ATTEMPTS' ? A_MINUTE : block);
  if (typeof data?.code !== 'string' || !/^\w{1,99}$/.test(data.code)) {
    const passes = isServer || status === 408 || status === 429;
    const hint = status === 404 ? '; check baseUrl (without /v1) and paths of createClient' : '';
    return failure(
      UnreachableError,
      `something before the service answered ${status}${hint}`,
      { code: 'NOT_FROM_SERVICE', status },
      true,
      passes,
      wait,
    );
  }
  const { code } = data;
  const isLong = text.length > LONG_REFUSAL;
  const facts = {
    code,
    status,
    traceId: typeof traceId === 'string' ? traceId.slice(0, 100) : undefined,
    values: isLong ? idsIn(data.values) : objectIn(data.values),
    validationErrors: isLong
      ? undefined
      : (objectIn(data.validationErrors) as ValidationErrors | undefined),
    neededScope: (status === 403 && row.scope) || undefined,
  };
  const about =
    status === 403
      ? `needs the scope ${row.scope}`
      : Object.keys(facts.validationErrors ?? {})
          .join(', ')
          .slice(0, 200);
  const error = status === 401 ? AuthenticationError : isServer ? UnreachableError : RefusedError;
  return {
    failure: {
      error,
      message: `${code} ${about}`.trim(),
      facts,
      doubtful: isServer,
      taken: !isServer && isTaken(code),
      passing: isServer || BUSY.test(code),
      wait,
    },
  };
}

function objectIn(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : undefined;
}
