import * as v from 'valibot';
import { EventTypeSchema, WebhookVersionSchema } from '../events/schemas.ts';
import { answer, draft, maybe, type SchemaOf } from '../shape.ts';
import type { Subscription, SubscriptionChange, SubscriptionDraft } from './model.ts';

const EventTypesSchema: SchemaOf<Subscription['eventTypes']> = v.array(EventTypeSchema);

const WebhookUrlSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^(https:\/\/|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])[:/])\S+$/i, 'must begin with https:// (http:// is for this machine alone)'),
);

export const SecretSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.minLength(10),
  v.maxLength(50),
  v.regex(/^\S(.*\S)?$/s, 'must not begin or end with white space'),
);

export const SubscriptionSchema: SchemaOf<Subscription> = answer<Subscription>({
  id: v.string(),
  webhookUrl: v.string(),
  webhookVersion: WebhookVersionSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
  created: v.string(),
});

/** The service lists subscriptions without pages. */
export const SubscriptionListSchema: SchemaOf<readonly Subscription[]> = v.array(SubscriptionSchema);

export const SubscriptionDraftSchema: SchemaOf<SubscriptionDraft> = draft<SubscriptionDraft>({
  webhookUrl: WebhookUrlSchema,
  webhookVersion: WebhookVersionSchema,
  secret: SecretSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
});

export const SubscriptionChangeSchema: SchemaOf<SubscriptionChange> = draft<SubscriptionChange>({
  webhookUrl: maybe(WebhookUrlSchema),
  webhookVersion: maybe(WebhookVersionSchema),
  secret: maybe(SecretSchema),
  enabled: maybe(v.boolean()),
  eventTypes: maybe(EventTypesSchema),
});
