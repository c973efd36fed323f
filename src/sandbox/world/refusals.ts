import type { BehaviourId } from '../provenance/behaviours.ts';
import {
  type Open,
  type ServiceCode,
  serviceCodes,
  type ValidationErrors,
  type Violation,
} from '../../core/errors/index.ts';
import { MESSAGES } from './messages.ts';

/** What a refusal says beside its code and values. */
interface RefusalDetails {
  readonly validationErrors?: ValidationErrors | undefined;
  /** The behaviour that it rests on, where endpoint and code do not say. */
  readonly behaviour?: BehaviourId | undefined;
  /** Where it is not the one of its code. */
  readonly status?: number | undefined;
}

/** Thrown where the service refuses; becomes the envelope of the response. */
export class ServiceRefusal extends Error {
  readonly code: ServiceCode;
  readonly values: Readonly<Record<string, unknown>> | undefined;
  readonly validationErrors: ValidationErrors | undefined;
  readonly behaviour: BehaviourId | undefined;
  readonly status: number;
  constructor(
    code: ServiceCode,
    values?: Readonly<Record<string, unknown>>,
    { validationErrors, behaviour, status }: RefusalDetails = {},
  ) {
    super(code);
    this.code = code;
    this.values = values;
    this.validationErrors = validationErrors;
    this.behaviour = behaviour;
    this.status = status ?? serviceCodes[code];
  }
}

/**
 * `INVALID_DATA` with its errors by field, each with the values that the validation code carries.
 */
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

/** Refuses a text that is none of those that the service names. */
export function requireOneOf(
  field: string,
  text: string | undefined,
  known: readonly string[],
): void {
  if (text !== undefined && !known.includes(text))
    throw invalidData([
      { field, code: 'INVALID_DATA_VALUE', advice: `must be ${known.join(' or ')}` },
    ]);
}

/** `NOT_FOUND` for an address with nothing behind it, or with what `another` account has. */
export function notFound(another?: object): ServiceRefusal {
  return new ServiceRefusal('NOT_FOUND', undefined, {
    behaviour: another && 'others.not-found',
  });
}

/** `NOT_FOUND` in the form that names the id: of what a body refers to. */
export function unknownReference(id: string, another?: object): ServiceRefusal {
  return new ServiceRefusal('NOT_FOUND', { id }, { behaviour: another && 'others.not-found' });
}

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
  return {
    traceId,
    data: {
      status,
      code,
      message: messageOf(code, values),
      ...(values && { values }),
      ...(validationErrors && { validationErrors }),
    },
  };
}

function messageOf(code: string, values: EnvelopeFacts['values']): string {
  const message = Object.hasOwn(MESSAGES, code) ? MESSAGES[code as ServiceCode] : code;
  return code === 'NOT_FOUND' && values ? `${message}: ${String(values['id'])}` : message;
}
