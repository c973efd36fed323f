// Protects: through a whole sale, pages that are refused and sockets that break, nothing is uncaught in the log of the example's
// Worker, in real workerd.
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from '#test';
import { startShop } from '../../demo/serve/shop.ts';
import { type Order, worldOf } from './shop-world.ts';
import { until } from './until.ts';

const folder = mkdtempSync(join(tmpdir(), 'paystate-worker-log-'));
const errors = join(folder, 'errors');
const shop = await startShop({ errors: openSync(errors, 'a') });
const world = worldOf(shop);
after(async () => {
  await shop.close();
  rmSync(folder, { recursive: true });
});

const LONG_BODY = 'x'.repeat(300_000);

/** All that the Worker and its process have written. */
const written = (): string =>
  [shop.log, errors].map((file) => readFileSync(file, 'utf8')).join('\n');

/** Lines that are no report of a request and no line of the example's own log. */
function complaintsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => /uncaught|unhandled|\[ERROR\]|(Type|Range|Reference)?Error\b/i.test(line));
}

interface Socket {
  readonly heard: string[];
  send(text: string): void;
  /** Ends it without a word, as a lost network does. */
  break(): void;
}

/** The socket of a page, on a connection that can be broken: that of the platform can only be closed. */
async function socketOf(token: string): Promise<Socket> {
  const { hostname, port } = new URL(shop.url);
  const wire = connect(Number(port), hostname);
  const heard: string[] = [];
  wire.on('data', (data) => void heard.push(String(data)));
  wire.on('error', () => {});
  await once(wire, 'connect');
  wire.write(
    [
      ...['GET /pay/live HTTP/1.1', `host: ${hostname}:${port}`, `origin: ${shop.url}`],
      ...['connection: Upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'],
      ...['sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='],
      ...[`sec-websocket-protocol: paystate.v1, ${token}`, '', ''],
    ].join('\r\n'),
  );
  return {
    heard,
    send(text) {
      const masked = Buffer.from(text); // a mask of zeros leaves it as it is
      wire.write(Buffer.from([0x81, 0x80 | masked.length, 0, 0, 0, 0]));
      wire.write(masked);
    },
    break: () => wire.resetAndDestroy(),
  };
}

async function tokenOf({ orderId, orderSecret }: Order): Promise<string> {
  const bearer = { authorization: `Bearer ${orderSecret}` };
  const answer = await world.post('/pay/token', { orderId }, bearer);
  expect(answer.status).to.equal(200);
  return ((await answer.json()) as { token: string }).token;
}

async function openSocket(order: Order): Promise<Socket> {
  const socket = await socketOf(await tokenOf(order));
  await until('the socket', () => socket.heard.join('').includes('101 Switching'));
  socket.send('{"resume":null}');
  await until('the invoice', () => socket.heard.join('').includes('invoiceId'));
  return socket;
}

/** Each is refused before its body was read, or while it comes. */
async function refuseAll(): Promise<readonly number[]> {
  const post = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    world.post(path, LONG_BODY, headers);
  const answers = [
    await post('/orders', { origin: 'https://other.example' }),
    await post('/orders'),
    await post('/hooks/main'),
    await post('/hooks/main', { 'x-webhook-signature': '0'.repeat(64) }),
    await post('/pay/token'),
    await post('/pay/token', { authorization: `Bearer ${'0'.repeat(64)}` }),
    await post('/pay/v1/invoices', { authorization: 'Bearer no token' }),
    await post('/office/ship', { authorization: 'Bearer no secret' }),
  ];
  for (const answer of answers) await answer.body?.cancel();
  return answers.map(({ status }) => status);
}

describe("the log of the example's Worker", () => {
  it('has the lines that are searched, where something is uncaught', () => {
    const lines = ['Uncaught TypeError: no', '✘ [ERROR] no', 'Error: no', '{"event":"order"}'];
    expect(complaintsIn(lines.join('\n'))).to.deep.equal(lines.slice(0, 3));
  });

  it('has nothing uncaught after a sale, refused pages and broken sockets', async () => {
    const order = await world.order();
    const invoiceId = await world.opened(order);
    const [first, second] = [await openSocket(order), await openSocket(order)];
    expect((await refuseAll()).filter((status) => status < 400)).to.deep.equal([]);
    first.break();
    const refused = await socketOf('no token');
    await until('a refusal', () => refused.heard.length > 0);
    refused.break();
    await shop.sandbox.payer.pay(invoiceId);
    await until('the payment', () => second.heard.join('').includes('"PAID"'));
    await world.becomes(order, 'shipped');
    second.send('no message of a page');
    second.break();
    expect(await world.state(await world.order())).to.equal('open');
    expect(written()).to.include('"event"');
    expect(complaintsIn(written())).to.deep.equal([]);
  });
});
