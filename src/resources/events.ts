// Events for the account's resources from the last 30 days.
import type { Id, Expected, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import {
  buildCondition,
  checkFilter,
  type Condition,
  createdIn,
  equals,
  type List,
  LIST_QUERY,
  makeList,
  type ListOptions,
  type ListQuery,
  type Page,
  type TextField,
  textField,
  type TimeField,
  timeField,
} from '../core/lists/index.ts';
import {
  EventPageSchema,
  EventSchema,
  EventTypeSchema,
  WebhookVersionSchema,
} from './events.schemas.ts';
import { type EventType, eventTypes } from './events.types.ts';
import { knownTexts, makeAnswer } from './wire.ts';
import type { KnownTexts, NamedResource } from './resource.ts';

/** Event id. */
export type EventId = Id<'event'>;

/**
 * An event that reports a change to a resource. It doesn't contain the resource itself, so read
 * that separately.
 */
export interface ServiceEvent {
  /** The event's id. */
  readonly id: string;
  /** The event's type, which includes its resource's type. */
  readonly eventType: Open<EventType>;
  /** The event's webhook format version. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /** The resource that the event is about. */
  readonly data: ServiceEventSubject;
  /** When the event was created, as an ISO 8601 date-time with offset. */
  readonly created: string;
  /** Whether the webhook was delivered. Absent while the service is still trying. */
  readonly deliverySuccess?: boolean | undefined;
}

/** The resource that an event is about. */
export interface ServiceEventSubject {
  /** Id of the affected resource. */
  readonly entityId: string;
  /** Names of the properties that changed. */
  readonly changes?: readonly string[] | undefined;
  /** Id of the receive, for receive request events. */
  readonly receiveId?: string | undefined;
}

/** Filter for events. All conditions must match. */
export interface EventFilter {
  /** Selects events of this type. */
  readonly eventType?: Open<EventType> | undefined;
  /** Selects events created after this time, given as a `Date` or an ISO 8601 date-time. */
  readonly createdAfter?: string | Date | undefined;
  /** Selects events created before this time, given as a `Date` or an ISO 8601 date-time. */
  readonly createdBefore?: string | Date | undefined;
}

const EVENT_FILTER: Expected<EventFilter> = {
  eventType: 'string',
  createdAfter: 'any',
  createdBefore: 'any',
};

/** Fields that you can filter events by. */
export interface EventFields {
  /** The event's type, which includes its resource's type. */
  readonly eventType: TextField<'event', Open<EventType>>;
  /** When the event was created. */
  readonly created: TimeField<'event'>;
}

/**
 * Builds a condition for `client.events.list` without sending a request. Values are escaped, so
 * they can contain any characters.
 *
 * @param build a function that takes the fields and returns the condition
 * @throws InputError for an invalid date
 *
 * @example
 * const money = whereEvent((f) => f.eventType.in(['payment.created', 'payment.updated']));
 * const latest = await client.events.list(money).toArray({ limit: 10 });
 */
export function whereEvent(build: (fields: EventFields) => Condition<'event'>): Condition<'event'> {
  const fields = {
    eventType: textField<'event', Open<EventType>>('eventType'),
    created: timeField<'event'>('created'),
  };
  return buildCondition<'event', EventFields>(build, fields);
}

/** GET /v1/events @source documented */
export const listEndpoint: Endpoint<ListQuery, void, Page<ServiceEvent>> = readEndpoint({
  operation: 'events.list',
  path: '/v1/events',
  scope: 'partner.webhooks.manage',
  priority: 'low',
  output: makeAnswer(EventPageSchema),
  query: LIST_QUERY,
});

/** GET /v1/events/{eventId} @source public */
export const getEndpoint: Endpoint<{ eventId: EventId }, void, ServiceEvent> = readEndpoint({
  operation: 'events.get',
  path: '/v1/events/{eventId}',
  scope: 'partner.webhooks.manage',
  output: makeAnswer(EventSchema),
  echo: { eventId: 'id' },
});

/**
 * Lists the account's events from the last 30 days, oldest first. `GET /v1/events` (documented).
 *
 * @throws InputError for an invalid date · RefusedError `FORBIDDEN` if the credential lacks the
 * webhooks scope
 *
 * @example
 * const paid = client.events.list({ eventType: 'invoice.updated' });
 * const first = await paid.toArray({ limit: 10 });
 */
export function list(
  connection: Connection,
  filter: EventFilter | Condition<'event'> = {},
  options: ListOptions = {},
): List<ServiceEvent> {
  const condition = checkFilter(filter, EVENT_FILTER);
  const { eventType } = filter as EventFilter;
  const terms = [condition, equals('eventType', eventType), createdIn(filter as EventFilter)];
  return makeList(connection, listEndpoint, (event) => event.id, terms, options);
}

/**
 * Reads one event. `GET /v1/events/{eventId}` (public).
 *
 * @throws RefusedError `NOT_FOUND` if the event doesn't exist or is older than 30 days
 *
 * @example
 * const event = await client.events.get(eventId);
 */
export function get(
  connection: Connection,
  eventId: EventId,
  options: CallOptions = {},
): Call<ServiceEvent> {
  return send(connection, getEndpoint, { where: { eventId } }, options);
}

export const resource: NamedResource<'event', ServiceEvent> = {
  name: 'event',
  idOf: ({ id }) => id,
  read: get,
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(EventTypeSchema, eventTypes),
    knownTexts(WebhookVersionSchema, { v1: true, v2: true }),
  ];
}
