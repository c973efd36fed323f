/**
 * An error category. New releases won't add categories, so a `switch` over them can be exhaustive.
 */
export type ErrorKind =
  | 'input'
  | 'refused'
  | 'limited'
  | 'unreachable'
  | 'response'
  | 'webhook'
  | 'authentication';

/**
 * Whether the request had an effect. `not-done` means it definitely had none, and `unknown` means
 * it may have had one.
 */
export type Outcome = 'not-done' | 'unknown';

/** The recommended action after an error. */
export type Next =
  | 'fix-input'
  | 'fix-credential'
  | 'retry'
  | 'wait'
  | 'read-first'
  | 'new-quote'
  | 'ask-user'
  | 'login'
  | 'get-scope'
  | 'stop';

// All error codes are defined in this file. Each code has one row in one of the objects below. A
// row only lists properties that can't be derived from the HTTP status. The defaults are status 422
// for the service's codes and kind `unreachable` for this package's codes. To keep bundles small,
// every client includes the first two objects, and only code that needs the complete table includes
// the others.

export interface CodeRow {
  /** HTTP status of responses with this code. Absent if there might be no response. */
  readonly status?: number;
  /** Kind of error that this package throws with this code. Absent for the service's codes. */
  readonly kind?: ErrorKind;
  /**
   * What to do if the outcome is `not-done`. If `exists` is set, it also applies to an unknown
   * outcome, unless it's `retry`.
   */
  readonly next?: Next;
  /**
   * Set if the resource exists or may exist, in which case the code doesn't prove that the command
   * had no effect.
   */
  readonly exists?: true;
  /** Set if the outcome is unknown even though this call sent no request. */
  readonly isUnknown?: true;
  /** Set if this package raises the error locally, before it sends a request. */
  readonly isLocal?: true;
  /** Set if the command has no effect in the resource's current state. */
  readonly isState?: true;
  /** Set if a retry may succeed. */
  readonly transient?: true;
}

type Rows = Readonly<Record<string, CodeRow>>;

/** Service codes that need different handling than their HTTP status suggests. */
const DISTINCT = {
  PROCESSING_CONFLICT: { status: 409, exists: true, next: 'retry', transient: true },
  INVALID_STATE_FOR_INVOICE_CANCELLED: { exists: true, next: 'read-first', isState: true },
  INVALID_STATE_FOR_INVOICE_PAID: { isState: true },
  INVALID_STATE_FOR_INVOICE_REVERSED: { isState: true },
  // the original quote can't be read, so a new quote is required
  DUPLICATE_PAYMENT_QUOTE: { exists: true, next: 'new-quote' },
  PAYMENT_QUOTE_EXPIRED: { next: 'new-quote' },
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: { next: 'new-quote' },
  INVALID_STATE_FOR_INVOICE_EXPIRED: { next: 'new-quote', isState: true },
  ACCOUNT_NOT_READY: { status: 425, transient: true },
  RATE_LIMIT_EXCEEDED: { status: 429, transient: true },
} as const;

/** This package's codes for failures during a call. Only unusable responses have a status. */
const CALL = {
  TOKEN_UNAVAILABLE: { isLocal: true, transient: true },
  QUEUE_TIMEOUT: { kind: 'limited', isLocal: true, next: 'wait' },
  TIMEOUT: { next: 'retry', transient: true },
  OFFLINE: { next: 'retry', transient: true },
  UNREACHABLE: { next: 'retry', transient: true },
  RESPONSE_NOT_JSON: { kind: 'response', status: 200, next: 'retry', transient: true },
  RESPONSE_MISMATCH: { kind: 'response', status: 200, isUnknown: true, transient: true },
  RESPONSE_INVALID: { kind: 'response', status: 200 },
} as const;

/**
 * Service codes for resources that already exist or are being processed. At runtime, calls
 * recognize these codes by the pattern `EXISTING`.
 */
