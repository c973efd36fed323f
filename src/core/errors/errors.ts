import type { Open } from './open.ts';
import type { ServiceCode, ValidationCode } from './codes.ts';
import type { Violation } from './validation-error.ts';

/** Who must act: closed, so that a `switch` on it is complete. */
export type ErrorKind =
  | 'input'
  | 'refused'
  | 'unreachable'
  | 'response'
  | 'webhook'
  | 'authentication';

/** "It did not happen" and "we cannot know" never share a value. */
export type Outcome = 'not-done' | 'unknown';

/** What to do after an error, as data. */
export type Next =
  | 'fix-input'
  | 'retry'
  | 'wait'
  | 'read-first'
  | 'new-quote'
  | 'ask-user'
  | 'login'
  | 'get-scope'
  | 'stop';

/** Codes of our own making, beside those of the service. */
export type OwnCode =
  | 'INPUT_INVALID'
  | 'SECRET_IN_BROWSER'
  | 'IDEMPOTENCY_KEY_EXPIRED'
  | 'TOKEN_UNAVAILABLE'
  | 'LOGIN_REQUIRED'
  | 'REFRESH_UNKNOWN'
  | 'TIMEOUT'
  | 'OFFLINE'
  | 'ABORTED'
  | 'REDIRECT'
  | 'RESPONSE_TOO_LARGE'
  | 'RESPONSE_INVALID'
  | 'RESPONSE_NOT_JSON'
  | 'RESPONSE_MISMATCH'
  | 'NOT_FROM_SERVICE'
  | 'QUEUE_TIMEOUT'
  | 'EXISTS_UNREAD'
  | 'LIST_UNSTABLE';

/** A code of the service or of this package; open, because the service may add some. */
export type ErrorCode = Open<ServiceCode | OwnCode>;

/** One broken rule of one field, in the shape the service itself uses. */
export interface ValidationIssue {
  /** Which rule is broken. */
  readonly code: Open<ValidationCode>;
  /** The rule in words, for developers. */
  readonly message: string;
  /** Figures of the rule, such as `maxLength`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** Broken rules, by the name of the field. */
export type ValidationErrors = Readonly<Record<string, readonly ValidationIssue[]>>;

/** What an error says beside its message. What is not known is absent. */
export interface ErrorFacts {
  /** What went wrong: a code of the service or of this package. */
  readonly code: ErrorCode;
  /** `not-done`: nothing was changed by this call · `unknown`: it may have been. */
  readonly outcome: Outcome;
  /** HTTP status of the answer, when there was one. */
  readonly status?: number | undefined;
  /** The service's own name for the request, for its support. */
  readonly traceId?: string | undefined;
  /** What the service said beside the code, such as `paymentId`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Broken rules, by the name of the field. */
  readonly validationErrors?: ValidationErrors | undefined;
  /** Milliseconds since 1970 before which asking again is useless. */
  readonly retryAt?: number | undefined;
  /** The scope that the credential lacks. */
  readonly neededScope?: string | undefined;
  /** What to do now, from the decision table. */
  readonly next?: Next | undefined;
  /** How often the request was sent. */
  readonly attempts?: number | undefined;
  /** Echo of what names the thing that was being created. */
  readonly correlationId?: string | undefined;
  /** Echo of the key under which the service does it once. */
  readonly idempotencyKey?: string | undefined;
  /** True when something may have been created that has to be looked for. */
  readonly maybeCreated?: boolean | undefined;
}

const BRAND = 'paystate.error';

/** Base of everything that this package throws; carries facts, never a secret. */
export abstract class PaystateError extends Error implements ErrorFacts {
  /** Who must act. */
  abstract readonly kind: ErrorKind;
  declare readonly code: ErrorCode;
  declare readonly outcome: Outcome;
  declare readonly status?: number | undefined;
  declare readonly traceId?: string | undefined;
  declare readonly values?: Readonly<Record<string, unknown>> | undefined;
  declare readonly validationErrors?: ValidationErrors | undefined;
  declare readonly retryAt?: number | undefined;
  declare readonly neededScope?: string | undefined;
  declare readonly next?: Next | undefined;
  declare readonly attempts?: number | undefined;
  declare readonly correlationId?: string | undefined;
  declare readonly idempotencyKey?: string | undefined;
  declare readonly maybeCreated?: boolean | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message);
    for (const [name, fact] of Object.entries(facts))
      if (fact !== undefined) Reflect.set(this, name, fact);
    Object.defineProperty(this, Symbol.for(BRAND), { value: true });
  }
}

/** What was given cannot be right; nothing was sent. */
export class InputError extends PaystateError {
  readonly kind = 'input';
  override readonly name = 'InputError';
}

/** The service understood and said no. */
export class RefusedError extends PaystateError {
  readonly kind = 'refused';
  override readonly name = 'RefusedError';
}

/** No answer of the service came back. */
export class UnreachableError extends PaystateError {
  readonly kind = 'unreachable';
  override readonly name = 'UnreachableError';
}

/** An answer came back that cannot be read. */
export class ResponseError extends PaystateError {
  readonly kind = 'response';
  override readonly name = 'ResponseError';
}

/** A signature is missing, unreadable or wrong. */
export class WebhookError extends PaystateError {
  readonly kind = 'webhook';
  override readonly name = 'WebhookError';
}

/** The credential is missing, refused or over: somebody must log in. */
export class AuthenticationError extends PaystateError {
  readonly kind = 'authentication';
  override readonly name = 'AuthenticationError';
}

/**
 * Tells whether a thrown value is one of ours, also across two copies of this package.
 *
 * @example
 * try {
 *   await client.payments.get('a-new-one');
 * } catch (thrown) {
 *   if (!isPaystateError(thrown)) throw thrown;
 *   console.log(thrown.code, thrown.outcome, thrown.next);
 * }
 */
export function isPaystateError(
  thrown: unknown,
): thrown is
  | InputError
  | RefusedError
  | UnreachableError
  | ResponseError
  | WebhookError
  | AuthenticationError {
  return thrown instanceof Error && Symbol.for(BRAND) in thrown;
}

/** Breaches in the shape of the service's own `validationErrors`. */
export function validationErrorsOf(breaches: readonly Violation[]): ValidationErrors {
  const errors: Record<string, ValidationIssue[]> = {};
  for (const { field, code, advice, values } of breaches)
    (errors[field] ??= []).push({ code, message: advice, values: { field, ...values } });
  return errors;
}

interface InputRule {
  /** Replaces `INPUT_INVALID` where a caller may want to branch. */
  readonly code?: ErrorCode;
  readonly validation?: Open<ValidationCode>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Makes the error for one bad field: which field, which rule, what to do.
 * `advice` must never repeat what was given, which may be a secret.
 */
export function badInput(field: string, advice: string, rule: InputRule = {}): InputError {
  const { code = 'INPUT_INVALID', validation = 'INVALID_DATA_VALUE', values } = rule;
  const issue = { code: validation, message: advice, values: { field, ...values } };
  return new InputError(`${field}: ${advice}`, {
    code,
    outcome: 'not-done',
    next: 'fix-input',
    validationErrors: { [field]: [issue] },
  });
}
