import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import type { DeliveryFault } from '../faults/event-faults.ts';
import { type StoredEvent, subjectOf } from '../resources/events.ts';
import { textOfTicks, withSeventhDigit } from '../time/instants.ts';
import { hexOf } from '../world/randomness.ts';
import type { StoredSubscription } from '../resources/subscriptions.ts';

/** A webhook as it leaves the service. */
export interface Webhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes and signs an event for a subscription; a fault may spoil it. */
export function webhookOf(
  event: StoredEvent,
  subscription: StoredSubscription,
  fault: DeliveryFault | undefined,
): Webhook {
  const body = bodyOf(event, subscription.webhookVersion, fault);
  const signature = signatureOf(body, subscription, fault);
  return {
    url: subscription.webhookUrl,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(signature !== undefined && { 'x-webhook-signature': signature }),
    },
    body: fault === 'reserialised' ? JSON.stringify(JSON.parse(body), undefined, 1) : body,
  };
}

function bodyOf(event: StoredEvent, version: string, fault: DeliveryFault | undefined): string {
  const { id, created } = event;
  const eventType = fault === 'unknown-type' ? 'something.new' : event.eventType;
  const webhookVersion = fault === 'unknown-version' ? 'v9' : version;
  return JSON.stringify({
    id,
    eventType,
    webhookVersion,
    data: subjectOf(event),
    created: withSeventhDigit(textOfTicks(created)),
    ...(fault === 'huge' && { somethingNew: 'x'.repeat(1_000_000) }),
  });
}

function signatureOf(
  body: string,
  { secret, formerSecret }: StoredSubscription,
  fault: DeliveryFault | undefined,
): string | undefined {
  const signBy = (by: string): string => hexOf(hmac(sha256, utf8(by), utf8(body)));
  switch (fault) {
    case 'no-signature':
      return undefined;
    case 'lower-case':
      return signBy(secret);
    case 'bad-signature':
      return signBy(`not ${secret}`).toUpperCase();
    case 'old-secret':
      return signBy(formerSecret ?? `not ${secret}`).toUpperCase();
    default:
      return signBy(secret).toUpperCase();
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
