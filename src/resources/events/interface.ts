// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { List, ListOptions, Condition } from '../../core/lists/index.ts';
import type { EventFilter, EventId, ServiceEvent } from './model.ts';

/** The events of the last 30 days. */
export interface Events {
  /**
   * Lists the events of the last 30 days, oldest first. Returns a list to iterate, to page or to
   * count. `GET /v1/events` (documented).
   *
   * @throws InputError for a date that is none · RefusedError `FORBIDDEN` without the webhooks
   * scope
   * @example
   * const paid = client.events.list({ eventType: 'invoice.updated' });
   * const first = await paid.toArray({ limit: 10 });
   */
  list(filter?: EventFilter | Condition<'event'>, options?: ListOptions): List<ServiceEvent>;

  /**
   * Reads one event. Resolves to the event. `GET /v1/events/{eventId}` (public).
   *
   * @throws RefusedError `NOT_FOUND`, also after 30 days
   * @example
   * const event = await client.events.get(eventId);
   */
  get(eventId: EventId, options?: CallOptions): Call<ServiceEvent>;
}
