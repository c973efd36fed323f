// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type {
  Subscription,
  SubscriptionChange,
  SubscriptionDraft,
  SubscriptionId,
} from './model.ts';

/** Where the service sends webhooks, and for which events. */
export interface Subscriptions {
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
  create(draft: SubscriptionDraft, options?: CallOptions): Call<Subscription>;

  /**
   * Reads one subscription. Resolves to it, without its secret.
   * `GET /v1/subscriptions/{subscriptionId}` (public).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { enabled } = await client.subscriptions.get(subscriptionId);
   */
  get(subscriptionId: SubscriptionId, options?: CallOptions): Call<Subscription>;

  /**
   * Reads all subscriptions; there are no pages and at most 50. `GET /v1/subscriptions` (public).
   *
   * @throws RefusedError `FORBIDDEN` without the webhooks scope
   * @example
   * const enabled = (await client.subscriptions.list()).filter(
   *   (subscription) => subscription.enabled,
   * );
   */
  list(options?: CallOptions): Call<readonly Subscription[]>;

  /**
   * Changes what is given, also the secret. Resolves to the subscription.
   * `PATCH /v1/subscriptions/{subscriptionId}` (public).
   *
   * @throws InputError for a bad field · RefusedError `NOT_FOUND`
   * @example
   * await client.subscriptions.update(subscriptionId, { enabled: false });
   */
  update(
    subscriptionId: SubscriptionId,
    change: SubscriptionChange,
    options?: CallOptions,
  ): Call<Subscription>;

  /**
   * Deletes a subscription. Resolves to nothing, also when a lost first try had deleted it.
   * `DELETE /v1/subscriptions/{subscriptionId}` (public).
   *
   * @throws RefusedError `NOT_FOUND` when it was not there
   * @example
   * await client.subscriptions.remove(subscriptionId);
   */
  remove(subscriptionId: SubscriptionId, options?: CallOptions): Call<void>;
}
