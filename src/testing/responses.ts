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
 * Creates a page, the response body of paginated lists such as invoices, events and
 * payouts. Balances, rates, tiers and subscriptions are plain arrays.
 * @param items items on this page
 * @param given total number of items on all pages, or `unknown`. Defaults to the number on this
 * page
 * @throws InputError for a total below the number of items
 *
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
      badInput('total', 'must be a whole number, and at least the number of items'),
    );
  return { items, count: total, isCountUnknown: false };
}

/** Options for an error response, besides its code. */
export interface ErrorResponseOptions {
  /**
   * HTTP status of the response. Defaults to the code's usual status. Required for an unknown code.
   */
  readonly status?: number | undefined;
  /** The error's `values`, such as `{ paymentId }`. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  /** Validation errors by field, for the code `INVALID_DATA`. */
  readonly validationErrors?: ValidationErrors | undefined;
  /** Trace id of the request. Defaults to `trace-of-a-test`. */
  readonly traceId?: string | undefined;
  /** Additional response headers, such as `{ 'retry-after': '60' }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates an error response like the service's, with the code's usual status and an error envelope.
 * @param code one of the service's error codes
 * @param options other response fields
 * @throws InputError if an unknown code has no status, or if the status isn't from 400 to 599
 *
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
  throw impossible('makeErrorResponse', badInput('status', 'is required for an unknown code'));
}
