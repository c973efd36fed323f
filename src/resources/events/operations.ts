// The events of the last 30 days.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import {
  createdWhere,
  equals,
  type List,
  listOf,
  type ListOptions,
  type Condition,
} from '../../core/lists/index.ts';
import * as endpoints from './endpoints.ts';
import type { EventFilter, EventId, ServiceEvent } from './model.ts';

/**
 * Lists the events of the last 30 days, oldest first. Returns a list to iterate, to page or to
 * count. `GET /v1/events` (documented).
 *
 * @throws InputError for a date that is none · RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * const paid = client.events.list({ eventType: 'invoice.updated' });
 * const first = await paid.toArray({ limit: 10 });
 */
export function list(
  connection: Connection,
  filter: EventFilter | Condition<'event'> = {},
  options: ListOptions = {},
): List<ServiceEvent> {
  const { eventType, createdAfter, createdBefore, text } = filter as EventFilter &
    Partial<Condition<'event'>>;
  const terms = [
    text,
    equals('eventType', eventType),
    createdWhere('gt', 'createdAfter', createdAfter),
    createdWhere('lt', 'createdBefore', createdBefore),
  ];
  return listOf(connection, endpoints.list, (event) => event.id, terms, options);
}

/**
 * Reads one event. Resolves to the event. `GET /v1/events/{eventId}` (public).
 *
 * @throws RefusedError `NOT_FOUND`, also after 30 days
 * @example
 * const event = await client.events.get(eventId);
 */
export function get(
  connection: Connection,
  eventId: EventId,
  options: CallOptions = {},
): Call<ServiceEvent> {
  return send(connection, endpoints.get, { where: { eventId } }, options);
}
