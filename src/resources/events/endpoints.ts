import { LIST_QUERY, type ListQuery, type Page } from '../../core/list.ts';
import type { Row } from '../../core/row.ts';
import { shapeOf } from '../shape.ts';
import type { EventId, ServiceEvent } from './model.ts';
import { EventPageSchema, EventSchema } from './schemas.ts';

/** @source seed */
export const list: Row<ListQuery, void, Page<ServiceEvent>> = {
  method: 'GET',
  path: '/v1/events',
  scope: 'partner.webhooks.manage',
  statuses: [200],
  query: LIST_QUERY,
  output: shapeOf(EventPageSchema),
  group: 'others',
  repeat: 'read',
};

/** @source public */
export const find: Row<{ eventId: EventId }, void, ServiceEvent> = {
  method: 'GET',
  path: '/v1/events/{eventId}',
  scope: 'partner.webhooks.manage',
  statuses: [200],
  output: shapeOf(EventSchema),
  group: 'others',
  repeat: 'read',
};
