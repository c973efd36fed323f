import type { Open } from '../../core/errors/index.ts';
import {
  type Condition,
  type TextField,
  textField,
  type TimeField,
  timeField,
} from '../../core/lists/index.ts';
import type { EventType } from './types.ts';

/** What events can be listed by. */
export interface EventFields {
  /** What happened to what. */
  readonly eventType: TextField<'event', Open<EventType>>;
  /** When the event was made. */
  readonly created: TimeField<'event'>;
}

/**
 * Makes a condition for `client.events.list`: values stay values, whatever they hold. Nothing is
 * sent.
 *
 * @param build gets the fields, returns what must hold
 * @throws InputError for a date that is none
 * @example
 * const money = whereEvent((f) => f.eventType.in(['payment.created', 'payment.updated']));
 * const latest = await client.events.list(money).toArray({ limit: 10 });
 */
export function whereEvent(build: (fields: EventFields) => Condition<'event'>): Condition<'event'> {
  return build({ eventType: textField('eventType'), created: timeField('created') });
}
