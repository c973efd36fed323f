import { EventSchema } from '../resources/events.schemas.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { type EventType, eventTypes } from '../resources/events.types.ts';
import { SubscriptionSchema } from '../resources/subscriptions.schemas.ts';
import type { Subscription } from '../resources/subscriptions.ts';
import { makeId, maker } from './make.ts';
import type { Maker } from './members.ts';

/**
 * Creates an event like those in webhooks and the event feed. Defaults to `invoice.updated` for the
 * first invoice. Events of other known types are about the first resource of their type.
 *
 * @example
 * const { invoiceId } = makeInvoice({ state: 'PAID' }, { index: 3 });
 * const event = makeEvent({ data: { entityId: invoiceId } });
 * const received = makeEvent({ eventType: 'receive-request.receive-completed' });
 */
export const makeEvent: Maker<ServiceEvent> = maker('makeEvent', EventSchema, {
  usual({ eventType = 'invoice.updated' }, { id, created }) {
    const subject = subjectKind(eventType);
    return {
      id: id('event'),
      eventType,
      webhookVersion: 'v1',
      data: {
        entityId: makeId(subject ?? 'invoice'),
        ...(eventType.endsWith('.updated') && { changes: ['state'] }),
        ...(subject === 'receiveRequest' && { receiveId: makeId('receive') }),
      },
      created,
      deliverySuccess: true,
    };
  },
  problems: ({ eventType, data }) => ({
    'data.receiveId':
      data.receiveId !== undefined &&
      (subjectKind(eventType) ?? 'receiveRequest') !== 'receiveRequest' &&
      `must be omitted, because ${eventType} is not about a receive`,
  }),
});

function subjectKind(eventType: string): (typeof eventTypes)[EventType] | undefined {
  return Object.hasOwn(eventTypes, eventType) ? eventTypes[eventType as EventType] : undefined;
}

/**
 * Creates an enabled webhook subscription for invoice events. It has no secret, because the service
 * never returns it.
 *
 * @example
 * const stopped = makeSubscription({ enabled: false, eventTypes: ['payout.updated'] });
 */
export const makeSubscription: Maker<Subscription> = maker('makeSubscription', SubscriptionSchema, {
  usual: (_chosen, { id, created }) => ({
    id: id('subscription'),
    webhookUrl: 'https://shop.example/hooks',
    webhookVersion: 'v1',
    enabled: true,
    eventTypes: ['invoice.updated'],
    created,
  }),
});
