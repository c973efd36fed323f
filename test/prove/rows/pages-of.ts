// Pages of a shop that are one socket each, so that thousands fit into one process, and deliveries of webhooks.
import { makeDelivery, makeEvent } from 'paystate/testing';

export const ORIGIN = 'https://shop.example';
export const WEBHOOK_SECRET = 'a secret for the webhooks of proofs';

export interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
}

/** A page that shows one invoice over its socket. */
export interface LightPage extends Order {
  readonly invoiceId: string;
  readonly account: string;
  /** The state that it was told last. */
  state: string | undefined;
  isOpen: boolean;
  /** Number of times that its socket was closed while nobody had closed the page. */
  closed: number;
  stop(): void;
  /** Calls back once, when the page is told this state. */
  when(state: string): Promise<void>;
}

type NodeSocket = new (url: string, options: object) => WebSocket;

const PATIENCE_MS = 60_000;

async function post(url: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { origin: ORIGIN, ...(init.headers as object) };
  const response = await fetch(url, { ...init, method: 'POST', headers });
  if (!response.ok) throw new Error(`${response.status} for ${new URL(url).pathname}`);
  return response.json();
}

export async function makeOrder(port: number, account = 'main'): Promise<Order> {
  return (await post(`http://127.0.0.1:${port}/orders/${account}`)) as Order;
}

/** The service tells of this invoice; resolves to the status of each delivery. */
export async function deliver(
  port: number,
  invoiceId: string,
  { account = 'main', times = 1 } = {},
): Promise<readonly number[]> {
  const event = makeEvent({ data: { entityId: invoiceId }, created: new Date().toISOString() });
  const url = `http://127.0.0.1:${port}/hooks/${account}`;
  const sent = Array.from({ length: times }, async () => {
    const response = await fetch(await makeDelivery(event, WEBHOOK_SECRET, { url }));
    await response.arrayBuffer();
    return response.status;
  });
  return Promise.all(sent);
}

/** All pages of one run. */
export class Pages {
  readonly #open: Set<() => void> = new Set();
  #opened: number = 0;

  /** Opens a page of this order, and resolves when it shows its invoice. */
  async open(port: number, order: Order, account = 'main'): Promise<LightPage> {
    const base = `127.0.0.1:${port}/pay${account === 'main' ? '' : `/${account}`}`;
    const { orderId, orderSecret } = order;
    // Each customer has an address: one of them alone may open a third of the pages.
    this.#opened += 1;
    const address = `198.18.${this.#opened >> 8}.${this.#opened & 255}`;
    const { invoiceId, token } = (await post(`http://${base}/token`, {
      headers: { authorization: `Bearer ${orderSecret}`, 'x-forwarded-for': address },
      body: JSON.stringify({ orderId }),
    })) as { readonly invoiceId: string; readonly token: string };
    const Socket = WebSocket as unknown as NodeSocket;
    const protocols = ['paystate.v1', token];
    const headers = { origin: ORIGIN, 'x-forwarded-for': address };
    const socket = new Socket(`ws://${base}/live`, { protocols, headers });
    const page = lightPage(socket, { ...order, invoiceId, account });
    this.#open.add(page.stop);
    await page.shown;
    return page;
  }

  close(): void {
    for (const stop of this.#open) stop();
  }
}

function lightPage(
  socket: WebSocket,
  ids: Order & { readonly invoiceId: string; readonly account: string },
): LightPage & { readonly shown: Promise<void> } {
  const waiting = new Map<string, () => void>();
  let isStopped = false;
  const shown = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the page shows nothing')), PATIENCE_MS);
    waiting.set('', () => (clearTimeout(late), resolve()));
    socket.addEventListener('close', ({ code }) => {
      clearTimeout(late);
      reject(new Error(`the socket was closed, ${code}`));
      page.isOpen = false;
      if (!isStopped) page.closed += 1;
    });
    socket.addEventListener('error', () => {});
  });
  shown.catch(() => {}); // who opens it hears of it
  const page: LightPage & { readonly shown: Promise<void> } = {
    ...{ ...ids, state: undefined, isOpen: false, closed: 0, shown },
    stop() {
      isStopped = true;
      socket.close();
    },
    when: (state) =>
      page.state === state
        ? Promise.resolve()
        : new Promise((resolve) => void waiting.set(state, resolve)),
  };
  socket.addEventListener('open', () => {
    page.isOpen = true;
    socket.send('{"resume":null}');
  });
  socket.addEventListener('message', ({ data }) => {
    const { value } = readMessage(String(data));
    if (!value) return;
    page.state = value.state;
    for (const name of ['', value.state]) {
      waiting.get(name)?.();
      waiting.delete(name);
    }
  });
  return page;
}

function readMessage(text: string): { readonly value?: { readonly state: string } } {
  return text.startsWith('{') ? (JSON.parse(text) as { value?: { state: string } }) : {};
}
