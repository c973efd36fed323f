import type { Id, Open } from '../../core/errors/index.ts';
import type { EventType } from './types.ts';

/** Id of an event. */
export type EventId = Id<'event'>;

/** Says that something happened to an entity; the values are read from the entity itself. */
export interface ServiceEvent {
  /** Id of the event. */
  readonly id: string;
  /** What happened to what. */
  readonly eventType: Open<EventType>;
  /** Format of its webhook. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /** What it happened to. */
  readonly data: ServiceEventSubject;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  /** Whether the webhook was delivered; absent while undecided. */
  readonly deliverySuccess?: boolean | undefined;
}

/** What an event happened to. */
export interface ServiceEventSubject {
  /** Id of the affected resource. */
  readonly entityId: string;
  /** Names of the properties that changed. */
  readonly changes?: readonly string[] | undefined;
  /** On the events of a receive request: the receive itself. */
  readonly receiveId?: string | undefined;
}

/** Which events to list; all that is given must hold. */
export interface EventFilter {
  /** Events of this type. */
  readonly eventType?: Open<EventType> | undefined;
  /** ISO 8601 date-time, exclusive. */
  readonly createdAfter?: string | Date | undefined;
  /** ISO 8601 date-time, exclusive. */
  readonly createdBefore?: string | Date | undefined;
}
