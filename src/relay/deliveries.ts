import { type Clock, millisOf, systemClock } from '../core/time.ts';
import { EVENT_HISTORY_MS } from '../resources/service-facts.ts';
import { type Checking, respond } from '../webhooks/receive.ts';
import { keysOf } from '../webhooks/secret.ts';
import { SIGNATURE_HEADER, type VerifiedDelivery } from '../webhooks/verify.ts';
import { WEBHOOK_PATH } from './contracts.ts';
import type { RelayOptions } from './model.ts';
import { type StubSource, stubOf } from './platform.ts';

/**
 * The way of a delivery to the account object. Anyone can send deliveries, and each request of an
 * object costs: with the secrets here, only what is signed reaches it. The object checks it again.
 */
export function deliveryRoute({
  account,
  secrets,
  clock = systemClock,
}: RelayOptions): (request: Request) => Promise<Response> {
  if (secrets === undefined) return (request) => passOn(account, deliveryTo(request));
  const checking: Checking = { keys: keysOf(secrets), options: { clock } };
  return (request) =>
    respond(checking, request, async (delivery) =>
      isTooOld(delivery, clock)
        ? new Response(null, { status: 400 })
        : passOn(account, requestWith(request, delivery)),
    );
}

/** The service repeats a delivery for days, not for a month: another receiver has kept this one. */
function isTooOld({ event }: VerifiedDelivery, clock: Clock): boolean {
  return (millisOf(event.created) ?? Infinity) < clock.now() - EVENT_HISTORY_MS;
}

/** The bytes that were signed, with their signature and nothing else of the delivery. */
function requestWith({ headers }: Request, { bytes }: VerifiedDelivery): Request {
  const signature = headers.get(SIGNATURE_HEADER)!;
  return deliveryTo({
    method: 'POST',
    headers: { [SIGNATURE_HEADER]: signature },
    body: new Uint8Array(bytes),
  });
}

async function passOn(account: StubSource, request: Request): Promise<Response> {
  try {
    return await stubOf(account).fetch(request);
  } catch {
    return new Response(null, { status: 503 }); // it was not kept, so it has to come again
  }
}

/** A request at the account object's path for deliveries. */
function deliveryTo(init: RequestInit): Request {
  return new Request(`https://object${WEBHOOK_PATH}`, init);
}
