// Where the service sends webhooks, and for which events.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import * as endpoints from './endpoints.ts';
import type {
  Subscription,
  SubscriptionChange,
  SubscriptionDraft,
  SubscriptionId,
} from './model.ts';

/**
 * Creates a subscription. Never repeated by itself: after a lost response it may exist, and a
 * second one doubles every delivery; `ensureSubscription` looks first. Resolves to the
 * subscription, without its secret. `POST /v1/subscriptions` (public).
 *
 * @throws InputError for a bad field · UnreachableError with `maybeCreated` when no response came
 * @example
 * const { id } = await client.subscriptions.create({
 *   webhookUrl: 'https://shop.example/hooks/main',
 *   webhookVersion: 'v1',
 *   secret,
 *   enabled: true,
 *   eventTypes: ['invoice.updated'],
 * });
 */
export function create(
  connection: Connection,
  draft: SubscriptionDraft,
  options: CallOptions = {},
): Call<Subscription> {
  return send(connection, endpoints.create, { where: {}, draft }, options);
}

/**
 * Reads one subscription. Resolves to it, without its secret. `GET
 * /v1/subscriptions/{subscriptionId}` (public).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { enabled } = await client.subscriptions.get(subscriptionId);
 */
export function get(
  connection: Connection,
  subscriptionId: SubscriptionId,
  options: CallOptions = {},
): Call<Subscription> {
  return send(connection, endpoints.get, { where: { subscriptionId } }, options);
}

/**
 * Reads all subscriptions; there are no pages and at most 50. `GET /v1/subscriptions` (public).
 *
 * @throws RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * const enabled = (await client.subscriptions.list()).filter(
 *   (subscription) => subscription.enabled,
 * );
 */
export function list(
  connection: Connection,
  options: CallOptions = {},
): Call<readonly Subscription[]> {
  return send(connection, endpoints.list, { where: {} }, options);
}

/**
 * Changes what is given, also the secret. Resolves to the subscription. `PATCH
 * /v1/subscriptions/{subscriptionId}` (public).
 *
 * @throws InputError for a bad field · RefusedError `NOT_FOUND`
 * @example
 * await client.subscriptions.update(subscriptionId, { enabled: false });
 */
export function update(
  connection: Connection,
  subscriptionId: SubscriptionId,
  change: SubscriptionChange,
  options: CallOptions = {},
): Call<Subscription> {
  return send(connection, endpoints.update, { where: { subscriptionId }, draft: change }, options);
}

/**
 * Deletes a subscription. Resolves to nothing, also when a lost first try had deleted it.
 * `DELETE /v1/subscriptions/{subscriptionId}` (public).
 *
 * @throws RefusedError `NOT_FOUND` when it was not there
 * @example
 * await client.subscriptions.remove(subscriptionId);
 */
export function remove(
  connection: Connection,
  subscriptionId: SubscriptionId,
  options: CallOptions = {},
): Call<void> {
  return send(
    connection,
    endpoints.remove,
    { where: { subscriptionId }, resolve: async () => {} },
    options,
  );
}
