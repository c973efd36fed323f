import { ResponseError, type Open } from '../core/errors/index.ts';
import type { ServiceEvent, ServiceEventSubject } from '../resources/events.ts';
import { EventSchema } from '../resources/events.schemas.ts';
import type { EventType } from '../resources/events.types.ts';
import { readBy } from '../resources/wire.ts';

const verified: unique symbol = Symbol('verified');

/**
 * An event whose signature was right: only `verifyWebhook` makes one. It names a resource; the
 * values are read from there. Types and versions that are not known here pass.
 */
export interface WebhookEvent extends ServiceEvent {
  /** Index of the secret that it was signed with. */
  readonly [verified]: number;
}

/**
 * The index in `secrets` of the secret that signed an event: when the old one is not seen for ten
 * days, drop it.
 *
 * @example
 * const event = await verifyWebhook(request, [newSecret, oldSecret]);
 * if (secretIndexOf(event) === 1) console.log('still signed with the old secret');
 */
export function secretIndexOf(event: WebhookEvent): number {
  return event[verified];
}

/** Brands an event; called where its signature has been checked and nowhere else. */
export function asVerified(event: ServiceEvent, place: number): WebhookEvent {
  return Object.defineProperty(event, verified, { value: place }) as WebhookEvent;
}

/**
 * Reads the body of a delivery whose signature is right. Only an id is asked for: the service may
 * add without notice.
 */
export function readEvent(text: string): ServiceEvent {
  const json = parseJson(text);
  try {
    return readBy(EventSchema, json);
  } catch {
    return readUnknownForm(json);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ResponseError('the signed body is not JSON', {
      code: 'RESPONSE_NOT_JSON',
      outcome: 'not-done',
      next: 'stop',
    });
  }
}

/**
 * What an id can be: the service gives UUIDs, and anything is taken that can be kept, compared and
 * printed.
 */
export function isEventId(id: string): boolean {
  return /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(id);
}

/**
 * An event in a form that is not known here: what can be read of it, and no resource where none is
 * named.
 */
function readUnknownForm(json: unknown): ServiceEvent {
  const { id, eventType, webhookVersion, data, created } = membersOf(json);
  if (typeof id !== 'string')
    throw new ResponseError('the signed body is not an event: it has no id', {
      code: 'RESPONSE_INVALID',
      outcome: 'not-done',
      next: 'stop',
    });
  return {
    id,
    eventType: textOf(eventType) as Open<EventType>,
    webhookVersion: textOf(webhookVersion),
    data: { ...subject(data) },
    created: textOf(created),
  };
}

function subject(data: unknown): ServiceEventSubject {
  const { entityId, receiveId } = membersOf(data);
  return {
    entityId: textOf(entityId),
    ...(typeof receiveId === 'string' && { receiveId }),
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
