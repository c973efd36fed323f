import { Gateway } from './gateway.ts';
import type { Relay, RelayOptions } from './model.ts';

/**
 * Makes the relay of a Worker: fixed routes, one resource a token, no API key. Nothing is sent.
 *
 * @throws InputError for a short secret, an origin that is none, or a lifetime that is none
 * @example
 * const relay = createRelay({
 *   tokenSecret: env.TOKEN_SECRET,
 *   origin: 'https://shop.example',
 *   account,
 *   rooms: env.ROOMS,
 * });
 * if (url.pathname === '/hooks/main') return relay.handleWebhook(request);
 * if (url.pathname.startsWith('/pay/')) return relay.handle(request);
 */
export function createRelay(options: RelayOptions): Relay {
  const gateway = new Gateway(options);
  return {
    handle: (request) => gateway.handle(request),
    handleWebhook: (request) => gateway.handleWebhook(request),
    createToken: (invoiceId) => gateway.createToken(invoiceId),
    createOrder: (draft, own) => gateway.createOrder(draft, own),
  };
}
