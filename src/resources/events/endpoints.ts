import { LIST_QUERY, type ListQuery, type Page } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import { reading } from '../rows.ts';
import type { EventId, ServiceEvent } from './model.ts';
import { EventPageSchema, EventSchema } from './schemas.ts';

/** @source seed */
export const list: Endpoint<ListQuery, void, Page<ServiceEvent>> = reading(
  '/v1/events',
  'partner.webhooks.manage',
  EventPageSchema,
  { query: LIST_QUERY },
);

/** @source public */
export const get: Endpoint<{ eventId: EventId }, void, ServiceEvent> = reading(
  '/v1/events/{eventId}',
  'partner.webhooks.manage',
  EventSchema,
  { echo: { eventId: 'id' } },
);
