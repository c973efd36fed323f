// Protects: the relay runs in one process of Node, Deno and Bun as it does in a Worker: pages hear at once, a process that
// is killed loses neither order nor page.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { makeDelivery, makeEvent } from 'paystate/testing';
import { describe, it } from '#test';
import { serve } from '../../dist/cli/loopback.js';
import { root } from '../e2e/command.ts';
import { until } from '../edge/relay-harness.ts';

const ORIGIN = 'https://shop.example';
const WEBHOOK_SECRET = 'a secret for the webhooks of tests';

const sandbox = createSandbox({ seed: 'host', clock: 'real' });
const service = await serve((request: Request) => sandbox.fetch(request));
const { apiKey } = sandbox.clientOptions as { apiKey: string };

interface Shop {
  readonly port: number;
  /** Orders that were shipped, as they were said. */
  readonly shipped: readonly string[];
  end(): Promise<unknown>;
}

const running = new Set<ChildProcess>();
const pages = new Set<() => void>();

async function openShop(command: readonly string[], folder: string, port = 0): Promise<Shop> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, 'test/long/host/shop.mjs'], {
    cwd: root,
    env: {
      ...process.env,
      FOLDER: folder,
      PORT: `${port}`,
      SERVICE: service.url,
      API_KEY: apiKey,
      ORIGIN,
      TOKEN_SECRET: 'a secret for the tokens of tests, long enough',
      WEBHOOK_SECRET,
    },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output += String(text)));
  const ended = new Promise((resolve) => child.once('close', resolve));
  const found = await until('the shop', () => {
    if (child.exitCode !== null) throw new Error(output);
    return /listening on (\d+)/.exec(output)?.[1];
  });
  return {
    port: Number(found),
    get shipped() {
      return [...output.matchAll(/^shipped (.+)/gm)].map(([, what]) => what!);
    },
    end() {
      child.kill('SIGKILL');
      running.delete(child);
      return ended;
    },
  };
}

/** A page of the shop: the SDK, with nothing but an order's secret. */
async function openPage(port: number) {
  const ask = async (path: string, init: RequestInit) => {
    const headers = { origin: ORIGIN, ...(init.headers as object) };
    return (await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers })).json();
  };
  const { orderId, orderSecret } = await ask('/orders', { method: 'POST' });
  const exchange = () =>
    ask('/pay/token', {
      method: 'POST',
      headers: { authorization: `Bearer ${orderSecret}` },
      body: JSON.stringify({ orderId }),
    });
  const { invoiceId } = await exchange();
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}/pay`,
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
  return { orderId, invoiceId, client, watch };
}

type Page = Awaited<ReturnType<typeof openPage>>;

const hasRelay = ({ watch }: Page) => watch.status().reason.startsWith('relay');
const isPaid = ({ watch }: Page) => watch.current().value?.state === 'PAID';
const pay = async ({ client, invoiceId }: Page) =>
  sandbox.payer.pay((await client.invoices.quote(invoiceId)).lnInvoice);

async function deliver(port: number, invoiceId: string): Promise<number> {
  const event = makeEvent({ data: { entityId: invoiceId }, created: new Date().toISOString() });
  const url = `http://127.0.0.1:${port}/hooks/main`;
  return (await fetch(await makeDelivery(event, WEBHOOK_SECRET, { url }))).status;
}

/** Asks for a socket with an address that is none, and is gone. */
const knock = (port: number): Promise<unknown> =>
  new Promise((resolve) => {
    const line = connect(port, '127.0.0.1', () =>
      line.write(
        'GET /pay/live HTTP/1.1\r\nhost: [\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n',
      ),
    );
    line.on('error', () => {}).once('data', () => line.resetAndDestroy());
    line.once('close', resolve);
  });

after(async () => {
  for (const stop of pages) stop();
  for (const child of running) child.kill('SIGKILL');
  await service.close();
});

const bin = join(root, 'node_modules/.bin');
const runtimes = {
  Node: [process.execPath],
  Deno: [
    join(bin, 'deno'),
    'run',
    '--no-check',
    '--no-prompt',
    '--allow-net=127.0.0.1',
    '--allow-env',
    '--allow-read',
    '--allow-write',
  ],
  Bun: [join(bin, 'bun')],
};

describe('the relay in one process', () => {
  for (const [runtime, command] of Object.entries(runtimes))
    it(`tells pages by socket, ships once, and goes on where it was killed: ${runtime}`, async () => {
      const folder = mkdtempSync(join(root, '.cache', 'host-'));
      try {
        const first = await openShop(command, folder);
        const page = await openPage(first.port);
        await until('the socket', () => hasRelay(page));
        await pay(page);
        expect(await deliver(first.port, page.invoiceId)).to.equal(200);
        await until('paid', () => isPaid(page));
        await until('the parcel', () => first.shipped.length > 0);
        await knock(first.port); // nobody's request ends the process

        const second = await openPage(first.port);
        await until('the second socket', () => hasRelay(second));
        await pay(second);
        expect(await deliver(first.port, second.invoiceId)).to.equal(200);
        await first.end(); // acknowledged, perhaps not handled
        const again = await openShop(command, folder, first.port);
        await until('paid after the restart', () => isPaid(second));
        await until('the parcel', () => [...first.shipped, ...again.shipped].length > 1);
        await until('the socket again', () => hasRelay(second));
        const keys = new Set([...first.shipped, ...again.shipped]);
        expect([...keys].sort()).to.deep.equal(
          [page, second].map((one) => `${one.orderId} invoice:${one.invoiceId}:PAID`).sort(),
        );
        await again.end();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
