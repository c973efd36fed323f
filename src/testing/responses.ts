import {
  badInput,
  checkArgument,
  checkOptions,
  type Open,
  type ServiceCode,
  serviceCodes,
  type ValidationErrors,
} from '../core/errors/index.ts';
import type { Page } from '../core/lists/index.ts';
import { makeEnvelope } from '../sandbox/world/responses.ts';
import { impossible } from './make.ts';

/**
 * Makes a page of a list: the body with which the service responds to a list of invoices, events,
 * payouts and all others that have pages. Balances, rates, tiers and subscriptions are bare arrays.
 *
 * @param items the values of this page
 * @param total how many there are on all pages, or `unknown`; as many as are on this one
 * @throws InputError for a total below the number of items
 * @example
 * const body = makePage([makeInvoice()], 250);
 * const response = Response.json(body);
 */
export function makePage<T>(items: readonly T[], given?: number | 'unknown'): Page<T> {
  checkArgument('items', items, 'array!');
  const total = given === undefined ? items.length : given;
  if (total === 'unknown') return { items, count: 0, isCountUnknown: true };
  if (!Number.isInteger(total) || total < items.length)
    throw impossible(
      'makePage',
      badInput('total', 'must be a whole number, at least that of items'),
    );
  return { items, count: total, isCountUnknown: false };
}

/** Members of a refusal besides its code. */
export interface ErrorResponseOptions {
  /** HTTP status; that of the code. Needed for a code that is not known. */
  readonly status?: number | undefined;
  /** Figures of the refusal, such as `{ paymentId }`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Broken rules by field, of INVALID_DATA. */
  readonly validationErrors?: ValidationErrors | undefined;
  /** Id of the request; `trace-of-a-test`. */
  readonly traceId?: string | undefined;
  /** Further headers, such as `{ 'retry-after': '60' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes the response with which the service refuses: the status of the code, and the envelope.
 *
 * @param code of the service
 * @param options the facts in addition to the code
 * @throws InputError for a code that is not known and has no status, or a status of no refusal
 * @example
 * const response = makeErrorResponse('BALANCE_TOO_LOW');
 * console.log(response.status, (await response.json()).data.code); // 422 BALANCE_TOO_LOW
 */
export function makeErrorResponse(
  code: Open<ServiceCode>,
  options: ErrorResponseOptions = {},
): Response {
  checkArgument('code', code, 'string!');
  checkOptions<ErrorResponseOptions>(options, {
    status: 'number',
    values: 'object',
    validationErrors: 'object',
    traceId: 'string',
    headers: 'object',
  });
  const { status = knownStatus(code), values, validationErrors, traceId, headers } = options;
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw impossible('makeErrorResponse', badInput('status', 'must be from 400 to 599'));
  const body = makeEnvelope(
    { code, values, validationErrors },
    traceId ?? 'trace-of-a-test',
    status,
  );
  return Response.json(body, { status, ...(headers && { headers }) });
}

function knownStatus(code: string): number {
  if (Object.hasOwn(serviceCodes, code)) return serviceCodes[code as ServiceCode];
  throw impossible(
    'makeErrorResponse',
    badInput('status', 'must be given for a code that is not known'),
  );
}
