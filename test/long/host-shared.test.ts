// Protects: several processes on one PostgreSQL are one relay: a page of one of them hears of the webhook that came to another;
// where one is killed or stalls, another goes on, and what is written in the transaction is there once; without the
// database nothing is confirmed.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import type { SqlRow } from 'paystate/stores';
import { after, before, describe, it } from '#test';
import { until } from '../edge/until.ts';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';
import { openPostgresql } from './host/postgresql.mjs';
import { deliver, hasRelay, isPaid, openPage, openShop, pay, type Shop } from './host/shops.ts';

let postgresql: Postgresql | undefined;
let driver: Awaited<ReturnType<typeof openPostgresql>>;
let databases = 0;
/** The run of a handler is void by the time at which another process takes over. */
const SLOW = { HANDLING: '1000', HANDLER_LEASE: '1500', OWNER_TIMEOUT: '4000' };
const worlds = new Set<{ close(): Promise<void> }>();
before(async () => {
  postgresql = await startPostgresql();
  if (postgresql) driver = await openPostgresql(postgresql.url);
});
after(async () => {
  for (const world of worlds) await world.close();
  await driver?.end();
  await postgresql?.stop();
});

const run = async (sql: string, on = driver): Promise<readonly SqlRow[]> =>
  (await on.batch([{ sql, values: [] }]))[0]!;

/** The way to the database, which can be cut. */
async function openWay() {
  const { hostname, port } = new URL(postgresql!.url);
  const open = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => (open.delete(one), other.destroy()));
      one.pipe(other);
    }
    if (isCut) near.destroy();
  }).listen(0, hostname);
  await once(server, 'listening');
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
    mend: () => (isCut = false),
    close: () => (server.close(), open.forEach((socket) => socket.destroy())),
  };
}

const PG = 'pg'; // it has no types

interface Client {
  connect(): Promise<void>;
  query(sql: string): Promise<unknown>;
  end(): Promise<void>;
}

