import type { ErrorKind, Next, Outcome, OwnCode, ServiceCode, ValidationCode } from './codes.ts';

/**
 * A string type that accepts the known values and any other string. Editors suggest the known
 * values. The service may add values without notice.
 */
export type Open<Known extends string> = Known | (string & {});

declare const resource: unique symbol;

/** A resource id. Accepts any plain string, but not the id of a different type of resource. */
export type Id<Resource extends string> = string & {
  /** Never present at runtime. Only distinguishes the ids of different resources. */
  readonly [resource]?: Resource;
};

/** An error code from the service or from this package. The service may add codes at any time. */
export type ErrorCode = Open<ServiceCode | OwnCode>;

/** A validation rule that a field violates, as described by the service. */
export interface ValidationIssue {
  /** The violated rule's code. */
  readonly code: Open<ValidationCode>;
  /** A description of the violated rule, for developers. */
  readonly message: string;
  /** The violated rule's parameters, such as `maxLength`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** Violated validation rules, by field name. */
export type ValidationErrors = Readonly<Record<string, readonly ValidationIssue[]>>;

/**
 * The runtime's description of a network failure, up to 200 characters long and without secrets.
 */
export interface ErrorCause {
  /** The error's name, such as `TypeError`. */
  readonly name: string;
  /** The runtime's error message. */
  readonly message?: string | undefined;
  /** The error's code, such as `ENOTFOUND`, if the runtime sets one. */
  readonly code?: string | undefined;
}

/**
 * The service's own description of a refusal, for developers. Its text may change without notice.
 */
export interface ServiceWords {
  /** Description of what happened. Never show this text to users. */
  readonly message: string;
  /**
   * Additional data that the service sends in its development mode, such as `full` with a stack
   * trace.
   */
  readonly debug?: Readonly<Record<string, unknown>> | undefined;
}

/** An error's properties, apart from its message. Unknown properties are absent. */
export interface ErrorFacts {
  /** Error code from the service or from this package. */
  readonly code: ErrorCode;
  /**
   * Whether the call had an effect. `not-done` means that it had none. `unknown` means that it may
   * have had one.
   */
  readonly outcome: Outcome;
  /** The operation's name, such as `invoices.create`. For `request`, it's the method and path. */
  readonly operation?: string | undefined;
  /** HTTP status of the response, if there was one. */
  readonly status?: number | undefined;
  /** The service's id of the request. Include it when you contact the service's support. */
  readonly traceId?: string | undefined;
  /** Values that the service sent along with the code, such as `paymentId`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Violated validation rules, by field name. */
  readonly validationErrors?: ValidationErrors | undefined;
  /** Earliest time to retry, in milliseconds since 1970. */
  readonly retryAt?: number | undefined;
  /** The scope that the credential lacks. */
  readonly neededScope?: string | undefined;
  /** What to do next, according to the decision table. */
  readonly next?: Next | undefined;
  /** Number of times the request was sent. */
  readonly attempts?: number | undefined;
  /**
   * Time that the call waited for the rate limit and between attempts, in milliseconds. Absent if
   * it didn't wait.
   */
  readonly waited?: number | undefined;
  /**
   * Start of a response that isn't from the service (`NOT_FROM_SERVICE`). It's plain text of up to
   * 200 characters, without markup or request data.
   */
  readonly excerpt?: string | undefined;
  /** The correlationId of the resource that the call tried to create. */
  readonly correlationId?: string | undefined;
  /** The idempotency key of the request. */
  readonly idempotencyKey?: string | undefined;
  /** Whether the resource may have been created. Check if it exists before you create it again. */
  readonly maybeCreated?: boolean | undefined;
  /**
   * The runtime's description of the failure, if there was no response. It isn't included in JSON.
   */
  readonly cause?: ErrorCause | undefined;
  /**
   * The service's own description, if it refused the request. This property isn't enumerable, so it
   * doesn't appear in JSON or logs.
   */
  readonly service?: ServiceWords | undefined;
}

const BRAND = 'paystate.error';

/** Base class of all errors that this package throws. Errors never contain secrets. */
export abstract class PaystateError extends Error implements ErrorFacts {
  /** The error's category, for use in a `switch`. */
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
  declare readonly waited?: number | undefined;
  declare readonly excerpt?: string | undefined;
  declare readonly correlationId?: string | undefined;
  declare readonly idempotencyKey?: string | undefined;
  declare readonly maybeCreated?: boolean | undefined;
  /**
   * The runtime's description of the failure, if there was no response. It isn't included in JSON.
   */
  declare readonly cause?: ErrorCause | undefined;
  /**
   * The service's own description, if it refused the request. This property isn't enumerable, so it
   * doesn't appear in JSON or logs.
   */
  declare readonly service?: ServiceWords | undefined;

