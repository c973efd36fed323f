// The shop of `shop.ts` as processes, the service that it asks, and its pages.
import { spawn, type ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { serve } from '../../../dist/cli/loopback.js';
import { root } from '../../e2e/command.ts';
import { until } from '../../edge/until.ts';
import { after } from '#test';

export const ORIGIN = 'https://shop.example';
export const WEBHOOK_SECRET = 'a secret for the webhooks of tests';

export const sandbox = createSandbox({ seed: 'host', clock: 'real' });
const service = await serve((request: Request) => sandbox.fetch(request));
const { apiKey } = sandbox.clientOptions as { apiKey: string };

export interface Shop {
  readonly child: ChildProcess;
  readonly port: number;
  /** Orders that were shipped, as they were said. */
  readonly shipped: readonly string[];
  end(): Promise<unknown>;
  /** Asks the process to end, as a deployment does; resolves to its exit code when it has. */
  stop(): Promise<unknown>;
}

const running = new Set<ChildProcess>();
const pages = new Set<() => void>();

/**
 * @param env what the shop's program is told beside what all are
 * @param cwd the folder of the package that it uses
 */
export async function openShop(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string = root,
): Promise<Shop> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, 'test/long/host/shop.ts'], {
    cwd,
    env: {
      ...process.env,
      PORT: '0',
      SERVICE: service.url,
      API_KEY: apiKey,
      ORIGIN,
      TOKEN_SECRET: 'a secret for the tokens of tests, long enough',
      WEBHOOK_SECRET,
      ...env,
    },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output += String(text)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.once('close', (code) => {
    if (running.has(child))
      console.error(`the shop ended by itself, ${code}: ${output.slice(-2_000)}`);
  });
  const found = await until('the shop', () => {
    if (child.exitCode !== null) {
      running.delete(child);
      throw new Error(output);
    }
    return /listening on (\d+)/.exec(output)?.[1];
  });
  return {
    child,
    port: Number(found),
    get shipped() {
      return [...output.matchAll(/^shipped (.+)/gm)].map(([, what]) => what!);
    },
    end() {
      child.kill('SIGKILL');
      running.delete(child);
      return ended;
    },
    stop() {
      child.kill('SIGTERM');
      running.delete(child);
      return ended;
    },
  };
}

interface OrderOfPage {
  readonly orderId: string;
  readonly orderSecret: string;
}

/** A page of the shop: the SDK, with nothing but an order's secret; that of another page's order, or of a new one. */
export async function openPage(port: number, known?: OrderOfPage, account?: string) {
  const ask = async (path: string, init: RequestInit) => {
    const headers = { origin: ORIGIN, ...(init.headers as object) };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })).json();
  };
  const base = account === undefined ? '/pay' : `/pay/${account}`;
  const orders = account === undefined ? '/orders' : `/orders/${account}`;
  const order: OrderOfPage = known ?? (await ask(orders, { method: 'POST' }));
  const { orderId, orderSecret } = order;
  const exchange = () =>
    ask(`${base}/token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${orderSecret}` },
      body: JSON.stringify({ orderId }),
    });
  const { invoiceId } = await exchange();
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}${base}`,
    token: async () => (await exchange()).token,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, origin: ORIGIN } }),
    WebSocket: class extends WebSocket {
      constructor(to: string, protocols: string[]) {
        super(to, { protocols, headers: { origin: ORIGIN } } as never);
      }
    },
  });
  const watch = watchInvoice(client, invoiceId, { until: 'never' });
  const stop = watch.subscribe(() => {});
  pages.add(stop);
  return { ...order, invoiceId, client, watch, stop };
}

export type Page = Awaited<ReturnType<typeof openPage>>;

export const hasRelay = ({ watch }: Page) => watch.status().reason.startsWith('relay');
export const isPaid = ({ watch }: Page) => watch.current().value?.state === 'PAID';
export const pay = async ({ client, invoiceId }: Page) =>
  sandbox.payer.pay((await client.invoices.quote(invoiceId)).lnInvoice);

export async function deliver(
  port: number,
  invoiceId: string,
  account = 'main',
  secret = WEBHOOK_SECRET,
): Promise<number> {
  const event = makeEvent({ data: { entityId: invoiceId }, created: new Date().toISOString() });
  const url = `http://127.0.0.1:${port}/hooks/${account}`;
  return (await fetch(await makeDelivery(event, secret, { url }))).status;
}

after(async () => {
  for (const stop of pages) stop();
  for (const child of running) child.kill('SIGKILL');
  await service.close();
});

/** A sale from the order to the parcel, by socket or, where the server accepts none, by polling; then the process ends in order. */
export async function sell(shop: Shop, way: 'relay' | 'polling'): Promise<void> {
  const page = await openPage(shop.port);
  await until(`the first value by ${way}`, () =>
    way === 'relay' ? hasRelay(page) : page.watch.current().value,
  );
  expect(hasRelay(page)).to.equal(way === 'relay');
  await pay(page);
  expect(await deliver(shop.port, page.invoiceId)).to.equal(200);
  await until('paid', () => isPaid(page));
  await until('the parcel', () => shop.shipped.length > 0);
  expect(await deliver(shop.port, page.invoiceId)).to.equal(200); // another event of the same state
  const forged = await deliver(shop.port, page.invoiceId, 'main', 'the secret of a stranger');
  expect(forged).to.equal(401);
  page.stop();
  expect(await shop.stop()).to.equal(0);
  expect(shop.shipped).to.deep.equal([`${page.orderId} invoice:${page.invoiceId}:PAID`]);
}
