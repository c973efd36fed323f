// Protects: the relay runs in one process of Node, Deno and Bun as it does in a Worker: pages hear at once, a process that
// is killed loses neither order nor page.
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../e2e/command.ts';
import { until } from '../edge/until.ts';
import {
  deliver,
  hasRelay,
  isPaid,
  openPage,
  openShop,
  ORIGIN,
  type Page,
  pay,
  sell,
} from './host/shops.ts';

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

/** Opens a page's socket by hand and sends a frame that no page may send; resolves when the connection has ended. */
async function sendBadFrame(port: number, page: Page): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/pay/token`, {
    method: 'POST',
    headers: { origin: ORIGIN, authorization: `Bearer ${page.orderSecret}` },
    body: JSON.stringify({ orderId: page.orderId }),
  });
  const { token } = (await response.json()) as { readonly token: string };
  const line = connect(port, '127.0.0.1', () =>
    line.write(
      `GET /pay/live HTTP/1.1\r\nhost: shop.example\r\norigin: ${ORIGIN}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n` +
        'sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
        `sec-websocket-protocol: paystate.v1, ${token}\r\n\r\n`,
    ),
  );
  let received = '';
  line.on('data', (data) => (received += String(data)));
  line.once('data', () => line.write(new Uint8Array(64).fill(0xff))); // reserved bits, no such length
  line.on('error', () => {});
  await new Promise((resolve) => line.once('close', resolve));
  return received;
}

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

// Most of each test waits for leases and sockets of its own processes.
const AT_ONCE = { concurrency: 3 };

describe('the relay in one process', AT_ONCE, () => {
  for (const [runtime, command] of Object.entries(runtimes))
    it(`tells pages by socket, ships once, and goes on where it was killed: ${runtime}`, async () => {
      const folder = mkdtempSync(join(root, '.cache', 'host-'));
      try {
        const first = await openShop(command, { FILE: join(folder, 'shop.sqlite') });
        const page = await openPage(first.port);
        await until('the socket', () => hasRelay(page));
        await pay(page);
        expect(await deliver(first.port, page.invoiceId)).to.equal(200);
        await until('paid', () => isPaid(page));
        await until('the parcel', () => first.shipped.length > 0);
        await knock(first.port); // nobody's request ends the process
        expect(await sendBadFrame(first.port, page)).to.contain('101'); // nor does a page's frame

        const second = await openPage(first.port);
        await until('the second socket', () => hasRelay(second));
        await pay(second);
        expect(await deliver(first.port, second.invoiceId)).to.equal(200);
        await first.end(); // acknowledged, perhaps not handled
        const again = await openShop(command, {
          FILE: join(folder, 'shop.sqlite'),
          PORT: `${first.port}`,
        });
        await until('paid after the restart', () => isPaid(second));
        await until('the parcel', () => [...first.shipped, ...again.shipped].length > 1);
        await until('the socket again', () => hasRelay(second));
        const keys = new Set([...first.shipped, ...again.shipped]);
        expect([...keys].sort()).to.deep.equal(
          [page, second].map((one) => `${one.orderId} invoice:${one.invoiceId}:PAID`).sort(),
        );
        let refusal = '';
        await openShop(command, { FILE: join(folder, 'shop.sqlite') }).catch(
          (thrown: Error) => (refusal = thrown.message),
        );
        expect(refusal).to.contain('another process has this SQLite file open');
        await again.end();
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
});

describe('a server with the relay mounted', AT_ONCE, () => {
  const mounts = [
    ['node:http', 'Node', 'node', 'relay'],
    ['Deno.serve', 'Deno', 'deno', 'relay'],
    ['Bun.serve', 'Bun', 'bun', 'relay'],
    ['node:http without sockets', 'Node', 'polling', 'polling'],
  ] as const;
  for (const [title, runtime, server, way] of mounts)
    it(`sells from the order to the parcel, and ends in order: ${title}`, async () => {
      const folder = mkdtempSync(join(root, '.cache', 'host-'));
      try {
        const env = { FILE: join(folder, 'shop.sqlite'), SERVER: server };
        await sell(await openShop(runtimes[runtime], env), way);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
});
