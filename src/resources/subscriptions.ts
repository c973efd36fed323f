// A subscription says to which address the service sends webhooks, and for which events.
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

/** Id of a subscription. */
export type SubscriptionId = Id<'subscription'>;

/**
 * The address to which the service sends events, and their types. The service never returns its
 * secret.
 */
export interface Subscription {
  /** Id of the subscription. */
  readonly id: string;
  /** The address that receives the deliveries. */
  readonly webhookUrl: string;
  /** The format of the deliveries. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /** The service sends nothing while this is false. */
  readonly enabled: boolean;
  /** The types of events that are delivered. */
  readonly eventTypes: readonly EventType[];
  /** ISO 8601 date-time with offset. */
  readonly created: string;
}

/** Everything that is needed to receive events. */
export interface SubscriptionDraft extends Extendable {
  /** Begins with https:// (http:// only for this machine), without user or password. */
  readonly webhookUrl: string;
  /** The format of the deliveries. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /**
   * 10 to 50 characters without white space at the ends; `generateWebhookSecret()` makes a good
   * one.
   */
  readonly secret: string;
  /** The service sends nothing while this is false. */
  readonly enabled: boolean;
  /** The types of events that are delivered. */
  readonly eventTypes: readonly EventType[];
}

/** A change of a subscription. Members that are left out stay as they are. */
export interface SubscriptionChange extends Extendable {
  /** The address that receives the deliveries. */
  readonly webhookUrl?: string | undefined;
  /** The format of the deliveries. */
  readonly webhookVersion?: Open<'v1' | 'v2'> | undefined;
  /**
   * The new secret. Keep accepting the old one for ten days, because late retries may be signed
   * with it.
   */
  readonly secret?: string | undefined;
  /** The service sends nothing while this is false. */
  readonly enabled?: boolean | undefined;
  /** The types of events that are delivered. */
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
 * Creates a subscription. The SDK never repeats it: after a lost response the subscription may
 * exist, and a second one doubles every delivery. `ensureSubscription` lists before it creates.
 * Resolves to the subscription, without its secret. `POST /v1/subscriptions` (public).
 *
 * @throws InputError for a bad field · UnreachableError with `maybeCreated` if no response came
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
 * Reads one subscription. Resolves to it, without its secret.
 * `GET /v1/subscriptions/{subscriptionId}` (public).
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
  return send(connection, getEndpoint, { where: { subscriptionId } }, options);
}

/**
 * Reads all subscriptions, at most 50, without pages. `GET /v1/subscriptions` (public).
 *
 * @throws RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * const enabled = (await client.subscriptions.list()).filter(
 *   (subscription) => subscription.enabled,
 * );
 */
export function list(connection: Connection, options: CallOptions = {}): Call<Rows<Subscription>> {
  return send(connection, listEndpoint, { where: {} }, options);
}

/**
 * Changes the given members, also the secret. Resolves to the subscription.
 * `PATCH /v1/subscriptions/{subscriptionId}` (public).
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
  return send(connection, updateEndpoint, { where: { subscriptionId }, draft: change }, options);
}

/**
 * Deletes a subscription. Resolves to nothing, also if an earlier attempt, whose response was lost,
 * had deleted it. `DELETE /v1/subscriptions/{subscriptionId}` (public).
 *
 * @throws RefusedError `NOT_FOUND` if it did not exist
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
