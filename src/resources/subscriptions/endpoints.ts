import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
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

const SCOPE = 'partner.webhooks.manage';
const ALL = '/v1/subscriptions';
const ONE = '/v1/subscriptions/{subscriptionId}';

/** @source public */
export const create: Endpoint<{}, SubscriptionDraft, Subscription> = commanding(
  'POST',
  ALL,
  SCOPE,
  [201, 200],
  'none',
  SubscriptionDraftSchema,
  SubscriptionSchema,
);

/** @source public */
export const get: Endpoint<{ subscriptionId: SubscriptionId }, void, Subscription> = reading(
  ONE,
  SCOPE,
  SubscriptionSchema,
  { echo: { subscriptionId: 'id' } },
);

/** @source public */
export const list: Endpoint<{}, void, readonly Subscription[]> = reading(
  ALL,
  SCOPE,
  SubscriptionListSchema,
);

/** @source public */
export const update: Endpoint<
  { subscriptionId: SubscriptionId },
  SubscriptionChange,
  Subscription
> = commanding(
  'PATCH',
  ONE,
  SCOPE,
  [200],
  'convergent',
  SubscriptionChangeSchema,
  SubscriptionSchema,
  {
    echo: { subscriptionId: 'id' },
  },
);

/** @source public */
export const remove: Endpoint<{ subscriptionId: SubscriptionId }, void, void> = commanding(
  'DELETE',
  ONE,
  SCOPE,
  [204],
  'convergent',
  undefined,
  undefined,
  { original: { code: 'NOT_FOUND', id: 'subscriptionId', by: 'get' } },
);
