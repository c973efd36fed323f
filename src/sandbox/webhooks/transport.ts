import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { isLoopback } from '../../core/hosts.ts';
import { type Clock, systemClock } from '../../core/time.ts';
import type { DeliveryFault } from '../faults/rules.ts';
import { type StoredEvent, readSubject } from '../resources/events.ts';
import type { StoredSubscription } from '../resources/subscriptions.ts';
import { textOfTicks, withSeventhDigit } from '../time/instants.ts';
import { withMacrotasks } from '../time/quiescence.ts';
import { toHex } from '../world/world.ts';

export interface Webhook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Creates and signs a webhook for an event. A fault may change it. */
export function makeWebhook(
  event: StoredEvent,
  subscription: StoredSubscription,
  fault: DeliveryFault | undefined,
): Webhook {
  const body = makeBody(event, subscription.webhookVersion, fault);
  const signature = makeSignature(body, subscription, fault);
  return {
    url: subscription.webhookUrl,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(signature !== undefined && { 'x-webhook-signature': signature }),
    },
    body: fault === 'reserialised' ? JSON.stringify(JSON.parse(body), undefined, 1) : body,
  };
}

function makeBody(event: StoredEvent, version: string, fault: DeliveryFault | undefined): string {
  const { id, created } = event;
  const eventType = fault === 'unknown-type' ? 'something.new' : event.eventType;
  const webhookVersion = fault === 'unknown-version' ? 'v9' : version;
  return JSON.stringify({
    id,
    eventType,
    webhookVersion,
    data: readSubject(event),
    created: withSeventhDigit(textOfTicks(created)),
    ...(fault === 'huge' && { somethingNew: 'x'.repeat(1_000_000) }),
  });
}

function makeSignature(
  body: string,
  { secret, formerSecret }: StoredSubscription,
  fault: DeliveryFault | undefined,
): string | undefined {
  const signBy = (by: string): string => toHex(hmac(sha256, utf8(by), utf8(body)));
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

/**
 * Result of sending a webhook: the response status or the reason why there was no
 * response.
 */
export type DeliveryResult = number | 'timeout' | 'lost' | 'not-allowed';

export interface DeliveryTransport {
  send(webhook: Webhook): Promise<DeliveryResult>;
  /** Whether webhooks must be sent one after another. */
  readonly isSequential: boolean;
}

/** Timeout for a webhook receiver, in milliseconds. */
const LIMIT = 5_000;

export const noTransport: DeliveryTransport = { isSequential: false, send: async () => 'lost' };

/**
 * Delivers webhooks to a function. The timeout uses the sandbox's clock, which your function can
 * also use.
 */
export function functionTransport(
  deliver: (request: Request) => Promise<Response>,
  clock: Clock,
): DeliveryTransport {
  return {
    isSequential: false,
    async send({ url, headers, body }) {
      const over = new AbortController();
      const limit = clock.wait(LIMIT, over.signal);
      let settled = false;
      const answered = askStatus(async () =>
        deliver(new Request(url, { method: 'POST', headers, body })),
      );
      const response = answered.finally(() => {
        settled = true;
      });
      void clock.external(waitForReceiver(() => settled));
      const result = await Promise.race([response, limit.then(() => 'timeout' as const)]);
      over.abort();
      return result;
    },
  };
}

/** Delivers webhooks over the network. The sandbox's clock stands still during each request. */
export function networkTransport(allowHosts: readonly string[], clock: Clock): DeliveryTransport {
  return {
    isSequential: true,
    send: (webhook) => clock.external(sendOverNetwork(webhook, allowHosts)),
  };
}

/**
 * Sends a webhook to localhost or an allowed host. The timeout defaults to five seconds of real
 * time.
 */
export async function sendOverNetwork(
  { url, headers, body }: Webhook,
  allowHosts: readonly string[],
  clock: Clock = systemClock,
): Promise<DeliveryResult> {
  const { host, hostname } = new URL(url);
  if (!isLoopback(hostname) && !allowHosts.includes(hostname) && !allowHosts.includes(host))
    return 'not-allowed';
  return sendWithTimeout(
    (signal) => fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
    clock,
  );
}

export async function sendWithTimeout(
  ask: (signal: AbortSignal) => Promise<Response>,
  clock: Clock,
): Promise<DeliveryResult> {
  const over = new AbortController();
  const abandoned = new AbortController();
  const limit = clock.wait(LIMIT, over.signal).then(() => 'timeout' as const);
  const result = await Promise.race([askStatus(() => ask(abandoned.signal)), limit]);
  over.abort();
  abandoned.abort();
  return result;
}

async function askStatus(ask: () => Promise<Response>): Promise<DeliveryResult> {
  try {
    const { status, body } = await ask();
    body?.cancel().catch(() => {}); // only the status is needed
    return status;
  } catch {
    return 'lost';
  }
}

/**
 * Number of macrotasks to wait for a receiver's work that the clock doesn't know about, such as
 * checking a signature.
 */
const PATIENCE = 60;

async function waitForReceiver(isSettled: () => boolean): Promise<void> {
  for (let hop = 0; hop < 20; hop++) await undefined;
  if (isSettled()) return;
  await withMacrotasks(async (macrotasks) => {
    for (let round = 0; round < PATIENCE && !isSettled(); round++)
      await (round < 4 ? macrotasks.next() : systemClock.wait(0));
  });
}
