import * as v from 'valibot';
import {
  response,
  array,
  maybe,
  openText,
  type OpenText,
  pageOf,
  type SchemaOf,
  type WirePage,
} from '../shape.ts';
import type { ServiceEvent, ServiceEventSubject } from './model.ts';
import type { EventType } from './types.ts';

const SubjectSchema: SchemaOf<ServiceEventSubject> = response<ServiceEventSubject>({
  entityId: v.string(),
  changes: maybe(array(v.string())),
  receiveId: maybe(v.string()),
});

export const EventTypeSchema: OpenText<EventType> = openText();

export const WebhookVersionSchema: OpenText<'v1' | 'v2'> = openText();

export const EventSchema: SchemaOf<ServiceEvent> = response<ServiceEvent>({
  id: v.string(),
  eventType: EventTypeSchema,
  webhookVersion: WebhookVersionSchema,
  data: SubjectSchema,
  created: v.string(),
  deliverySuccess: maybe(v.boolean()),
});

export const EventPageSchema: SchemaOf<WirePage<ServiceEvent>> = pageOf(EventSchema);
