import { type Clock, millisOf, systemClock } from '../core/time.ts';
import { EVENT_HISTORY_MS } from '../resources/service-facts.ts';
import { type Checking, respond } from '../webhooks/receive.ts';
import { keysOf } from '../webhooks/secret.ts';
import { SIGNATURE_HEADER, type VerifiedDelivery } from '../webhooks/verify.ts';
import {
  type AccountContract,
  CLAIMS_HEADER,
  LIVE_PATH,
  WEBHOOK_PATH,
  callerOf,
  roomCaller,
  roomFor,
} from './calls.ts';
import { Gateway, type PageBackend, type Relay, type RelayOptions } from './gateway.ts';
import { type StubSource, stubOf } from './platform.ts';

/**
 * Makes the relay of a Worker: fixed routes, one resource a token, no API key. Nothing is sent.
 *
 * @throws InputError for a short secret, an origin that is none, or a lifetime that is none; WebhookError
 * `SECRET_INVALID` for a secret of webhooks that cannot be right
 * @example
 * const relay = createRelay({
 *   tokenSecret: env.TOKEN_SECRET,
 *   origin: 'https://shop.example',
 *   account,
 *   rooms: env.ROOMS,
 *   secrets: env.WEBHOOK_SECRET,
 * });
 * if (url.pathname === '/hooks/main') return relay.handleWebhook(request);
 * if (url.pathname.startsWith('/pay/')) return relay.handle(request);
 */
export function createRelay(options: RelayOptions): Relay {
  const gateway = new Gateway({ ...options, backend: objectsOf(options) });
  return {
    handle: (request) => gateway.handle(request),
    handleWebhook: deliveryRoute(options),
    createToken: (invoiceId) => gateway.createToken(invoiceId),
    createOrder: (draft, own) => gateway.createOrder(draft, own),
  };
}

/** The account object and the rooms do what pages ask for. */
function objectsOf({ account, rooms, accountName }: RelayOptions): PageBackend {
  const ask = callerOf<AccountContract>(account);
  return {
    createOrder: (order) => ask('create-order', order),
    openOrder: (order) => ask('open-order', order),
    read: (asked) => ask('read', asked),
    quote: (asked) => roomCaller(rooms, accountName, asked.invoiceId)('quote', asked),
    openSocket(claims) {
      const headers = { upgrade: 'websocket', [CLAIMS_HEADER]: JSON.stringify(claims) };
      const url = `https://object${LIVE_PATH}`;
      return roomFor(rooms, accountName, claims.sub).fetch(url, { headers });
    },
  };
}

/**
 * The way of a delivery to the account object. Anyone can send deliveries, and each request of an
 * object costs: with the secrets here, only what is signed reaches it. The object checks it again.
 */
function deliveryRoute({
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
