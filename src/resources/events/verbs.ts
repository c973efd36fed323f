import type { Call, CallOptions } from '../../core/call.ts';
import type { Connection } from '../../core/connection.ts';
import { isPaystateError } from '../../core/errors.ts';
import { secondsOf } from '../../core/instant.ts';
import { type List, listOf, type ListOptions } from '../../core/list.ts';
import { created, equals, instant } from '../../core/odata.ts';
import { basePeriod } from '../../core/period.ts';
import { send } from '../../core/send.ts';
import type { Term } from '../../core/where.ts';
import type { Gap } from './cursor.ts';
import * as rows from './endpoints.ts';
import { Feed } from './feed.ts';
import type { EventFilter, EventId, ServiceEvent } from './model.ts';


/**
 * Lists the events of the last 30 days, oldest first. Returns a list to iterate, to page or to count.
 * `GET /v1/events` (seed).
 *
 * @throws InputError for a date that is none · RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * const latest = await client.events.list({ eventType: 'invoice.updated' }).toArray({ limit: 10 });
 */
export function list(connection: Connection, filter: EventFilter | Term<'event'> = {}, options: ListOptions = {}): List<ServiceEvent> {
  const { eventType, createdAfter, createdBefore, text } = filter as EventFilter & Partial<Term<'event'>>;
  const terms = [text, equals('eventType', eventType), created('gt', 'createdAfter', createdAfter), created('lt', 'createdBefore', createdBefore)];
  return listOf(connection, rows.list, (event) => event.id, terms, options);
}

/**
 * Reads one event. Resolves to the event. `GET /v1/events/{eventId}` (public).
 *
 * @throws RefusedError `NOT_FOUND`, also after 30 days
 * @example
 * const event = await client.events.find(eventId);
 */
export function find(connection: Connection, eventId: EventId, options: CallOptions = {}): Call<ServiceEvent> {
  return send(connection, rows.find, { where: { eventId } }, options);
}

/** An event, or the news that some could not be read. */
export type FeedItem = { readonly event: ServiceEvent; readonly gap?: undefined } | { readonly event?: undefined; readonly gap: Gap };

/**
 * Walks along the account's events as they happen, from now or from a date of the last 30 days. Iterate it; leaving
 * the loop ends it. Each event comes once; what could not be read comes as a gap. Goes on when the service is
 * away, ends with an error when it refuses. `GET /v1/events` (seed).
 *
 * @throws RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * for await (const { event } of client.events.feed()) if (event) console.log(event.eventType);
 */
export async function* feed(connection: Connection, options: { readonly from?: string | undefined; readonly signal?: AbortSignal | undefined } = {}): AsyncGenerator<FeedItem, void, undefined> {
  const { signal } = options;
  const start = options.from === undefined ? undefined : secondsOf(instant('from', options.from));
  const walk = new Feed(connection, start, signal);
  while (!signal?.aborted) {
    try {
      const { events, gaps } = await walk.poll();
      for (const gap of gaps) yield { gap };
      for (const event of events) yield { event };
    } catch (thrown) {
      if (signal?.aborted) return;
      if (!isPaystateError(thrown) || thrown.kind !== 'unreachable') throw thrown;
    }
    await connection.clock.wait(basePeriod(connection), signal);
  }
}
