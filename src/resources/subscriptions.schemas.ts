import * as v from 'valibot';
import { EventTypeSchema, WebhookVersionSchema } from './events.schemas.ts';
import type { Subscription, SubscriptionChange, SubscriptionDraft } from './subscriptions.ts';
import {
  atLeast,
  atMost,
  type EntriesOf,
  inAnyCase,
  type ListSchema,
  maybe,
  type ObjectSchema,
  type SchemaOf,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

const EventTypesSchema: v.ArraySchema<typeof EventTypeSchema, undefined> = v.array(EventTypeSchema);

function webhookUrlPattern(): RegExp {
  const ownMachine = `(${inAnyCase('localhost')}|127(\\.\\d{1,3}){3}|\\[::1\\])`;
  const start = `${inAnyCase('https')}://|${inAnyCase('http')}://${ownMachine}[:/]`;
  return new RegExp(`^(?!\\w+://[^/?#]*@)(${start})\\S+$`);
}

const WebhookUrlSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(
    webhookUrlPattern(),
    'must start with https:// (http:// only on localhost), without user or password',
  ),
);

const SecretSchema: SchemaOf<string> = v.pipe(
  v.string(),
  atLeast(10),
  atMost(50),
  v.regex(/^\S([\s\S]*\S)?$/, 'must not start or end with spaces'),
);

/** Validates `Subscription` in responses. */
export const SubscriptionSchema: ObjectSchema<Subscription> = v.looseObject<
  EntriesOf<Subscription>
>({
  id: v.string(),
  webhookUrl: v.string(),
  webhookVersion: WebhookVersionSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
  created: TimeSchema,
});

/** Validates the list of subscriptions in responses. */
export const SubscriptionListSchema: ListSchema<Subscription> = v.array(SubscriptionSchema);

/** Validates `SubscriptionDraft` in requests, including the service's limits. */
export const SubscriptionDraftSchema: DraftSchema<SubscriptionDraft> = v.strictObject<
  EntriesOf<SubscriptionDraft>
>({
  webhookUrl: WebhookUrlSchema,
  webhookVersion: WebhookVersionSchema,
  secret: SecretSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
});

/** Validates `SubscriptionChange` in requests, including the service's limits. */
export const SubscriptionChangeSchema: DraftSchema<SubscriptionChange> = v.strictObject<
  EntriesOf<SubscriptionChange>
>({
  webhookUrl: maybe(WebhookUrlSchema),
  webhookVersion: maybe(WebhookVersionSchema),
  secret: maybe(SecretSchema),
  enabled: maybe(v.boolean()),
  eventTypes: maybe(EventTypesSchema),
});
