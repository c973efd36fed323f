import { known, type NamedResource } from '../resource.ts';
import type { ServiceEvent } from './model.ts';
import { get } from './operations.ts';
import { EventTypeSchema, WebhookVersionSchema } from './schemas.ts';
import { EVENT_TYPES } from './types.ts';

export const event: NamedResource<'event', ServiceEvent> = {
  name: 'event',
  idOf: ({ id }) => id,
  read: get,
  known: () => [
    known(EventTypeSchema, EVENT_TYPES),
    known(WebhookVersionSchema, { v1: true, v2: true }),
  ],
};
