// The page of `npm start`, with the shop in a frame and the customer's wallet next to it. It needs
// a sandbox. No other page may show the shop in a frame, and the shop's own page isn't aware of the
// wallet.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { serve } from '../../dist/cli/loopback.js';
import { tokensFor } from '../../dist/elements/look.js';
import { openFrame } from './frame.ts';
import { OfficeDoor } from './office-door.ts';
import { type Shop, startShop } from './shop.ts';
import { type Scene, Story } from './story.ts';

const HOLD_MS = 8_000;
/** How often the story is compared with the last message while a page listens. */
const COMPARE_MS = 200;
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const place = fileURLToPath(new URL('.', import.meta.url));

type Served = Awaited<ReturnType<typeof serve>>;

/** The shop at the address that the stage may show. */
interface StagedShop extends Shop {
  /** The address of the Worker itself. */
  readonly worker: string;
}

/** The parts that an act needs. */
interface Play {
  readonly shop: StagedShop;
  readonly story: Story;
}

export interface Stage extends Play {
  readonly url: string;
  /** The address of the Worker itself. */
  readonly worker: string;
  /** Returns an address that opens the back office once. */
  office(): string;
  close(): Promise<void>;
}

/** The newest order, once there is one. */
type Order = Scene & { readonly invoiceId: string };
type Act = (sandbox: Shop['sandbox'], order: Order) => Promise<string>;

/** The customer's acts on the newest order. Each returns a sentence about what happened. */
const ACTS: Readonly<Record<string, Act>> = {
  async pay({ payer }, { invoiceId, price }) {
    await payer.pay(invoiceId);
    return `You paid ${price}.`;
  },
  async slowly({ payer }, { invoiceId, price }) {
    void payer.pay(invoiceId, { pendingFor: HOLD_MS });
    return `${price} is on its way. This takes eight seconds.`;
  },
  async fail({ payer }, { invoiceId }) {
    void payer.pay(invoiceId, { pendingFor: HOLD_MS / 2, fails: true });
    return 'The payment is on its way. It will fail in four seconds.';
  },
};

const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Plays an act, or a refund. Resolves to a sentence about what happened. */
export async function play({ shop, story }: Play, act: string): Promise<string> {
  const scene = story.scene();
  const { invoiceId } = scene;
  if (invoiceId === undefined)
    return 'There is no order yet. Press “Pay with Lightning” in the shop.';
  try {
    return await (act === 'refund'
      ? refundFrom(shop, scene)
      : ACTS[act]!(shop.sandbox, { ...scene, invoiceId }));
  } catch (error) {
    return `${messageOf(error)}.`;
  }
}

/** The customer asks for a refund, and the shop's back office sends it. */
async function refundFrom(
  { sandbox, worker, url, officeSecret }: StagedShop,
  { orderId, price }: Scene,
): Promise<string> {
  const response = await fetch(`${worker}/office/refund`, {
    method: 'POST',
    headers: { origin: url, authorization: `Bearer ${officeSecret}` },
    body: JSON.stringify({
      orderId,
      to: sandbox.payer.createBolt11(),
      name: randomUUID(),
      reason: 'the customer asked for it',
    }),
  });
  const { said } = response.ok
    ? ((await response.json()) as { readonly said: string })
    : { said: `status ${response.status}` };
  return said === 'paid' ? `The shop sent ${price} back.` : `The refund: ${said}.`;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const read = (file: string): string => readFileSync(join(place, file), 'utf8');

/** The parts of the page by path, with their type and a function for their text. */
const PARTS: Readonly<Record<string, readonly [type: string, text: () => string]>> = {
  '/': ['text/html', () => read('stage.html')],
  '/stage.css': ['text/css', () => tokensFor(':root') + read('stage.css')],
  '/stage.js': [
    'text/javascript',
    () => transformSync(read('stage-page.ts'), { loader: 'ts', target: 'es2022' }).code,
  ],
};

/** Returns a part of the page that shows this shop. */
export function partOf(
  path: string,
  shop: { readonly url: string; readonly service: string },
): Response | undefined {
  const [type, text] = PARTS[path] ?? [];
  if (!type || !text) return undefined;
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src ${shop.url}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  const headers = { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': policy };
  const body = text().replaceAll('SHOP', shop.url).replaceAll('SERVICE', shop.service);
  return new Response(body, { headers });
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Returns the Worker's log without colours. */
const logOf = (shop: Shop): string => textOf(shop.log).replace(COLOURS, '').trim();

/** Streams the scene as server-sent events, at once and after each change. */
function streamOf(story: Story, { signal }: Request): Response {
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(reader) {
      let sent = '';
      const send = () => {
        const text = JSON.stringify(story.scene());
        if (text !== sent) reader.enqueue(new TextEncoder().encode(`data: ${text}\n\n`));
        sent = text;
      };
      send();
      timer = setInterval(send, COMPARE_MS);
      signal.addEventListener('abort', () => clearInterval(timer));
    },
    cancel: () => clearInterval(timer),
  });
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' };
  return new Response(body, { headers });
}

/** Starts a shop, and serves the stage on the wished port if it's free. */
export async function openStage({ port = 0 }: { readonly port?: number } = {}): Promise<Stage> {
  const frame = await openFrame();
  const worker = await startShop({ origin: frame.url });
  const shop = { ...worker, url: frame.url, worker: worker.url };
  const [handle] = shop.sandbox.accounts;
  shop.sandbox.fund(handle!, { amount: '100.00', currency: 'EUR' }); // refunds cost a fee
  const story = new Story(shop.sandbox, () => logOf(shop));
  const door = new OfficeDoor(shop.officeSecret);
  const office = (): string => frame.url + door.path();
  const stage = await serveStage({ shop, story }, office, port);
  frame.to(worker.url, stage.url, door);
  const close = async (): Promise<void> => {
    await Promise.all([stage.close(), frame.close()]);
    await worker.close();
  };
  return { url: stage.url, shop, story, office, worker: worker.url, close };
}

function serveStage({ shop, story }: Play, office: () => string, port: number): Promise<Served> {
  const respond = async (request: Request): Promise<Response> => {
    const { pathname, hostname } = new URL(request.url);
    if (!LOOPBACK.includes(hostname)) return new Response(null, { status: 421 });
    const part = partOf(pathname, shop);
    if (part) return part;
    if (pathname === '/story') return streamOf(story, request);
    if (pathname === '/office') return Response.redirect(office(), 303);
    if (pathname === '/log') return new Response(logOf(shop) || 'Nothing yet.');
    const act = pathname.replace('/play/', '');
    const isOwn = request.headers.get('sec-fetch-site') === 'same-origin';
    const isAct = act === 'refund' || Object.hasOwn(ACTS, act);
    if (request.method === 'POST' && isOwn && isAct)
      return new Response(await play({ shop, story }, act));
    return new Response(null, { status: 404 });
  };
  return serve(respond, { port }).catch(() => serve(respond));
}
