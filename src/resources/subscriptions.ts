// Subscriptions, which define the events that the service sends as webhooks and the URL that
// receives them.
import type { Id, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import type { Rows } from '../core/lists/index.ts';
import type { ServiceEvent } from './events.ts';
import {
  SubscriptionChangeSchema,
  SubscriptionDraftSchema,
  SubscriptionListSchema,
  SubscriptionSchema,
} from './subscriptions.schemas.ts';
import type { Extendable, NamedResource } from './resource.ts';
import { makeDraftShape, makeAnswer } from './wire.ts';

type EventType = ServiceEvent['eventType'];

/** Subscription id. */
export type SubscriptionId = Id<'subscription'>;

/**
 * A webhook URL and the event types that are delivered to it. The service never returns the secret.
 */
export interface Subscription {
  /** The subscription's id. */
  readonly id: string;
  /** URL that receives the webhooks. */
  readonly webhookUrl: string;
  /** Webhook format version. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /** Whether the service sends webhooks to the URL. */
  readonly enabled: boolean;
  /** Event types to deliver. */
  readonly eventTypes: readonly EventType[];
  /** When the subscription was created, as an ISO 8601 date-time with offset. */
  readonly created: string;
}

/** Input for receiving events as webhooks. */
export interface SubscriptionDraft extends Extendable {
  /**
   * URL to receive the webhooks. It must start with https:// (or http:// for localhost), and must
   * not contain a user or password.
   */
  readonly webhookUrl: string;
  /** Webhook format version. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /**
   * Secret that the service signs webhooks with. It must be 10 to 50 characters long, without
   * leading or trailing whitespace. Use `generateWebhookSecret()` to create one.
   */
  readonly secret: string;
  /** Whether the service sends webhooks to the URL. */
  readonly enabled: boolean;
  /** Event types to deliver. */
  readonly eventTypes: readonly EventType[];
}

/** Changes to a subscription. Omitted fields stay unchanged. */
export interface SubscriptionChange extends Extendable {
  /** URL that receives the webhooks. */
  readonly webhookUrl?: string | undefined;
  /** Webhook format version. */
  readonly webhookVersion?: Open<'v1' | 'v2'> | undefined;
  /**
   * New secret that the service signs webhooks with. Keep accepting the old secret for ten days,
   * because late retries may be signed with it.
   */
  readonly secret?: string | undefined;
  /** Whether the service sends webhooks to the URL. */
  readonly enabled?: boolean | undefined;
  /** Event types to deliver. */
  readonly eventTypes?: readonly EventType[] | undefined;
}

/** POST /v1/subscriptions @source public */
export const createEndpoint: Endpoint<{}, SubscriptionDraft, Subscription> = {
  operation: 'subscriptions.create',
  method: 'POST',
  path: '/v1/subscriptions',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: makeDraftShape(SubscriptionDraftSchema),
  output: makeAnswer(SubscriptionSchema),
  agrees: { text: { webhookUrl: 'webhookUrl' } },
};

/** GET /v1/subscriptions/{subscriptionId} @source public */
export const getEndpoint: Endpoint<{ subscriptionId: SubscriptionId }, void, Subscription> =
  readEndpoint({
    operation: 'subscriptions.get',
    path: '/v1/subscriptions/{subscriptionId}',
    scope: 'partner.webhooks.manage',
    output: makeAnswer(SubscriptionSchema),
    echo: { subscriptionId: 'id' },
  });

/** GET /v1/subscriptions @source public */
export const listEndpoint: Endpoint<{}, void, Rows<Subscription>> = readEndpoint({
  operation: 'subscriptions.list',
  path: '/v1/subscriptions',
  scope: 'partner.webhooks.manage',
  output: makeAnswer(SubscriptionListSchema),
});

/** PATCH /v1/subscriptions/{subscriptionId} @source public */
export const updateEndpoint: Endpoint<
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
  input: makeDraftShape(SubscriptionChangeSchema),
  output: makeAnswer(SubscriptionSchema),
  echo: { subscriptionId: 'id' },
};

/** DELETE /v1/subscriptions/{subscriptionId} @source public */
export const removeEndpoint: Endpoint<{ subscriptionId: SubscriptionId }, void, void> = {
  operation: 'subscriptions.remove',
  method: 'DELETE',
  path: '/v1/subscriptions/{subscriptionId}',
  scope: 'partner.webhooks.manage',
  bucket: 'others',
  idempotency: 'convergent',
  statuses: [204],
  echo: { subscriptionId: 'id' },
  original: { code: 'NOT_FOUND', id: 'subscriptionId' },
};

/**
 * Creates a subscription. The SDK never retries this request. If the response was lost, the
 * subscription may exist, and a second one would deliver every event twice. `ensureSubscription`
 * avoids that by listing the subscriptions first. Resolves to the subscription, without its secret.
 * `POST /v1/subscriptions` (public).
 *
 * @throws InputError for a bad field · UnreachableError with `maybeCreated` if there was no
 * response
 *
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
  return send(connection, createEndpoint, { where: {}, draft }, options);
}

/**
 * Reads one subscription. `GET /v1/subscriptions/{subscriptionId}` (public).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { enabled } = await client.subscriptions.get(subscriptionId);
 */
export function get(
  connection: Connection,
  subscriptionId: SubscriptionId,
  options: CallOptions = {},
): Call<Subscription> {
  return send(connection, getEndpoint, { where: { subscriptionId } }, options);
}

/**
 * Reads all subscriptions. The list isn't paginated, because there are at most 50. `GET
 * /v1/subscriptions` (public).
 *
 * @throws RefusedError `FORBIDDEN` if the credential lacks the webhooks scope
 * @example
 * const enabled = (await client.subscriptions.list()).filter(
 *   (subscription) => subscription.enabled,
 * );
 */
export function list(connection: Connection, options: CallOptions = {}): Call<Rows<Subscription>> {
  return send(connection, listEndpoint, { where: {} }, options);
}

/**
 * Changes the given fields of a subscription, which may include the secret. Resolves to the changed
 * subscription. `PATCH /v1/subscriptions/{subscriptionId}` (public).
 *
 * @throws InputError for a bad field · RefusedError `NOT_FOUND`
 *
 * @example
 * await client.subscriptions.update(subscriptionId, { enabled: false });
 */
export function update(
  connection: Connection,
  subscriptionId: SubscriptionId,
  change: SubscriptionChange,
  options: CallOptions = {},
): Call<Subscription> {
  return send(connection, updateEndpoint, { where: { subscriptionId }, draft: change }, options);
}

/**
 * Deletes a subscription. Resolves without a value, even if an earlier attempt succeeded but its
 * response was lost. `DELETE /v1/subscriptions/{subscriptionId}` (public).
 *
 * @throws RefusedError `NOT_FOUND` if the subscription doesn't exist
 *
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
    removeEndpoint,
    { where: { subscriptionId }, resolve: async () => {} },
    options,
  );
}

export const resource: NamedResource<'subscription', Subscription> = {
  name: 'subscription',
  idOf: ({ id }) => id,
  read: get,
};
