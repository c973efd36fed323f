import type { BehaviourId } from '../provenance/behaviours.ts';
import type { Violation, Open, ServiceCode, ValidationErrors } from '../../core/errors/index.ts';

/** Thrown where the service refuses; becomes the envelope of the response. */
export class ServiceRefusal extends Error {
  readonly code: ServiceCode;
  readonly values: Readonly<Record<string, unknown>> | undefined;
  readonly validationErrors: ValidationErrors | undefined;
  /** The behaviour that it rests on, where endpoint and code do not say. */
  readonly behaviour: BehaviourId | undefined;
  constructor(
    code: ServiceCode,
    values?: Readonly<Record<string, unknown>>,
    validationErrors?: ValidationErrors,
    behaviour?: BehaviourId,
  ) {
    super(code);
    this.behaviour = behaviour;
    this.code = code;
    this.values = values;
    this.validationErrors = validationErrors;
  }
}

/** Thrown where the response comes without the service's envelope. */
export class BareStatus extends Error {
  readonly status: number;
  readonly behaviour: BehaviourId;
  constructor(status: number, behaviour: BehaviourId) {
    super(`${status}`);
    this.behaviour = behaviour;
    this.status = status;
  }
}

/**
 * `INVALID_DATA` with its errors by field, each with the values that the validation code carries.
 */
export function invalidData(
  violations: readonly Violation[],
  behaviour?: BehaviourId,
): ServiceRefusal {
  const errors: Record<
    string,
    { code: string; message: string; values: Record<string, unknown> }[]
  > = {};
  for (const { field, code, advice, values } of violations)
    (errors[field] ??= []).push({
      code,
      message: `${field} ${advice}`,
      values: { field, ...values },
    });
  return new ServiceRefusal('INVALID_DATA', undefined, errors, behaviour);
}

/** `NOT_FOUND` for an id that nothing has, and, as is assumed, for what `another` account has. */
export function notFound(id: string, another: object | undefined): ServiceRefusal {
  return new ServiceRefusal('NOT_FOUND', { id }, undefined, another && 'others.not-found');
}

/** Texts for developers, which the service may change at any time. */
const MESSAGES: Partial<Record<ServiceCode, string>> = {
  NOT_FOUND: 'Resource not found.',
  INTERNAL_SERVER_ERROR: 'Unexpected problem.',
  MAINTENANCE_MODE: 'Maintenance mode is active.',
  SERVICE_UNAVAILABLE: 'Temporarily unavailable.',
  RATE_LIMIT_EXCEEDED: 'Rate limit exceeded.',
  UNAUTHORIZED: 'Invalid or unspecified identity.',
  FORBIDDEN: 'Insufficient permissions.',
  INVALID_DATA: 'One or more validation errors occurred.',
  INVALID_DATA_QUERY: 'Invalid OData query.',
  INVALID_STATE_FOR_INVOICE_PAID: 'Invoice already paid.',
  INVALID_STATE_FOR_INVOICE_REVERSED: 'Invoice reversed.',
  INVALID_STATE_FOR_INVOICE_CANCELLED: 'Invoice cancelled.',
  INVALID_STATE_FOR_INVOICE_EXPIRED: 'Lightning invoice expired.',
  PROCESSING_PAYMENT: 'Invoice payment is being processed.',
  DUPLICATE_INVOICE: 'Invoice with the correlation id already exists.',
  USER_CURRENCY_UNAVAILABLE: 'User does not support the currency.',
  INVALID_AMOUNT: 'Amount must be greater than zero.',
  AMOUNT_TOO_HIGH: 'Amount above the limit.',
};

/** What an envelope says beside its code. */
interface EnvelopeFacts {
  readonly code: Open<ServiceCode>;
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly validationErrors?: ValidationErrors | undefined;
}

/** The body that every refusal of the service has. */
export function envelopeOf(
  { code, values, validationErrors }: EnvelopeFacts,
  traceId: string,
  status: number,
): object {
  const message = Object.hasOwn(MESSAGES, code) ? MESSAGES[code as ServiceCode] : code;
  return {
    traceId,
    data: {
      status,
      code,
      message,
      ...(values && { values }),
      ...(validationErrors && { validationErrors }),
    },
  };
}
