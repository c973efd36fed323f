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

/** Reads `EventType`; new texts pass. */
export const EventTypeSchema: OpenText<EventType> = openText();

/** Reads the version of webhooks; new texts pass. */
export const WebhookVersionSchema: OpenText<'v1' | 'v2'> = openText();

/** Reads `ServiceEvent` as the service sends it; new members pass. */
export const EventSchema: ObjectSchema<ServiceEvent> = v.looseObject<EntriesOf<ServiceEvent>>({
  id: v.string(),
  eventType: EventTypeSchema,
  webhookVersion: WebhookVersionSchema,
  data: SubjectSchema,
  created: TimeSchema,
  deliverySuccess: maybe(v.boolean()),
});

/** Reads a page of a list of `ServiceEvent` as the service sends it. */
export const EventPageSchema: ObjectSchema<WirePage<ServiceEvent>> = makePage(EventSchema);
