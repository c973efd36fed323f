import type { Id, Open } from '../../core/errors/index.ts';
import type { ServiceEvent } from '../events/model.ts';

type EventType = ServiceEvent['eventType'];

/** Id of a subscription. */
export type SubscriptionId = Id<'subscription'>;

/** Where the service sends events, and which. Its secret is never given back. */
export interface Subscription {
  /** Id of the subscription. */
  readonly id: string;
  /** Where deliveries go. */
  readonly webhookUrl: string;
  /** Format of the deliveries. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /** Nothing is sent while this is false. */
  readonly enabled: boolean;
  /** Which events are delivered. */
  readonly eventTypes: readonly EventType[];
  /** ISO 8601 date-time with offset. */
  readonly created: string;
}

/** What is needed to receive events. */
export interface SubscriptionDraft {
  /** Begins with https:// (http:// for this machine alone); without user or password. */
  readonly webhookUrl: string;
  /** Format of the deliveries. */
  readonly webhookVersion: Open<'v1' | 'v2'>;
  /**
   * 10 to 50 characters without white space at the ends; `generateWebhookSecret()` makes a good
   * one.
   */
  readonly secret: string;
  /** Nothing is sent while this is false. */
  readonly enabled: boolean;
  /** Which events are delivered. */
  readonly eventTypes: readonly EventType[];
}

/** What is to be changed; what is left out stays as it is. */
export interface SubscriptionChange {
  /** Where deliveries go. */
  readonly webhookUrl?: string | undefined;
  /** Format of the deliveries. */
  readonly webhookVersion?: Open<'v1' | 'v2'> | undefined;
  /**
   * The new secret; keep the old one beside it for ten days, because late retries may be signed
   * with it.
   */
  readonly secret?: string | undefined;
  /** Nothing is sent while this is false. */
  readonly enabled?: boolean | undefined;
  /** Which events are delivered. */
  readonly eventTypes?: readonly EventType[] | undefined;
}
