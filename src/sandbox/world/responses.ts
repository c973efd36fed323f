import {
  type Open,
  type ServiceCode,
  serviceCodes,
  type ValidationErrors,
  type Violation,
} from '../../core/errors/index.ts';
import type { BehaviourId } from '../provenance/recorder.ts';

/** A sandbox response before it's converted to a `Response`. */
export interface OutgoingResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  /** Ids of the behaviors that the response relies on. Absent if a fault replaced the response. */
  readonly behaviours?: readonly BehaviourId[];
  /** Internal sandbox error that caused a response with status 500. */
  readonly failure?: unknown;
}

export function jsonResponse(status: number, body: unknown): OutgoingResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}

interface RefusalDetails {
  readonly validationErrors?: ValidationErrors | undefined;
  /** Id of the behavior that the error relies on, unless the endpoint and the code determine it. */
  readonly behaviour?: BehaviourId | undefined;
}

/** An error of the simulated service, which is converted to an error response. */
export class ServiceRefusal extends Error {
  readonly code: ServiceCode;
  readonly values: Readonly<Record<string, unknown>> | undefined;
  readonly validationErrors: ValidationErrors | undefined;
  readonly behaviour: BehaviourId | undefined;
  readonly status: number;
  constructor(
    code: ServiceCode,
    values?: Readonly<Record<string, unknown>>,
    { validationErrors, behaviour }: RefusalDetails = {},
  ) {
    super(code);
    this.code = code;
    this.values = values;
    this.validationErrors = validationErrors;
    this.behaviour = behaviour;
    this.status = serviceCodes[code];
  }
}

/** Creates the error for invalid data, with each violation's code and values. */
export function invalidData(
  violations: readonly Violation[],
  details: Omit<RefusalDetails, 'validationErrors'> = {},
): ServiceRefusal {
  const errors = new Map<
    string,
    { code: string; message: string; values: Record<string, unknown> }[]
  >();
  for (const { field, code, advice, values } of violations) {
    const issue = { code, message: `${field} ${advice}`, values: { field, ...values } };
    errors.set(field, [...(errors.get(field) ?? []), issue]);
  }
  const validationErrors = Object.fromEntries(errors);
  return new ServiceRefusal('INVALID_DATA', undefined, { ...details, validationErrors });
}

/** Creates the violation for a value that the schemas allow but the service rejects. */
export function wrongValue(field: string, advice: string): Violation {
  return { field, code: 'INVALID_DATA_VALUE', advice };
}

export function missingValue(field: string): Violation {
  return { field, code: 'INVALID_DATA_REQUIRED', advice: 'is required' };
}

export function longText(field: string, maxLength: number): Violation {
  const advice = `must be at most ${maxLength} characters`;
  return { field, code: 'INVALID_DATA_MAXLENGTH', advice, values: { maxLength } };
}

export function requireOneOf(
  field: string,
  text: string | undefined,
  known: readonly string[],
): void {
  if (text !== undefined && !known.includes(text))
    throw invalidData([wrongValue(field, `must be ${known.join(' or ')}`)]);
}

/**
 * Creates the error for a resource that doesn't exist. If it belongs to another account, pass it as
 * `another`.
 */
export function notFound(another?: object): ServiceRefusal {
  return new ServiceRefusal('NOT_FOUND', undefined, {
    behaviour: another && 'others.not-found',
  });
}

/** Like `notFound`, for an id in a request body. */
export function unknownReference(id: string, another?: object): ServiceRefusal {
  return new ServiceRefusal('NOT_FOUND', { id }, { behaviour: another && 'others.not-found' });
}

interface EnvelopeFacts {
  readonly code: Open<ServiceCode>;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly validationErrors?: ValidationErrors | undefined;
  /** Extra fields, to simulate a later version of the service. */
  readonly added?: Readonly<Record<string, unknown>> | undefined;
  /** Debug data, which the service only returns in development mode. */
  readonly debug?: object | undefined;
}

export function makeEnvelope(
  { code, values, validationErrors, added, debug }: EnvelopeFacts,
  traceId: string,
  status: number,
): object {
  return {
    traceId,
    data: {
      status,
      code,
      message: Object.hasOwn(MESSAGES, code) ? MESSAGES[code as ServiceCode] : code,
      ...(values && { values }),
      ...(validationErrors && { validationErrors }),
      ...added,
    },
    ...(debug && { debug }),
  };
}

