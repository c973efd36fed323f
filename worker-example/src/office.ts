import { bodyOf } from './body.ts';
import { accountOf, type Env } from './env.ts';
import { LIVE } from './live.ts';

const ACTS = ['cancel', 'ship', 'refund', 'reconcile', 'look'];
const SHORTEST_SECRET = 32;

const digest = async (text: string): Promise<string> =>
  String(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));

/** Whether somebody knows the secret. Digests are compared, so time tells nothing of it; a short one opens nothing. */
async function isStaff(given: string, { OFFICE_SECRET = '' }: Env): Promise<boolean> {
  const isRight = (await digest(given)) === (await digest(OFFICE_SECRET));
  return isRight && OFFICE_SECRET.length >= SHORTEST_SECRET;
}

/**
 * The back office: its secret comes in a header, never in an address and never in a cookie, so no other site can use it.
 * The socket names it as a second protocol, as a page has no other header there.
 */
export async function office(request: Request, env: Env): Promise<Response> {
  const { headers, method, url } = request;
  const act = new URL(url).pathname.slice('/office/'.length);
  if (headers.get('origin') !== env.ORIGIN) return new Response(null, { status: 403 });
  const [protocol, offered = ''] = (headers.get('sec-websocket-protocol') ?? '').split(', ');
  const bearer = /^Bearer (\S+)$/.exec(headers.get('authorization') ?? '')?.[1] ?? '';
  const isSocket = act === 'live' && protocol === LIVE && headers.get('upgrade') === 'websocket';
  if (!(await isStaff(isSocket ? offered : bearer, env)))
    return new Response(null, { status: 401 });
  if (isSocket)
    return accountOf(env).fetch('https://object/shop/live', { headers: { upgrade: 'websocket' } });
  const wish = await bodyOf(request);
  if (method !== 'POST' || !ACTS.includes(act) || typeof wish !== 'object' || wish === null)
    return new Response(null, { status: 400 });
  return accountOf(env).fetch(`https://object/shop/${act}`, {
    method: 'POST',
    body: JSON.stringify(wish),
  });
}
