import type { Endpoint } from '../../core/http/index.ts';
import type {
  Subscription,
  SubscriptionChange,
  SubscriptionDraft,
  SubscriptionId,
} from './model.ts';
import {
  SubscriptionChangeSchema,
  SubscriptionDraftSchema,
  SubscriptionListSchema,
  SubscriptionSchema,
} from './schemas.ts';

/** POST /v1/subscriptions @source public */
export const create: Endpoint<{}, SubscriptionDraft, Subscription> = {
  operation: 'subscriptions.create',
  method: 'POST',
  path: '/v1/subscriptions',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: SubscriptionDraftSchema,
  output: SubscriptionSchema,
  agrees: { text: { webhookUrl: 'webhookUrl' } },
};

/** GET /v1/subscriptions/{subscriptionId} @source public */
export const get: Endpoint<{ subscriptionId: SubscriptionId }, void, Subscription> = {
  operation: 'subscriptions.get',
  method: 'GET',
  path: '/v1/subscriptions/{subscriptionId}',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: SubscriptionSchema,
  echo: { subscriptionId: 'id' },
};

/** GET /v1/subscriptions @source public */
export const list: Endpoint<{}, void, readonly Subscription[]> = {
  operation: 'subscriptions.list',
  method: 'GET',
  path: '/v1/subscriptions',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: SubscriptionListSchema,
};

/** PATCH /v1/subscriptions/{subscriptionId} @source public */
export const update: Endpoint<
  { subscriptionId: SubscriptionId },
  SubscriptionChange,
  Subscription
> = {
  operation: 'subscriptions.update',
  method: 'PATCH',
  path: '/v1/subscriptions/{subscriptionId}',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'convergent',
  statuses: [200],
  input: SubscriptionChangeSchema,
  output: SubscriptionSchema,
  echo: { subscriptionId: 'id' },
};

/** DELETE /v1/subscriptions/{subscriptionId} @source public */
export const remove: Endpoint<{ subscriptionId: SubscriptionId }, void, void> = {
  operation: 'subscriptions.remove',
  method: 'DELETE',
  path: '/v1/subscriptions/{subscriptionId}',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'convergent',
  statuses: [204],
  original: { code: 'NOT_FOUND', id: 'subscriptionId', by: 'get' },
};
