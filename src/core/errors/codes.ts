/** The party that must act: closed, so that a `switch` on it is complete. */
export type ErrorKind =
  | 'input'
  | 'refused'
  | 'limited'
  | 'unreachable'
  | 'response'
  | 'webhook'
  | 'authentication';

/** "It did not happen" and "we cannot know" never share a value. */
export type Outcome = 'not-done' | 'unknown';

/** The next step after an error, as data. */
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

// The one table of codes: each code has one row in one of the parts below. A row says only what the
// status does not say, and no status where that of the service's code is 422, no kind where that of
// our error is `unreachable`. The first two parts are in every client; the others only in what
// reads the whole table.

/** The meaning of a code. */
export interface CodeRow {
  /** HTTP status that it comes with; absent where there may be no response. */
  readonly status?: number;
  /** Kind of the error that carries it; absent where the code is the service's. */
  readonly kind?: ErrorKind;
  /**
   * The next step where nothing was done. Where something exists, it also applies to an unknown
   * outcome, except `retry`.
   */
  readonly next?: Next;
  /** Something exists or is under way, or may: never a proof that nothing was done. */
  readonly exists?: true;
  /** The outcome is unknown even if this call sent nothing. */
  readonly isUnknown?: true;
  /** The error arises here, and nothing was sent. */
  readonly isLocal?: true;
  /** The thing is in a state in which the command does nothing. */
  readonly isState?: true;
  /** Another attempt may succeed. */
  readonly transient?: true;
}

type Rows = Readonly<Record<string, CodeRow>>;

/** Codes of the service whose meaning differs from that of their status. */
const DISTINCT = {
  PROCESSING_CONFLICT: { status: 409, exists: true, next: 'retry', transient: true },
  INVALID_STATE_FOR_INVOICE_CANCELLED: { exists: true, next: 'read-first', isState: true },
  INVALID_STATE_FOR_INVOICE_PAID: { isState: true },
  INVALID_STATE_FOR_INVOICE_REVERSED: { isState: true },
  // a quote cannot be read, and it moves no money
  DUPLICATE_PAYMENT_QUOTE: { exists: true, next: 'new-quote' },
  PAYMENT_QUOTE_EXPIRED: { next: 'new-quote' },
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: { next: 'new-quote' },
  INVALID_STATE_FOR_INVOICE_EXPIRED: { next: 'new-quote', isState: true },
  ACCOUNT_NOT_READY: { status: 425, transient: true },
  RATE_LIMIT_EXCEEDED: { status: 429, transient: true },
} as const;

/**
 * Codes of this package for a call under way. A status is that of a response that could not be
 * used.
 */
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
 * Codes of the service whose name says that something exists or is under way. A call recognises
 * them by `EXISTING`, without this table.
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

/** Codes of the service that mean what their status means. */
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

/** The code of a body that breaks rules, which is also a code of a broken field. */
const BODY = { INVALID_DATA: { status: 400 } } as const;

/** Codes of one broken field, inside `validationErrors`. */
const FIELD = {
  INVALID_DATA_REQUIRED: { status: 400 },
  INVALID_DATA_LENGTH: { status: 400 },
  INVALID_DATA_MINLENGTH: { status: 400 },
  INVALID_DATA_MAXLENGTH: { status: 400 },
  INVALID_DATA_VALUE: { status: 400 },
  INVALID_DATA_CURRENCY: { status: 400 },
} as const;

/**
 * Codes of this package that mean what their status means, and those that arise before or after a
 * call.
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

/** A code that the service is known to respond with. */
export type ServiceCode =
  | keyof typeof DISTINCT
  | keyof typeof EXISTING_ROWS
  | keyof typeof PLAIN
  | keyof typeof BODY;
/** A code of one broken field, inside `validationErrors`. */
export type ValidationCode = keyof typeof BODY | keyof typeof FIELD;
/** A code of this package. */
export type OwnCode = keyof typeof CALL | keyof typeof OWN;
/** Every code that is known. */
export type KnownCode = ServiceCode | ValidationCode | OwnCode;

const CALL_ROWS: Rows = Object.assign({}, DISTINCT, CALL);

/** Joins parts of the table and fills in the defaults of their rows. */
function withDefaults<Code extends string>(
  usual: CodeRow,
  ...parts: readonly Readonly<Partial<Record<Code, CodeRow>>>[]
): Readonly<Record<Code, CodeRow>> {
  const rows = Object.entries<CodeRow>(Object.assign({}, ...parts));
  const all = rows.map(([code, row]) => [code, Object.assign({}, usual, row)]);
  return Object.fromEntries(all) as Record<Code, CodeRow>;
}

/** All rows of the service's codes. */
export const SERVICE_ROWS: Readonly<Record<ServiceCode, CodeRow>> = /* @__PURE__ */ withDefaults(
  { status: 422 },
  PLAIN,
  BODY,
  EXISTING_ROWS,
  DISTINCT,
);
/** All rows of codes of one broken field. */
export const FIELD_ROWS: Readonly<Record<ValidationCode, CodeRow>> = /* @__PURE__ */ withDefaults(
  {},
  BODY,
  FIELD,
);
/** All rows of this package's codes. */
export const OWN_ROWS: Readonly<Record<OwnCode, CodeRow>> = /* @__PURE__ */ withDefaults(
  { kind: 'unreachable' },
  OWN,
  CALL,
);

/** The whole table. */
export const CODE_ROWS: Readonly<Record<string, CodeRow>> = /* @__PURE__ */ withDefaults<KnownCode>(
  {},
  OWN_ROWS,
  FIELD_ROWS,
  SERVICE_ROWS,
);

/** HTTP status of each code that the service is known to respond with (documented). */
export const serviceCodes: Readonly<Record<ServiceCode, number>> =
  /* @__PURE__ */ listStatuses(SERVICE_ROWS);

function listStatuses<Code extends string>(rows: Record<Code, CodeRow>): Record<Code, number> {
  const statuses = Object.entries<CodeRow>(rows).map(([code, { status }]) => [code, status]);
  return Object.fromEntries(statuses) as Record<Code, number>;
}

/**
 * Matches the service's names for what exists or is under way. A code that the table lacks must
 * never count as "not done" when it has such a name; a test compares this rule with the table.
 */
const EXISTING = /^(PROCESSING|DUPLICATE)_|_(PROCESSED|INITIATED)$/;

/** Returns what a code means beyond its status. */
export function findMeaning(code: string): CodeRow {
  if (Object.hasOwn(CALL_ROWS, code)) return CALL_ROWS[code]!;
  return EXISTING.test(code) ? { exists: true, next: 'read-first' } : {};
}

/** Tells whether this version knows the code. */
export function isKnownCode(code: string): boolean {
  return Object.hasOwn(CODE_ROWS, code);
}