  constructor(message: string, facts: ErrorFacts) {
    // `Error` adds `cause` as a non-enumerable property.
    super(message, facts);
    const { service, ...others } = facts;
    for (const [name, fact] of Object.entries(others))
      if (fact !== undefined) Reflect.set(this, name, fact);
    if (service) Object.defineProperty(this, 'service', { value: service });
    Object.defineProperty(this, Symbol.for(BRAND), { value: true });
  }

  /**
   * Returns the error's name, message, kind and other properties for logs or other threads. The
   * cause isn't included.
   */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** Thrown if an argument is invalid. No request was sent. */
export class InputError extends PaystateError {
  readonly kind = 'input';
  override readonly name = 'InputError';
}

/** Thrown if the service refused the request. */
export class RefusedError extends PaystateError {
  readonly kind = 'refused';
  override readonly name = 'RefusedError';
}

/**
 * Thrown if the rate limit was exceeded. Either the service refused the request, or the call would
 * have had to wait too long.
 */
export class RateLimitError extends PaystateError {
  readonly kind = 'limited';
  override readonly name = 'RateLimitError';
}

/** Thrown if the service couldn't be reached or failed to process the request. */
export class UnreachableError extends PaystateError {
  readonly kind = 'unreachable';
  override readonly name = 'UnreachableError';
}

/** Thrown if the service's response can't be used. */
export class ResponseError extends PaystateError {
  readonly kind = 'response';
  override readonly name = 'ResponseError';
}

/**
 * Thrown if a webhook delivery can't be trusted, because its signature is missing, malformed or
 * wrong.
 */
export class WebhookError extends PaystateError {
  readonly kind = 'webhook';
  override readonly name = 'WebhookError';
}

/** Thrown if the credential is missing, expired or refused. */
export class AuthenticationError extends PaystateError {
  readonly kind = 'authentication';
  override readonly name = 'AuthenticationError';
}

/**
 * Checks whether a thrown value is an error from this package. Errors from another copy of the
 * package count too.
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

export function toValidationErrors(violations: readonly Violation[]): ValidationErrors {
  const errors = new Map<string, ValidationIssue[]>();
  for (const { field, code, advice, values } of violations) {
    const issue = { code, message: advice, values: { field, ...values } };
    errors.set(field, [...(errors.get(field) ?? []), issue]);
  }
  return Object.fromEntries(errors);
}

interface InputRule {
  /**
   * A code to use instead of `INPUT_INVALID`, if callers may want to handle this case separately.
   */
  readonly code?: ErrorCode;
  readonly validation?: Open<ValidationCode>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Creates the error for an invalid field. `advice` must never repeat the value, which may be a
 * secret.
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

/** A violated rule. It contains the field and the rule, but never the value. */
export interface Violation {
  readonly field: string;
  readonly code: Open<ValidationCode>;
  readonly advice: string;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Thrown by a `Shape` for an invalid value. `send` converts it to an `InputError` or a
 * `ResponseError`.
 */
export class ValidationError extends Error {
  readonly violations: readonly Violation[];
  constructor(violations: readonly Violation[]) {
    super(violations.map((one) => `${one.field} ${one.advice}`).join('; '));
    this.violations = violations;
  }
}

/** Creates the violation for a field. `advice` must never repeat the value. */
export function badField(field: string, advice: string): ValidationError {
  return new ValidationError([{ field, code: 'INVALID_DATA_VALUE', advice }]);
}

/** Converts any thrown value to a `ValidationError`, because other errors may contain values. */
export function toValidationError(thrown: unknown): ValidationError {
  return thrown instanceof ValidationError
    ? thrown
    : new ValidationError([{ field: 'body', code: 'INVALID_DATA', advice: 'cannot be read' }]);
}

interface Bound {
  readonly amount: string;
  readonly currency: string;
}

/**
 * The values that the service sends with each error code. Most codes have none. You can extend this
 * type with `declare module`.
 */
export interface ServiceValues extends Readonly<Record<ServiceCode, object>> {
  /** The id of the resource that wasn't found. */
  readonly NOT_FOUND: { readonly id: string };
  /** The correlationId that's already in use. */
  readonly DUPLICATE_INVOICE: { readonly correlationId: string };
  /** The currency that the account doesn't hold. */
  readonly USER_CURRENCY_UNAVAILABLE: { readonly currency: string };
  /** The highest accepted amount. */
  readonly AMOUNT_TOO_HIGH: { readonly limit: Bound };
  /** The lowest accepted amount. */
  readonly AMOUNT_TOO_LOW: { readonly limit: Bound };
  /** The requested currency, which the service doesn't support. */
  readonly CURRENCY_UNSUPPORTED: { readonly requestedCurrency: string };
  /** The id of the payment that executing the quote created. */
  readonly PAYMENT_PROCESSED: { readonly paymentId: string };
  /** The Bitcoin network that the service uses. */
  readonly INVALID_LN_INVOICE: { readonly activeNetwork: string };
  /** The id of the quote that was created with the same key. */
  readonly DUPLICATE_PAYMENT_QUOTE: { readonly paymentQuoteId: string };
  /** The id of the quote that was created with the same key. */
  readonly DUPLICATE_CURRENCY_EXCHANGE_QUOTE: { readonly currencyExchangeQuoteId: string };
  /** The id of the deposit that was created with the same key. */
  readonly DUPLICATE_DEPOSIT: { readonly depositId: string };
}

/** The values that the service sends with each invalid-field code. */
export interface ValidationValues extends Readonly<Record<ValidationCode, object>> {
  /** The name of the missing field. */
  readonly INVALID_DATA_REQUIRED: { readonly field: string };
  /** The name of the field and its required length. */
  readonly INVALID_DATA_LENGTH: { readonly field: string; readonly length: number };
  /** The name of the field and its minimum length. */
  readonly INVALID_DATA_MINLENGTH: { readonly field: string; readonly minLength: number };
  /** The name of the field and its maximum length. */
  readonly INVALID_DATA_MAXLENGTH: { readonly field: string; readonly maxLength: number };
  /** The name of the field whose value isn't allowed. */
  readonly INVALID_DATA_VALUE: { readonly field: string };
  /** The name of the field and the currency that isn't allowed. */
  readonly INVALID_DATA_CURRENCY: { readonly field: string; readonly currency: string };
}

/** The values that an error with the given code can have. The service may omit any of them. */
export type ValuesOf<Code extends string> = Partial<
  Code extends keyof ServiceValues ? ServiceValues[Code] : Readonly<Record<string, unknown>>
>;

/**
 * Checks whether a thrown value is an error from this package with this code, and narrows the type
 * of its `values`. Sends no request.
 *
 * @param thrown any caught value
 * @param code a code from the service or from this package
 *
 * @example
 * try {
 *   await client.invoices.get(invoiceId);
 * } catch (thrown) {
 *   if (hasCode(thrown, 'NOT_FOUND')) console.log(thrown.values?.id);
 *   else throw thrown;
 * }
 */
export function hasCode<Code extends ErrorCode>(
  thrown: unknown,
  code: Code,
): thrown is PaystateError & { readonly code: Code; readonly values?: ValuesOf<Code> } {
  return isPaystateError(thrown) && thrown.code === code;
}
