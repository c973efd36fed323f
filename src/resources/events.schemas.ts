import * as v from 'valibot';
import type { ServiceEvent, ServiceEventSubject } from './events.ts';
import type { EventType } from './events.types.ts';
import {
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  makePage,
  type WirePage,
  TimeSchema,
} from './wire.ts';

const SubjectSchema: ObjectSchema<ServiceEventSubject> = v.looseObject<
  EntriesOf<ServiceEventSubject>
>({
  entityId: v.string(),
  changes: maybe(v.array(v.string())),
  receiveId: maybe(v.string()),
});

/** Validates `EventType`. */
export const EventTypeSchema: OpenText<EventType> = openText();

/** Validates the version of a webhook format. */
export const WebhookVersionSchema: OpenText<'v1' | 'v2'> = openText();

/** Validates `ServiceEvent` in responses. */
export const EventSchema: ObjectSchema<ServiceEvent> = v.looseObject<EntriesOf<ServiceEvent>>({
  id: v.string(),
  eventType: EventTypeSchema,
  webhookVersion: WebhookVersionSchema,
  data: SubjectSchema,
  created: TimeSchema,
  deliverySuccess: maybe(v.boolean()),
});

/** Validates a page of `ServiceEvent`. */
export const EventPageSchema: ObjectSchema<WirePage<ServiceEvent>> = makePage(EventSchema);
