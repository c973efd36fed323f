import type { ServiceEvent } from '../resources/events.ts';
import { EventSchema } from '../resources/events.schemas.ts';
import { eventTypes, type EventType } from '../resources/events.types.ts';
import type { Subscription } from '../resources/subscriptions.ts';
import { SubscriptionSchema } from '../resources/subscriptions.schemas.ts';
import { make } from './make.ts';
import type { MakeOptions, Members } from './members.ts';
import { idOf, type Origin } from './origin.ts';
import { shapeOf } from '../resources/wire.ts';

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
