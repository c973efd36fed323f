// A sale through the relay that a framework has mounted: order, page, payment, webhook, parcel, and the
// end in order; before it the trial of the receiver of webhooks.
import type { ChildProcess } from 'node:child_process';
import { createClient, watchInvoice } from 'paystate';
import type { Sandbox } from 'paystate/sandbox';
import { makeEvent, torture } from 'paystate/testing';

const LONGEST_MS = 30_000;

/** The server of a project. */
export interface StartedServer {
  readonly url: string;
  readonly child: ChildProcess;
  /** Duration of the response. */
  readonly ms: number;
  /** Its output so far. */
  said: string;
}

/** The world in which the projects are played. */
export interface World {
  readonly sandbox: Sandbox;
  /** The origin of pages. */
  readonly origin: string;
  readonly server: StartedServer;
  readonly secret: string;
  /** Sends a signed event to this address; resolves to the status. */
  deliver(url: string, secret: string, entityId?: string): Promise<number>;
}

interface Page {
  readonly orderId: string;
  readonly invoiceId: string;
  readonly client: ReturnType<typeof createClient>;
  readonly watch: ReturnType<typeof watchInvoice>;
}

async function until(event: string, holds: () => unknown): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < LONGEST_MS; ) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`timed out waiting for ${event}`);
}

/** The story's result where all went well: the parcel was sent once, for this order, and the relay was closed. */
export const stopped = {
  mistakes: [] as readonly unknown[],
  forged: 401,
  way: 'polling',
  shipped: 1,
  isOurs: true,
  isClosed: true,
};

interface Ordered {
  readonly orderId: string;
  /** Proves to the relay that the page may see the order. */
  exchange(): Promise<Readonly<Record<string, string>>>;
}

/** Orders as a page does. */
async function order(url: string, origin: string): Promise<Ordered> {
  const ask = async (path: string, init: RequestInit) => {
    const headers = { origin, ...(init.headers as Readonly<Record<string, string>>) };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Readonly<Record<string, string>>;
  };
  const { orderId = '', orderSecret } = await ask('/sell', { method: 'POST' });
  const headers = { authorization: `Bearer ${orderSecret}` };
  const body = JSON.stringify({ orderId });
  return { orderId, exchange: () => ask('/pay/token', { method: 'POST', headers, body }) };
}

/** Tries the receiver with everything, as `paystate torture` does. */
async function mistakesOf(url: string, { sandbox, origin, server, secret }: World) {
  const orders = new Map<string, string>();
  const send = (request: Request) => fetch(request, { redirect: 'manual' });
  const { mistakes } = await torture(send, {
    secret,
    url: `${url}/deliveries`,
    async event() {
      const { orderId, exchange } = await order(url, origin);
      const { invoiceId: entityId = '' } = await exchange();
      orders.set(entityId, orderId);
      await sandbox.payer.pay(entityId);
      return makeEvent({ data: { entityId }, created: new Date().toISOString() });
    },
    effects: (id) => server.said.split(`shipped ${orders.get(id)}\n`).length - 1,
  });
  return mistakes;
}

/** The page's client: the SDK with nothing but the order's secret. */
async function openPage(url: string, origin: string): Promise<Page> {
  const { orderId, exchange } = await order(url, origin);
  const { invoiceId = '' } = await exchange();
  const client = createClient({
    baseUrl: `${url}/pay`,
    token: async () => (await exchange())['token']!,
    fetch: (input, init) => {
      const headers = new Headers(init?.headers);
      headers.set('origin', origin);
      return fetch(input, { ...init, headers });
    },
    WebSocket: class extends WebSocket {
      constructor(to: string | URL, protocols: string | string[]) {
        super(to, { protocols, headers: { origin } } as never); // which only Node's has
      }
    },
  });
  return { orderId, invoiceId, client, watch: watchInvoice(client, invoiceId, { until: 'never' }) };
}

/** Plays the sale; resolves to what was seen of it. */
export async function story(url: string, world: World): Promise<typeof stopped> {
  const { sandbox, origin, server, deliver, secret } = world;
  const mistakes = await mistakesOf(url, world);
  const { length } = server.said;
  const said = () => server.said.slice(length);
  const page = await openPage(url, origin);
  const stop = page.watch.subscribe(() => {});
  try {
    await until('the first value', () => page.watch.current().value);
    await sandbox.payer.pay((await page.client.invoices.quote(page.invoiceId)).lnInvoice);
    const forged = await deliver(`${url}/deliveries`, 'another secret of someone', page.invoiceId);
    await deliver(`${url}/deliveries`, secret, page.invoiceId);
    await deliver(`${url}/deliveries`, secret, page.invoiceId);
    await until('paid', () => page.watch.current().value?.state === 'PAID');
    const isRelayed = page.watch.status().reason.startsWith('relay');
    await until('the parcel', () => said().includes('shipped '));
    stop();
    server.child.kill('SIGTERM');
    await until('the end', () => server.said.includes('closed'));
    const orders = [...said().matchAll(/shipped (\S+)/g)].map(([, order]) => order);
    const isOurs = orders[0] === page.orderId;
    const way = isRelayed ? 'relay' : 'polling';
    return { mistakes, forged, way, shipped: orders.length, isOurs, isClosed: true };
  } finally {
    stop();
  }
}
