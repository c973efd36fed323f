import * as v from 'valibot';
import { EventTypeSchema, WebhookVersionSchema } from '../events/schemas.ts';
import { response, array, draft, withPattern, maybe, type SchemaOf, withLength } from '../shape.ts';
import type { Subscription, SubscriptionChange, SubscriptionDraft } from './model.ts';

const EventTypesSchema: SchemaOf<Subscription['eventTypes']> = array(EventTypeSchema);

const WebhookUrlSchema: SchemaOf<string> = withPattern(
  /^(?!\w+:\/\/[^/?#]*@)(https:\/\/|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])[:/])\S+$/i,
  'must be https:// without user (http:// for this machine)',
);

const SecretSchema: SchemaOf<string> = withPattern(
  /^\S(.*\S)?$/s,
  'must not begin or end with white space',
  withLength(10, 50),
);

export const SubscriptionSchema: SchemaOf<Subscription> = response<Subscription>({
  id: v.string(),
  webhookUrl: v.string(),
  webhookVersion: WebhookVersionSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
  created: v.string(),
});

/** The service lists subscriptions without pages. */
export const SubscriptionListSchema: SchemaOf<readonly Subscription[]> = array(SubscriptionSchema);

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
