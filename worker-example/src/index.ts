// A shop's Worker: it decides the price, keeps the API key, receives the webhooks, and shows each page its own invoice.
import { accountOf, type Env } from './env.ts';
import { log } from './log.ts';
import { office } from './office.ts';
import { order, orderStatus, relayOf } from './orders.ts';

export { Account } from './account.ts';
export { Door } from './door.ts';
export { Room } from './room.ts';

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    try {
      return await route(pathname, request, env);
    } catch {
      // an object is overloaded or was just replaced: whoever asks may ask again, and nothing happens twice
      log('unavailable', { path: pathname.split('/')[1] });
      return new Response(null, { status: 503, headers: { 'retry-after': '2' } });
    }
  },

  /** Every five minutes, and at the first one after a deployment: then the webhook is subscribed too. */
  async scheduled(_: unknown, env: Env): Promise<void> {
    const call = { method: 'POST', body: '{}' };
    const answer = await accountOf(env).fetch('https://object/shop/reconcile', call);
    await answer.body?.cancel();
  },
};

function route(pathname: string, request: Request, env: Env): Promise<Response> {
  if (pathname === '/orders') return order(request, env);
  if (pathname.startsWith('/orders/')) return orderStatus(request, env, pathname.slice(8));
  if (pathname === '/hooks/main') return relayOf(env).handleWebhook(request);
  if (pathname.startsWith('/pay/')) return relayOf(env).handle(request);
  if (pathname.startsWith('/office/')) return office(request, env);
  return env.ASSETS.fetch(request);
}
