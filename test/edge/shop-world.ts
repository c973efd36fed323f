// The example's shop as its customers, its staff and the service meet it, over HTTP alone.
import { expect } from 'chai';
import type { startShop } from '../../demo/serve/shop.ts';
import { until } from './until.ts';

export interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
}

/** An order as the back office sees it. */
interface Seen {
  readonly orderId: string;
  readonly state: string;
  readonly note: string;
}

interface Message {
  readonly orders: readonly Seen[];
  readonly strays?: readonly { readonly invoice_id: string; readonly reason: string }[];
}

type Started = Awaited<ReturnType<typeof startShop>>;
type Headers = Readonly<Record<string, string>>;

let customers = 0;

export function worldOf(shop: Started) {
  const post = (path: string, body: unknown, headers: Headers = {}) =>
    fetch(`${shop.url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        origin: shop.url,
        'cf-connecting-ip': `198.51.100.${(customers += 1)}`, // each from an address of its own
        ...headers,
      },
    });
  const order = async (cart: object = { harbour: 2 }, key: string = crypto.randomUUID()) => {
    const answer = await post('/orders', { key, cart });
    expect(answer.status).to.equal(201);
    return (await answer.json()) as Order;
  };
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  /** The order's invoice, made now. */
  const opened = async ({ orderId, orderSecret }: Order) => {
    const answer = await post('/pay/token', { orderId }, bearer(orderSecret));
    expect(answer.status).to.equal(200);
    return ((await answer.json()) as { invoiceId: string }).invoiceId;
  };
  const state = async ({ orderId, orderSecret }: Order) => {
    const answer = await fetch(`${shop.url}/orders/${orderId}`, { headers: bearer(orderSecret) });
    return ((await answer.json()) as { state: string }).state;
  };
  return {
    post,
    order,
    opened,
    state,
    becomes: (placed: Order, wanted: string) =>
      until(`${placed.orderId} is ${wanted}`, async () => (await state(placed)) === wanted),
    /** What the back office does, as its page asks for it; resolves to what is said. */
    async office(act: string, wish: object = {}, secret: string = shop.officeSecret) {
      const answer = await post(`/office/${act}`, wish, bearer(secret));
      const text = await answer.text();
      return { status: answer.status, ...(answer.ok ? (JSON.parse(text) as object) : {}) };
    },
    /** The platform's own way to run the cron. */
    async cron() {
      const answer = await fetch(`${shop.url}/cdn-cgi/handler/scheduled`);
      expect(await answer.text()).to.equal('ok');
    },
    /** A line of the back office; keeps what it hears. */
    line(secret: string = shop.officeSecret, origin: string = shop.url) {
      const heard: Message[] = [];
      const url = shop.url.replace('http', 'ws');
      const options = { protocols: ['office', secret], headers: { origin } };
      const socket = new WebSocket(`${url}/office/live`, options as never);
      let pongs = 0;
      socket.addEventListener('message', ({ data }) => {
        if (data === 'pong') pongs++;
        else heard.push(JSON.parse(String(data)));
      });
      const end = new Promise<boolean>((resolve) => {
        socket.addEventListener('open', () => resolve(true));
        socket.addEventListener('error', () => resolve(false));
      });
      const last = (orderId: string) =>
        heard.flatMap(({ orders }) => orders.filter((one) => one.orderId === orderId)).at(-1);
      return {
        heard,
        last,
        opens: end,
        pongs: () => pongs,
        ping: () => socket.send('ping'),
        close: () => socket.close(),
      };
    },
  };
}
