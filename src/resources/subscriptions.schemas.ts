import * as v from 'valibot';
import { EventTypeSchema, WebhookVersionSchema } from './events.schemas.ts';
import { array, draft, maybe, response, type SchemaOf, withLength, withPattern } from './shape.ts';
import type { Subscription, SubscriptionChange, SubscriptionDraft } from './subscriptions.ts';

const EventTypesSchema: SchemaOf<Subscription['eventTypes']> = array(EventTypeSchema);

const WebhookUrlSchema: SchemaOf<string> = withPattern(
  /^(?!\w+:\/\/[^/?#]*@)(https:\/\/|http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])[:/])\S+$/i,
  'must begin with https:// (http:// for this machine), without user or password',
);

const SecretSchema: SchemaOf<string> = withPattern(
  /^\S(.*\S)?$/s,
  'must not begin or end with white space',
  withLength(10, 50),
);

/** Schema of `Subscription`, as the service sends it: members that are new pass. */
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

/** Schema of `SubscriptionDraft`, which is sent: what the service bounds is checked. */
export const SubscriptionDraftSchema: SchemaOf<SubscriptionDraft> = draft<SubscriptionDraft>({
  webhookUrl: WebhookUrlSchema,
  webhookVersion: WebhookVersionSchema,
  secret: SecretSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
});

/** Schema of `SubscriptionChange`, which is sent: what the service bounds is checked. */
export const SubscriptionChangeSchema: SchemaOf<SubscriptionChange> = draft<SubscriptionChange>({
  webhookUrl: maybe(WebhookUrlSchema),
  webhookVersion: maybe(WebhookVersionSchema),
  secret: maybe(SecretSchema),
  enabled: maybe(v.boolean()),
  eventTypes: maybe(EventTypesSchema),
});