/**
 * Error messages from the table of codes in the API description. If a code has no message there,
 * the message is the code written as words.
 */
const MESSAGES: Readonly<Record<ServiceCode, string>> = {
  NOT_FOUND: 'Resource not found.',
  INTERNAL_SERVER_ERROR: 'Unexpected problem',
  BAD_GATEWAY: 'Bad gateway',
  MAINTENANCE_MODE: 'Maintenance mode is active',
  SERVICE_UNAVAILABLE: 'Temporarily unavailable',
  GATEWAY_TIMEOUT: 'Gateway timeout',
  RATE_LIMIT_EXCEEDED: 'Rate limit exceeded',
  TOO_MANY_ATTEMPTS: 'Try again in a few minutes',
  PROCESSING_CONFLICT: 'Could not process now; try later',
  UNAUTHORIZED: 'Invalid or unspecified identity',
  FORBIDDEN: 'Insufficient permissions',
  INVALID_DATA: 'One or more validation errors occurred',
  INVALID_DATA_QUERY: 'Invalid OData query',
  UNPROCESSABLE_ENTITY: 'Unprocessable entity',
  ACCOUNT_NOT_READY: 'Account not yet ready; retry later',
  INVALID_STATE_FOR_INVOICE_PAID: 'Invoice already paid',
  INVALID_STATE_FOR_INVOICE_REVERSED: 'Invoice reversed',
  INVALID_STATE_FOR_INVOICE_CANCELLED: 'Invoice cancelled',
  INVALID_STATE_FOR_INVOICE_EXPIRED: 'Lightning invoice expired',
  INVALID_RECIPIENT: 'Recipient currently unable to receive payments',
  PROCESSING_PAYMENT: 'Invoice payment is being processed',
  DUPLICATE_INVOICE: 'Invoice with the correlation id already exists',
  SELF_PAYMENT_NOT_ALLOWED: 'Self-payments not allowed',
  USER_CURRENCY_UNAVAILABLE: 'User does not support the currency',
  LN_UNAVAILABLE: 'Lightning network unavailable',
  EXCHANGE_RATE_NOT_AVAILABLE: 'No rate for the currency pair',
  BALANCE_TOO_LOW: 'Insufficient funds',
  INVALID_AMOUNT: 'Amount must be greater than zero',
  AMOUNT_TOO_HIGH: 'Amount above the limit',
  AMOUNT_TOO_LOW: 'Amount below the limit',
  UNSUPPORTED_PAYMENT_METHOD: 'Payment method not supported',
  INVALID_PAYMENT_METHOD: 'Invalid payment method',
  CURRENCY_UNSUPPORTED: 'Requested currency not supported',
  PLAID_LINKING_FAILED: 'Account verification failed',
  PAYMENT_METHOD_NOT_READY: 'Payment method must be in READY state',
  PAYOUT_ORIGINATOR_NOT_APPROVED: 'Payout originator must be in APPROVED state',
  PAYOUT_ALREADY_INITIATED: 'Payout already initiated',
  PAYMENT_PROCESSED: 'Payment already processed',
  INVALID_LN_INVOICE: 'Invalid Lightning invoice',
  LN_INVOICE_PROCESSED: 'Lightning invoice already processed',
  INVALID_BITCOIN_ADDRESS: 'Invalid BTC address',
  LN_ROUTE_NOT_FOUND: 'No Lightning route found',
  PAYMENT_QUOTE_EXPIRED: 'Payment quote expired',
  DUPLICATE_PAYMENT_QUOTE: 'A quote for the idempotency key exists',
  TOO_MANY_TRANSACTIONS: 'Transaction count limit exceeded',
  DUPLICATE_CURRENCY_EXCHANGE_QUOTE: 'A currency exchange quote for the idempotency key exists',
  CURRENCY_EXCHANGE_QUOTE_PROCESSED: 'Quote already processed',
  CURRENCY_EXCHANGE_QUOTE_EXPIRED: 'Quote expired',
  CURRENCY_EXCHANGE_PAIR_NOT_SUPPORTED: 'Pair is invalid',
  CURRENCY_EXCHANGE_AMOUNT_TOO_LOW: 'Exchanged amount too low',
  DEPOSIT_LIMIT_EXCEEDED: 'Allowed number of deposits exceeded',
  DUPLICATE_DEPOSIT: 'A deposit for the idempotency key exists',
};
