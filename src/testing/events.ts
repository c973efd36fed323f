import {
  badInput,
  type Open,
  type ServiceCode,
  serviceCodes,
  type ValidationErrors,
} from '../core/errors/index.ts';
import type { Page } from '../core/lists/index.ts';
import { EventSchema } from '../resources/events.schemas.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { type EventType, eventTypes } from '../resources/events.types.ts';
import { SubscriptionSchema } from '../resources/subscriptions.schemas.ts';
import type { Subscription } from '../resources/subscriptions.ts';
import { shapeOf } from '../resources/wire.ts';
import { envelopeOf } from '../sandbox/world/responses.ts';
import { keysOf, signWebhook } from '../webhooks/verify.ts';
import { idOf, impossible, make, type MakeOptions, type Members, type Origin } from './make.ts';

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
export function makePage<T>(
  items: readonly T[],
  total: number | 'unknown' = items.length,
): Page<T> {
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
  {
    status = statusOf(code),
    values,
    validationErrors,
    traceId,
    headers,
  }: ErrorResponseOptions = {},
): Response {
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw impossible('makeErrorResponse', badInput('status', 'must be from 400 to 599'));
  const body = envelopeOf({ code, values, validationErrors }, traceId ?? 'trace-of-a-test', status);
  return Response.json(body, { status, ...(headers && { headers }) });
}

function statusOf(code: string): number {
  if (Object.hasOwn(serviceCodes, code)) return serviceCodes[code as ServiceCode];
  throw impossible(
    'makeErrorResponse',
    badInput('status', 'must be given for a code that is not known'),
  );
}

/**
 * Makes an event: `invoice.updated` of the first invoice, delivered. With another type it is about
 * the first one of that kind, as far as the type is known.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such an event cannot have
 * @example
 * const { invoiceId } = makeInvoice({ state: 'PAID' }, { index: 3 });
 * const event = makeEvent({ data: { entityId: invoiceId } });
 * const received = makeEvent({ eventType: 'receive-request.receive-completed' });
 */
export function makeEvent(
  members: Members<ServiceEvent> = {},
  options: MakeOptions = {},
): ServiceEvent {
  return make(
    {
      name: 'makeEvent',
      shape: shapeOf(EventSchema),
      usual: usualEvent,
      broken: ({ eventType, data: { receiveId } }) => [
        receiveId !== undefined &&
          kindOf(eventType) !== undefined &&
          kindOf(eventType) !== 'receiveRequest' && [
            'data.receiveId',
            `must be absent: ${eventType} is about no receive`,
          ],
      ],
    },
    members,
    options,
  );
}

/** The resource that a type is about; undefined where the type is not known. */
function kindOf(eventType: string): (typeof eventTypes)[EventType] | undefined {
  return Object.hasOwn(eventTypes, eventType) ? eventTypes[eventType as EventType] : undefined;
}

function usualEvent(
  { eventType = 'invoice.updated' }: Members<ServiceEvent>,
  { id, created }: Origin,
): ServiceEvent {
  const kind = kindOf(eventType);
  return {
    id: id('event'),
    eventType,
    webhookVersion: 'v1',
    data: {
      entityId: idOf(kind ?? 'invoice'),
      ...(eventType.endsWith('.updated') && { changes: ['state'] }),
      ...(kind === 'receiveRequest' && { receiveId: idOf('receive') }),
    },
    created,
    deliverySuccess: true,
  };
}

/**
 * Makes a subscription: enabled, for invoices, without its secret, which is never given back.
 *
 * @param members what is to be chosen
 * @param options which one, and when
 * @throws InputError naming the members that such a subscription cannot have
 * @example
 * const stopped = makeSubscription({ enabled: false, eventTypes: ['payout.updated'] });
 */
export function makeSubscription(
  members: Members<Subscription> = {},
  options: MakeOptions = {},
): Subscription {
  return make(
    {
      name: 'makeSubscription',
      shape: shapeOf(SubscriptionSchema),
      usual: (_chosen, { id, created }) => ({
        id: id('subscription'),
        webhookUrl: 'https://shop.example/hooks',
        webhookVersion: 'v1',
        enabled: true,
        eventTypes: ['invoice.updated'],
        created,
      }),
    },
    members,
    options,
  );
}

const FAULTS = [
  'other-secret',
  'changed-body',
  'reserialised',
  'no-signature',
  'malformed-signature',
] as const;

/**
 * The fault of a delivery: `other-secret`: it was signed with another one · `changed-body`:
 * the event was changed after it was signed · `reserialised`: the same event in other bytes ·
 * `no-signature`: there is no header · `malformed-signature`: the header holds no signature.
 */
export type MadeDeliveryFault = (typeof FAULTS)[number];

/** The address of a delivery, and its fault. */
export interface DeliveryOptions {
  /** Address of the receiver; https://shop.example/hooks. */
  readonly url?: string | undefined;
  /** Nothing is wrong where it is absent. */
  readonly fault?: MadeDeliveryFault | undefined;
}

/**
 * Makes the request with which the service delivers an event. The signature holds no time, so an
 * old delivery is one of an old event: choose its `created`.
 *
 * @param event what is delivered; `deliverySuccess` is no part of it
 * @param secret of the subscription, 10 to 50 characters
 * @param options the receiver's address, and a fault
 * @throws WebhookError `SECRET_INVALID`; InputError for a fault that is not known
 * @example
 * const request = await makeDelivery(makeEvent({ eventType: 'payout.updated' }), secret);
 * const event = await verifyWebhook(request, secret);
 * const forged = await makeDelivery(event, secret, { fault: 'changed-body' });
 */
export async function makeDelivery(
  event: ServiceEvent,
  secret: string,
  { url = 'https://shop.example/hooks', fault }: DeliveryOptions = {},
): Promise<Request> {
  if (fault !== undefined && !FAULTS.includes(fault))
    throw badInput('fault', `must be one of ${FAULTS.join(', ')}`);
  const { deliverySuccess: _, ...delivered } = event;
  const body = JSON.stringify(delivered);
  const signature = await signWebhook(body, fault === 'other-secret' ? otherThan(secret) : secret);
  const header = fault === 'malformed-signature' ? signature.slice(1) : signature;
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(fault !== 'no-signature' && { 'x-webhook-signature': header }),
    },
    body: bodyInstead(delivered, fault) ?? body,
  });
}

/** A secret of the same length, which no caller has. */
function otherThan(secret: string): string {
  keysOf(secret);
  return (secret.startsWith('x') ? 'y' : 'x') + secret.slice(1);
}

/** The body that is sent in the place of the signed one. */
function bodyInstead(
  event: Omit<ServiceEvent, 'deliverySuccess'>,
  fault: MadeDeliveryFault | undefined,
): string | undefined {
  const { data } = event;
  if (fault === 'reserialised') return JSON.stringify(event, undefined, 1);
  return fault === 'changed-body'
    ? JSON.stringify({ ...event, data: { ...data, entityId: `${data.entityId}0` } })
    : undefined;
}
