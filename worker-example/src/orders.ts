import { createRelay } from 'paystate/relay';
import { bodyOf } from './body.ts';
import { draftFor, readCart } from './cart.ts';
import { accountOf, type Env, tokensOf } from './env.ts';
import { visitorOf } from './visitor.ts';

const utf8 = new TextEncoder();
/** Letters and digits that nobody confuses when reading a number aloud. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

export const relayOf = (env: Env) =>
  createRelay({ ...tokensOf(env), account: accountOf(env), rooms: env.ROOMS });

async function derive(env: Env, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const raw = utf8.encode(env.TOKEN_SECRET);
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8.encode(text)));
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const hashOf = async (secret: string): Promise<string> =>
  hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', utf8.encode(secret))));

/** An order's number and secret follow from the key that the page has drawn for it: asked twice, it is one order. */
async function nameOrder(env: Env, key: string) {
  const digits = [...(await derive(env, `number of ${key}`))]
    .slice(0, 12)
    .map((byte) => DIGITS[byte & 31]);
  const [a, b, c] = [0, 4, 8].map((at) => digits.slice(at, at + 4).join(''));
  const orderSecret = hexOf(await derive(env, `secret of ${key}`));
  return { orderId: `QK-${a}-${b}-${c}`, orderSecret };
}

/** Takes an order. Its invoice is made when the page wants to pay, once. */
export async function order(request: Request, env: Env): Promise<Response> {
  if (request.method !== 'POST' || request.headers.get('origin') !== env.ORIGIN)
    return new Response(null, { status: 403 });
  const name = env.DOORS.idFromName(visitorOf(request));
  const door = await env.DOORS.get(name).fetch('https://object/');
  const { wait } = (await door.json()) as { wait: number };
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
  const named = await nameOrder(env, key);
  const { orderId, orderSecret } = named;
  const row = {
    orderId,
    what: draft.description,
    total: draft.amount,
    hash: await hashOf(orderSecret),
  };
  const kept = await ask(env, 'add', row);
  if (!kept.ok) return new Response(null, { status: kept.status });
  return Response.json(await relayOf(env).createOrder(draft, named), { status: 201 });
}

/** What the shop says of an order, to the page that has its secret. */
export async function orderStatus(request: Request, env: Env, orderId: string): Promise<Response> {
  const secret = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
  const answer = await ask(env, 'order', { orderId });
  const known = answer.ok ? ((await answer.json()) as Record<string, unknown>) : undefined;
  if (!known || known.hash !== (await hashOf(secret))) return new Response(null, { status: 401 });
  const { what, total, state } = known;
  return Response.json(
    { orderId, what, total, state },
    { headers: { 'cache-control': 'no-store' } },
  );
}

const ask = (env: Env, path: string, body: object): Promise<Response> =>
  accountOf(env).fetch(`https://object/shop/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
