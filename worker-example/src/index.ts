// A shop's Worker: it decides the price, keeps the API key, receives the webhooks, and shows each page its own invoice.
import { createRelay } from 'paystate/relay';
import { bodyOf } from './body.ts';
import { type Env, accountOf, tokensOf } from './env.ts';
import { draftFor } from './products.ts';
import { visitorOf } from './visitor.ts';

export { Account, Door, Room } from './objects.ts';

const relayOf = (env: Env) =>
  createRelay({ ...tokensOf(env), account: accountOf(env), rooms: env.ROOMS });

/** Orders are cheap: their invoice is made when the page wants to pay, once. */
async function order(request: Request, env: Env): Promise<Response> {
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
  const draft = draftFor(await bodyOf(request));
  if (!draft) return new Response(null, { status: 400 });
  return Response.json(await relayOf(env).createOrder(draft), { status: 201 });
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/orders') return order(request, env);
    if (pathname === '/hooks/main') return relayOf(env).handleWebhook(request);
    if (pathname.startsWith('/pay/')) return relayOf(env).handle(request);
    return env.ASSETS.fetch(request);
  },
};