const EXISTING_ROWS = {
  PROCESSING_PAYMENT: { exists: true, next: 'read-first' },
  PAYMENT_PROCESSED: { exists: true, next: 'read-first' },
  LN_INVOICE_PROCESSED: { exists: true, next: 'read-first' },
  CURRENCY_EXCHANGE_QUOTE_PROCESSED: { exists: true, next: 'read-first' },
  PAYOUT_ALREADY_INITIATED: { exists: true, next: 'read-first' },
  DUPLICATE_INVOICE: { status: 409, exists: true, next: 'read-first' },
  DUPLICATE_DEPOSIT: { exists: true, next: 'read-first' },
  DUPLICATE_CURRENCY_EXCHANGE_QUOTE: { exists: true, next: 'read-first' },
} as const;

/** Service codes that need no special handling beyond their HTTP status. */
const PLAIN = {
  NOT_FOUND: { status: 404 },
  INTERNAL_SERVER_ERROR: { status: 500 },
  BAD_GATEWAY: { status: 502 },
  MAINTENANCE_MODE: { status: 503 },
  SERVICE_UNAVAILABLE: { status: 503 },
  GATEWAY_TIMEOUT: { status: 504 },
  TOO_MANY_ATTEMPTS: { status: 429 },
  UNAUTHORIZED: { status: 401 },
  FORBIDDEN: { status: 403 },
  INVALID_DATA_QUERY: { status: 400 },
  UNPROCESSABLE_ENTITY: {},
  INVALID_RECIPIENT: {},
  SELF_PAYMENT_NOT_ALLOWED: {},
  USER_CURRENCY_UNAVAILABLE: {},
  LN_UNAVAILABLE: { status: 503 },
  EXCHANGE_RATE_NOT_AVAILABLE: {},
  BALANCE_TOO_LOW: {},
  INVALID_AMOUNT: {},
  AMOUNT_TOO_HIGH: {},
  AMOUNT_TOO_LOW: {},
  UNSUPPORTED_PAYMENT_METHOD: {},
  INVALID_PAYMENT_METHOD: {},
  CURRENCY_UNSUPPORTED: {},
  PLAID_LINKING_FAILED: {},
  PAYMENT_METHOD_NOT_READY: {},
  PAYOUT_ORIGINATOR_NOT_APPROVED: {},
  INVALID_LN_INVOICE: {},
  INVALID_BITCOIN_ADDRESS: {},
  LN_ROUTE_NOT_FOUND: {},
  TOO_MANY_TRANSACTIONS: {},
  CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED: {},
  CURRENCY_EXCHANGE_AMOUNT_TOO_LOW: {},
  DEPOSIT_LIMIT_EXCEEDED: {},
} as const;

/** The code for an invalid request body, which the service also uses for a single invalid field. */
const BODY = { INVALID_DATA: { status: 400 } } as const;

/** Codes for a single invalid field, as found in `validationErrors`. */
const FIELD = {
  INVALID_DATA_REQUIRED: { status: 400 },
  INVALID_DATA_LENGTH: { status: 400 },
  INVALID_DATA_MINLENGTH: { status: 400 },
  INVALID_DATA_MAXLENGTH: { status: 400 },
  INVALID_DATA_VALUE: { status: 400 },
  INVALID_DATA_CURRENCY: { status: 400 },
} as const;

/**
 * This package's codes that need no special handling beyond their HTTP status, or that occur before
 * or after a call.
 */
