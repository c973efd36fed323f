import { bodyOf } from './body.ts';
import { draftFor, readCart } from './cart.ts';
import type { Shop } from './shop.ts';
import { visitorOf } from './visitor.ts';

const utf8 = new TextEncoder();
/** Digits and letters that people don't confuse on the phone. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

async function derive({ tokenSecret }: Shop, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = utf8.encode(tokenSecret);
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text)));
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const hashOf = async (secret: string): Promise<string> =>
  hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(secret))));

/**
 * Derives an order's number and secret from the key that the page has drawn. The same key again is
 * the same order.
 */
async function nameOrder(shop: Shop, key: string) {
  const digits = [...(await derive(shop, `number of ${key}`))]
    .slice(0, 12)
    .map((byte) => DIGITS[byte & 31]);
  const [a, b, c] = [0, 4, 8].map((at) => digits.slice(at, at + 4).join(''));
  const orderSecret = hexOf(await derive(shop, `secret of ${key}`));
  return { orderId: `QK-${a}-${b}-${c}`, orderSecret };
}

/** Takes an order. The page creates its invoice later, once, when it wants to pay. */
export async function order(
  request: Request,
  shop: Shop,
  address: string | null,
): Promise<Response> {
  if (request.method !== 'POST' || request.headers.get('origin') !== shop.origin)
    return new Response(null, { status: 403 });
  const wait = await shop.countOrder(visitorOf(address));
  if (wait > 0)
    return new Response(null, {
      status: 429,
      headers: { 'retry-after': String(Math.ceil(wait / 1_000)) },
    });
  const { key, cart: wish } = ((await bodyOf(request)) ?? {}) as Record<string, unknown>;
  const cart = readCart(wish);
  if (!cart || typeof key !== 'string' || !/^[\w-]{32,64}$/.test(key))
    return new Response(null, { status: 400 });
  const draft = draftFor(cart);
  const named = await nameOrder(shop, key);
  const { orderId, orderSecret } = named;
  const row = {
    orderId,
    what: draft.description,
    total: draft.amount,
    hash: await hashOf(orderSecret),
  };
  const kept = await shop.ask('add', row);
  if (!kept.ok) return new Response(null, { status: kept.status });
  return Response.json(await shop.relay.createOrder(draft, named), { status: 201 });
}

/** Returns the shop's state of an order, to the page that has its secret. */
export async function orderStatus(
  request: Request,
  shop: Shop,
  orderId: string,
): Promise<Response> {
  const [, bearer = ''] = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
  const [secret = ''] = bearer.split('.'); // on Node the relay's seal follows it
  // other texts never reach the books
  const isOne = /^QK(-[0-9A-Z]{4}){3}$/.test(orderId) && /^[0-9a-f]{64}$/.test(secret);
  if (!isOne) return new Response(null, { status: 401 });
  const answer = await shop.ask('order', { orderId });
  const known = answer.ok ? ((await answer.json()) as Record<string, unknown>) : undefined;
  if (!known || known.hash !== (await hashOf(secret))) return new Response(null, { status: 401 });
  const { what, total, state } = known;
  return Response.json(
    { orderId, what, total, state },
    { headers: { 'cache-control': 'no-store' } },
  );
}
