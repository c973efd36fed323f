import type { Row } from '../../core/row.ts';
import { shapeOf } from '../shape.ts';
import type { Subscription, SubscriptionChange, SubscriptionDraft, SubscriptionId } from './model.ts';
import { SubscriptionChangeSchema, SubscriptionDraftSchema, SubscriptionListSchema, SubscriptionSchema } from './schemas.ts';

/** @source public */
export const create: Row<{}, SubscriptionDraft, Subscription> = {
  method: 'POST',
  path: '/v1/subscriptions',
  scope: 'partner.webhooks.manage',
  statuses: [201, 200],
  input: shapeOf(SubscriptionDraftSchema),
  output: shapeOf(SubscriptionSchema),
  group: 'others',
  repeat: 'once',
};

/** @source public */
export const find: Row<{ subscriptionId: SubscriptionId }, void, Subscription> = {
  method: 'GET',
  path: '/v1/subscriptions/{subscriptionId}',
  scope: 'partner.webhooks.manage',
  statuses: [200],
  output: shapeOf(SubscriptionSchema),
  group: 'others',
  repeat: 'read',
};

/** @source public */
export const list: Row<{}, void, readonly Subscription[]> = {
  method: 'GET',
  path: '/v1/subscriptions',
  scope: 'partner.webhooks.manage',
  statuses: [200],
  output: shapeOf(SubscriptionListSchema),
  group: 'others',
  repeat: 'read',
};

/** @source public */
export const update: Row<{ subscriptionId: SubscriptionId }, SubscriptionChange, Subscription> = {
  method: 'PATCH',
  path: '/v1/subscriptions/{subscriptionId}',
  scope: 'partner.webhooks.manage',
  statuses: [200],
  input: shapeOf(SubscriptionChangeSchema),
  output: shapeOf(SubscriptionSchema),
  group: 'others',
  repeat: 'converge',
};

/** @source public */
export const remove: Row<{ subscriptionId: SubscriptionId }, void, void> = {
  method: 'DELETE',
  path: '/v1/subscriptions/{subscriptionId}',
  scope: 'partner.webhooks.manage',
  statuses: [204],
  group: 'others',
  repeat: 'converge',
  original: { code: 'NOT_FOUND', id: 'subscriptionId', by: 'find' },
};