/** A database of its own, and shops on it. */
async function openWorld(env: Readonly<Record<string, string>> = {}) {
  const name = `shop_${++databases}`;
  const { default: pg } = (await import(PG)) as {
    readonly default: { readonly Client: new (url: string) => Client };
  };
  const client = new pg.Client(postgresql!.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`); // no transaction may do that
  await client.end();
  const way = await openWay();
  const direct = new URL(postgresql!.url);
  direct.pathname = name;
  const own = await openPostgresql(direct.href);
  await run('CREATE TABLE parcels (order_id TEXT, process INTEGER)', own);
  const through = new URL(direct);
  through.port = `${way.port}`;
  const shops: Shop[] = [];
  const owner = async (object: string): Promise<string | undefined> => {
    const found = await run('SELECT name, owner FROM paystate_objects', own).catch(() => []);
    return found.find((row) => row['name'] === object)?.['owner'] as string | undefined;
  };
  const world = {
    way,
    owner,
    async start(): Promise<Shop> {
      const shop = await openShop([process.execPath], {
        DATABASE: through.href,
        OWNER_TIMEOUT: '2000',
        ...env,
      });
      shops.push(shop);
      return shop;
    },
    parcels: () => run('SELECT order_id, process FROM parcels', own),
    async close() {
      if (!worlds.delete(world)) return;
      for (const shop of shops) await shop.end();
      await own.end();
      way.close();
    },
  };
  worlds.add(world);
  return world;
}

/** Two processes; the account is with the first. */
async function openTwo(env?: Readonly<Record<string, string>>) {
  const world = await openWorld(env);
  const first = await world.start();
  await until('the account', () => world.owner('ACCOUNT/main'));
  return { ...world, first, second: await world.start() };
}

function itShared(title: string, test: () => Promise<void>): void {
  it(title, ({ skip }) => (postgresql ? test() : skip('PostgreSQL is not installed')));
}

describe('the relay in several processes', () => {
  itShared('tells each page, whichever process the webhook comes to', async () => {
    const world = await openTwo();
    const { first, second, parcels } = world;
    const own = await openPage(first.port);
    await until('the socket', () => hasRelay(own));
    const other = await openPage(second.port, own); // its room is in the first process
    const far = await openPage(second.port); // its room is in the second one, its account is not
    const third = await openPage((await world.start()).port, far);
    for (const page of [other, far, third]) await until('a socket', () => hasRelay(page));
    for (const page of [own, far]) {
      await pay(page);
      expect(await deliver(second.port, page.invoiceId)).to.equal(200);
    }
    for (const page of [own, other, far, third]) await until('paid', () => isPaid(page));
    await until('the parcels', async () => (await parcels()).length >= 2);
    expect((await parcels()).map((row) => row['order_id']).sort()).to.deep.equal(
      [own.orderId, far.orderId].sort(),
    );
    for (const page of [own, other, far, third]) page.stop();
    await world.close();
  });

  itShared('goes on in another process where the one with the account is killed', async () => {
    const world = await openTwo(SLOW);
    const { first, second, parcels } = world;
    const pages = [await openPage(first.port), await openPage(second.port)];
    const [, page] = pages;
    await until('the socket', () => hasRelay(page!));
    await pay(page!);
    expect(await deliver(second.port, page!.invoiceId)).to.equal(200);
    await until('the handler', () => first.shipped.length > 0);
    await first.end(); // acknowledged, and in the middle of its handler
    await until('paid', () => isPaid(page!));
    await until('the parcel', async () => (await parcels()).length > 0);
    await until('the socket again', () => hasRelay(page!));
    const next = await openPage(second.port);
    await pay(next);
    expect(await deliver(second.port, next.invoiceId)).to.equal(200);
    await until('the next parcel', async () => (await parcels()).length > 1);
    const process = second.child.pid;
    expect(await parcels()).to.deep.equal(
      [page!, next].map(({ orderId }) => ({ order_id: orderId, process })),
    );
    expect(second.shipped[0]).to.equal(first.shipped[0]);
    for (const one of [...pages, next]) one.stop();
    await world.close();
  });

  itShared('writes nothing with what another process has taken over', async () => {
    const world = await openTwo(SLOW);
    const { first, second, parcels } = world;
    const page = await openPage(second.port);
    await until('the socket', () => hasRelay(page));
    await pay(page);
    expect(await deliver(second.port, page.invoiceId)).to.equal(200);
    await until('the handler', () => first.shipped.length > 0);
    const before = await world.owner('ACCOUNT/main');
    first.child.kill('SIGSTOP');
    await until('the parcel', async () => (await parcels()).length > 0);
    expect(await world.owner('ACCOUNT/main')).to.not.equal(before);
    first.child.kill('SIGCONT'); // its handler goes on, and wants to write
    const late = await openPage(first.port, page);
    await until('paid there', () => isPaid(late));
    await until('a socket there', () => hasRelay(late));
    expect(await parcels()).to.deep.equal([{ order_id: page.orderId, process: second.child.pid }]);
    for (const one of [page, late]) one.stop();
    await world.close();
  });

  itShared('confirms nothing while the database is away, and goes on when it is back', async () => {
    const world = await openTwo();
    const { first, second, parcels, way } = world;
    const page = await openPage(second.port);
    await until('the socket', () => hasRelay(page));
    await pay(page);
    way.cut();
    for (const { port } of [first, second]) {
      expect(await deliver(port, page.invoiceId)).to.equal(503);
      const order = await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST' });
      expect(order.ok).to.equal(false);
    }
    expect(isPaid(page)).to.equal(false);
    way.mend();
    await until('the delivery', async () => (await deliver(first.port, page.invoiceId)) === 200);
    await until('paid', () => isPaid(page));
    await until('the parcel', async () => (await parcels()).length > 0);
    expect(await parcels()).to.have.length(1);
    page.stop();
    await world.close();
  });
});
