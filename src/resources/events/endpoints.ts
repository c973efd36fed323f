import { LIST_QUERY, type ListQuery, type Page } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import type { EventId, ServiceEvent } from './model.ts';
import { EventPageSchema, EventSchema } from './schemas.ts';

/** GET /v1/events @source documented */
export const list: Endpoint<ListQuery, void, Page<ServiceEvent>> = {
  operation: 'events.list',
  method: 'GET',
  path: '/v1/events',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: EventPageSchema,
  query: LIST_QUERY,
};

/** GET /v1/events/{eventId} @source public */
export const get: Endpoint<{ eventId: EventId }, void, ServiceEvent> = {
  operation: 'events.get',
  method: 'GET',
  path: '/v1/events/{eventId}',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: EventSchema,
  echo: { eventId: 'id' },
};
