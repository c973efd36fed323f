import type { Open } from './open.ts';
import type { OwnCode, ServiceCode, ValidationCode } from './codes.ts';
import type { ErrorKind, Next, Outcome } from './outcome.ts';
import type { Violation } from './validation-error.ts';

/** A code of the service or of this package; open, because the service may add some. */
export type ErrorCode = Open<ServiceCode | OwnCode>;

/** One broken rule of one field, in the form that the service uses. */
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

/** What the runtime said of a failure, at most 200 characters and without secrets. */
export interface ErrorCause {
  /** Such as `TypeError`. */
  readonly name: string;
  /** In the runtime's own words. */
  readonly message?: string | undefined;
  /** Such as `ENOTFOUND`, where the runtime gives one. */
  readonly code?: string | undefined;
}

/** What an error says beside its message. What is not known is absent. */
export interface ErrorFacts {
  /** What went wrong: a code of the service or of this package. */
  readonly code: ErrorCode;
  /** `not-done`: nothing was changed by this call · `unknown`: it may have been. */
  readonly outcome: Outcome;
  /** What was called, such as `invoices.create`; method and path where it has no name here. */
  readonly operation?: string | undefined;
  /** HTTP status of the response, where there was one. */
  readonly status?: number | undefined;
  /** The service's id of the request, for its support. */
  readonly traceId?: string | undefined;
  /** What the service said beside the code, such as `paymentId`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Broken rules, by the name of the field. */
  readonly validationErrors?: ValidationErrors | undefined;
  /** Milliseconds since 1970 before which a repetition is useless. */
  readonly retryAt?: number | undefined;
  /** The scope that the credential lacks. */
  readonly neededScope?: string | undefined;
  /** The next step, by the decision table. */
  readonly next?: Next | undefined;
  /** How often the request was sent. */
  readonly attempts?: number | undefined;
  /** The correlationId of what was to be created. */
  readonly correlationId?: string | undefined;
  /** The idempotency key of the request. */
  readonly idempotencyKey?: string | undefined;
  /** True where something may have been created that has to be searched for. */
  readonly maybeCreated?: boolean | undefined;
  /** What the runtime said, where no response came. Not in JSON. */
  readonly cause?: ErrorCause | undefined;
}

const BRAND = 'paystate.error';

/** Base of all errors of this package; carries facts, never a secret. */
export abstract class PaystateError extends Error implements ErrorFacts {
  /** Who must act. */
  abstract readonly kind: ErrorKind;
  declare readonly code: ErrorCode;
  declare readonly outcome: Outcome;
  declare readonly operation?: string | undefined;
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
  /** What the runtime said, where no response came. Not in JSON. */
  declare readonly cause?: ErrorCause | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, facts); // its cause: the loop below finds it as no enumerable member
    for (const [name, fact] of Object.entries(facts))
      if (fact !== undefined) Reflect.set(this, name, fact);
    Object.defineProperty(this, Symbol.for(BRAND), { value: true });
  }

  /** Name, message, kind and facts, for logs and other threads; without the cause. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** What was given cannot be right; nothing was sent. */
export class InputError extends PaystateError {
  readonly kind = 'input';
  override readonly name = 'InputError';
}

/** The service refused the request. */
export class RefusedError extends PaystateError {
  readonly kind = 'refused';
  override readonly name = 'RefusedError';
}

/** The rate limit: the service refused one request too many, or a call got no place in time. */
export class RateLimitError extends PaystateError {
  readonly kind = 'limited';
  override readonly name = 'RateLimitError';
}

/** No response of the service came. */
export class UnreachableError extends PaystateError {
  readonly kind = 'unreachable';
  override readonly name = 'UnreachableError';
}

/** A response came that cannot be used. */
export class ResponseError extends PaystateError {
  readonly kind = 'response';
  override readonly name = 'ResponseError';
}

/** A delivery that is not to be believed: its signature is missing, unreadable or wrong. */
export class WebhookError extends PaystateError {
  readonly kind = 'webhook';
  override readonly name = 'WebhookError';
}

/** The credential is missing, refused or has ended. */
export class AuthenticationError extends PaystateError {
  readonly kind = 'authentication';
  override readonly name = 'AuthenticationError';
}

/**
 * Tells whether a thrown value is an error of this package, also of another copy of it.
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
  | RateLimitError
  | UnreachableError
  | ResponseError
  | WebhookError
  | AuthenticationError {
  return thrown instanceof Error && Symbol.for(BRAND) in thrown;
}

/** Violations in the form of the service's own `validationErrors`. */
export function validationErrorsOf(violations: readonly Violation[]): ValidationErrors {
  const errors = new Map<string, ValidationIssue[]>();
  for (const { field, code, advice, values } of violations) {
    const issue = { code, message: advice, values: { field, ...values } };
    errors.set(field, [...(errors.get(field) ?? []), issue]);
  }
  return Object.fromEntries(errors);
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
