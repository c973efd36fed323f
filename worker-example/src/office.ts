import { bodyOf } from './body.ts';
import { LIVE } from './live.ts';
import type { Shop } from './shop.ts';

const ACTS = ['cancel', 'ship', 'refund', 'reconcile', 'look'];
const SHORTEST_SECRET = 32;

const digest = async (text: string): Promise<string> =>
  String(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

/**
 * Checks the secret. It compares digests, so the time reveals nothing. A short secret opens
 * nothing.
 */
async function isStaff(given: string, { officeSecret = '' }: Shop): Promise<boolean> {
  const isRight = (await digest(given)) === (await digest(officeSecret));
  return isRight && officeSecret.length >= SHORTEST_SECRET;
}

/**
 * The back office. Its secret is in a header, never in an address or a cookie, so no other site can
 * use it. For a socket it's the second protocol, because pages can set no other header there.
 */
export async function office(request: Request, shop: Shop): Promise<Response> {
  const { headers, method, url } = request;
  const act = new URL(url).pathname.slice('/office/'.length);
  if (headers.get('origin') !== shop.origin) return new Response(null, { status: 403 });
  const [protocol, offered = ''] = (headers.get('sec-websocket-protocol') ?? '').split(', ');
  const bearer = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? '';
  const isSocket = act === 'live' && protocol === LIVE && headers.get('upgrade') === 'websocket';
  if (!(await isStaff(isSocket ? offered : bearer, shop)))
    return new Response(null, { status: 401 });
  if (isSocket) return shop.openOffice();
  const wish = await bodyOf(request);
  if (method !== 'POST' || !ACTS.includes(act) || typeof wish !== 'object' || wish === null)
    return new Response(null, { status: 400 });
  return shop.ask(act, wish);
}
