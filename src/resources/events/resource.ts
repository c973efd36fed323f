import { knownTexts } from '../known-texts.ts';
import type { KnownTexts, NamedResource } from '../resource.ts';
import type { ServiceEvent } from './model.ts';
import { get } from './operations.ts';
import { EventTypeSchema, WebhookVersionSchema } from './schemas.ts';
import { eventTypes } from './types.ts';

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
