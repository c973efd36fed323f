import * as v from 'valibot';
import { EventTypeSchema, WebhookVersionSchema } from './events.schemas.ts';
import type { Subscription, SubscriptionChange, SubscriptionDraft } from './subscriptions.ts';
import {
  atLeast,
  atMost,
  type EntriesOf,
  type ListSchema,
  maybe,
  type ObjectSchema,
  type SchemaOf,
} from './wire.ts';

const EventTypesSchema: v.ArraySchema<typeof EventTypeSchema, undefined> = v.array(EventTypeSchema);

// JSON Schema has no flags, so that the pattern names small and capital letters.
const WebhookUrlSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(
    /^(?!\w+:\/\/[^/?#]*@)([hH][tT]{2}[pP][sS]:\/\/|[hH][tT]{2}[pP]:\/\/([lL][oO][cC][aA][lL][hH][oO][sS][tT]|127(\.\d{1,3}){3}|\[::1\])[:/])\S+$/,
    'must begin with https:// (http:// for this machine), without user or password',
  ),
);

const SecretSchema: SchemaOf<string> = v.pipe(
  v.string(),
  atLeast(10),
  atMost(50),
  v.regex(/^\S([\s\S]*\S)?$/, 'must not begin or end with white space'),
);

/** Schema of `Subscription`, as the service sends it: members that are new pass. */
export const SubscriptionSchema: ObjectSchema<Subscription> = v.looseObject<
  EntriesOf<Subscription>
>({
  id: v.string(),
  webhookUrl: v.string(),
  webhookVersion: WebhookVersionSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
  created: v.string(),
});

/** The service lists subscriptions without pages. */
export const SubscriptionListSchema: ListSchema<Subscription> = v.array(SubscriptionSchema);

/** Schema of `SubscriptionDraft`, which is sent: what the service bounds is checked. */
export const SubscriptionDraftSchema: ObjectSchema<SubscriptionDraft> = v.looseObject<
  EntriesOf<SubscriptionDraft>
>({
  webhookUrl: WebhookUrlSchema,
  webhookVersion: WebhookVersionSchema,
  secret: SecretSchema,
  enabled: v.boolean(),
  eventTypes: EventTypesSchema,
});

/** Schema of `SubscriptionChange`, which is sent: what the service bounds is checked. */
export const SubscriptionChangeSchema: ObjectSchema<SubscriptionChange> = v.looseObject<
  EntriesOf<SubscriptionChange>
>({
  webhookUrl: maybe(WebhookUrlSchema),
  webhookVersion: maybe(WebhookVersionSchema),
  secret: maybe(SecretSchema),
  enabled: maybe(v.boolean()),
  eventTypes: maybe(EventTypesSchema),
});
