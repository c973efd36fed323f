import { checkArgument, checkOptions } from '../core/errors/index.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { listKeys, SIGNATURE_HEADER, signWebhook } from '../webhooks/verify.ts';

export const RECEIVER = 'https://shop.example/hooks';

const FAULTS = [
  'other-secret',
  'changed-body',
  'reserialised',
  'no-signature',
  'malformed-signature',
] as const;

/**
 * Fault in a delivery. With `other-secret`, the delivery is signed with another secret. With
 * `changed-body`, the event was changed after signing. With `reserialised`, the whitespace in the
 * JSON was changed after signing. With `no-signature`, the header is missing. With
 * `malformed-signature`, it isn't a valid signature.
 */
export type MadeDeliveryFault = (typeof FAULTS)[number];

/** Options for `makeDelivery`. */
export interface DeliveryOptions {
  /** URL of the webhook receiver. Defaults to https://shop.example/hooks. */
  readonly url?: string | undefined;
  /** Fault in the delivery. Defaults to none. */
  readonly fault?: MadeDeliveryFault | undefined;
}

/**
 * Creates the request that the service sends to deliver an event. The signature has no timestamp,
 * so to test an old delivery, set an old `created` in the event.
 * @param event the event to deliver, without its `deliverySuccess`
 * @param secret the webhook subscription's secret, with 10 to 50 characters
 * @param options the receiver's URL, and a fault
 * @throws WebhookError `SECRET_INVALID`, or InputError for an unknown fault
 *
 * @example
 * const request = await makeDelivery(makeEvent({ eventType: 'payout.updated' }), secret);
 * const event = await verifyWebhook(request, secret);
 * const forged = await makeDelivery(event, secret, { fault: 'changed-body' });
 */
export async function makeDelivery(
  event: ServiceEvent,
  secret: string,
  options: DeliveryOptions = {},
): Promise<Request> {
  checkArgument('event', event, 'object!');
  checkArgument('event.data', event.data, 'object!');
  checkArgument('secret', secret, 'string');
  checkOptions<DeliveryOptions>(options, { url: 'string', fault: FAULTS });
  const { url, fault } = options;
  const { deliverySuccess: _, ...delivered } = event;
  const body = JSON.stringify(delivered);
  const signature = await signWebhook(body, fault === 'other-secret' ? otherThan(secret) : secret);
  const { data } = delivered;
  const changed = { ...delivered, data: { ...data, entityId: `${data.entityId}0` } };
  switch (fault) {
    case 'no-signature':
      return deliveryRequest(body, undefined, url);
    case 'malformed-signature':
      return deliveryRequest(body, signature.slice(1), url);
    case 'reserialised':
      return deliveryRequest(JSON.stringify(delivered, undefined, 1), signature, url);
    case 'changed-body':
      return deliveryRequest(JSON.stringify(changed), signature, url);
    default:
      return deliveryRequest(body, signature, url);
  }
}

export function deliveryRequest(
  body: string,
  signature: string | undefined,
  url: string = RECEIVER,
): Request {
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(signature && { [SIGNATURE_HEADER]: signature }),
    },
    body,
  });
}

function otherThan(secret: string): string {
  listKeys(secret);
  return (secret.startsWith('x') ? 'y' : 'x') + secret.slice(1);
}