const OWN = {
  ABORTED: {},
  NOT_FROM_SERVICE: { status: 502 },
  REDIRECT: { status: 302 },
  RESPONSE_TOO_LARGE: { status: 200 },
  INPUT_INVALID: { kind: 'input', isLocal: true, next: 'fix-input' },
  SECRET_IN_BROWSER: { kind: 'input', isLocal: true, next: 'fix-input' },
  IDEMPOTENCY_KEY_EXPIRED: { kind: 'input', exists: true, isUnknown: true, next: 'read-first' },
  EXISTS_UNREAD: { exists: true, isUnknown: true, next: 'read-first' },
  TOO_MANY_UNKNOWN: { kind: 'limited', isLocal: true, next: 'read-first' },
  LIST_UNSTABLE: { kind: 'response' },
  WATCH_ENDED: { kind: 'response', isLocal: true, next: 'stop' },
  LOGIN_REQUIRED: { kind: 'authentication', isLocal: true, next: 'login' },
  LOGIN_REFUSED: { kind: 'authentication', isLocal: true, next: 'stop' },
  LOGIN_STATE_MISMATCH: { kind: 'authentication', isLocal: true, next: 'login' },
  REFRESH_UNKNOWN: { kind: 'authentication', isLocal: true },
  SECRET_INVALID: { kind: 'webhook', isLocal: true, next: 'fix-input' },
  SIGNATURE_MISSING: { kind: 'webhook', isLocal: true, next: 'stop' },
  SIGNATURE_MALFORMED: { kind: 'webhook', isLocal: true, next: 'stop' },
  SIGNATURE_MISMATCH: { kind: 'webhook', isLocal: true, next: 'stop' },
  BODY_ALREADY_READ: { kind: 'webhook', isLocal: true, next: 'fix-input' },
  BODY_TOO_LARGE: { kind: 'response', isLocal: true, next: 'stop' },
} as const;

/** A known service error code. */
export type ServiceCode =
  | keyof typeof DISTINCT
  | keyof typeof EXISTING_ROWS
  | keyof typeof PLAIN
  | keyof typeof BODY;
/** A code for a single invalid field, inside `validationErrors`. */
export type ValidationCode = keyof typeof BODY | keyof typeof FIELD;
export type OwnCode = keyof typeof CALL | keyof typeof OWN;
/** Any known error code, whether from the service, for a single field or from this package. */
export type KnownCode = ServiceCode | ValidationCode | OwnCode;

const CALL_ROWS: Rows = Object.assign({}, DISTINCT, CALL);

function withDefaults<Code extends string>(
  usual: CodeRow,
  ...parts: readonly Readonly<Partial<Record<Code, CodeRow>>>[]
): Readonly<Record<Code, CodeRow>> {
  const rows = Object.entries<CodeRow>(Object.assign({}, ...parts));
  const all = rows.map(([code, row]) => [code, Object.assign({}, usual, row)]);
  return Object.fromEntries(all) as Record<Code, CodeRow>;
}

export const SERVICE_ROWS: Readonly<Record<ServiceCode, CodeRow>> = /* @__PURE__ */ withDefaults(
  { status: 422 },
  PLAIN,
  BODY,
  EXISTING_ROWS,
  DISTINCT,
);
export const FIELD_ROWS: Readonly<Record<ValidationCode, CodeRow>> = /* @__PURE__ */ withDefaults(
  {},
  BODY,
  FIELD,
);
export const OWN_ROWS: Readonly<Record<OwnCode, CodeRow>> = /* @__PURE__ */ withDefaults(
  { kind: 'unreachable' },
  OWN,
  CALL,
);

export const CODE_ROWS: Readonly<Record<string, CodeRow>> = /* @__PURE__ */ withDefaults<KnownCode>(
  {},
  OWN_ROWS,
  FIELD_ROWS,
  SERVICE_ROWS,
);

/** HTTP status of each known service error code, according to the service's documentation. */
export const serviceCodes: Readonly<Record<ServiceCode, number>> =
  /* @__PURE__ */ listStatuses(SERVICE_ROWS);

function listStatuses<Code extends string>(rows: Record<Code, CodeRow>): Record<Code, number> {
  const statuses = Object.entries<CodeRow>(rows).map(([code, { status }]) => [code, status]);
  return Object.fromEntries(statuses) as Record<Code, number>;
}

/**
 * Matches codes for resources that already exist or are being processed. If the service adds a code
 * that matches, its outcome must not be treated as `not-done`. A test checks the pattern against
 * the table.
 */
const EXISTING = /^(PROCESSING|DUPLICATE)_|_(PROCESSED|INITIATED)$/;

export function findMeaning(code: string): CodeRow {
  if (Object.hasOwn(CALL_ROWS, code)) return CALL_ROWS[code]!;
  return EXISTING.test(code) ? { exists: true, next: 'read-first' } : {};
}

export function isKnownCode(code: string): boolean {
  return Object.hasOwn(CODE_ROWS, code);
}
