// Protects: a shop goes from one version to the next, and back, without a stop: two processes on one PostgreSQL are
// replaced one by one under load, and account, rooms and Worker of two deployments talk to each other. No order is lost, and
// none is shipped twice. The later version is this one with one more step of the tables.
// Part of `npm test`.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { type SqlDriver, sqliteDriver } from 'paystate/stores';
import { after, before, describe, it } from '#test';
import { RelayTables } from '../../dist/relay/relay-tables.js';
import { sql } from '../../dist/relay/sql-text.js';
import { until } from '../edge/until.ts';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';
import { DRAFT, HOOK } from './host/here.ts';
import { deliver, ORIGIN, sandbox, type Shop } from './host/shops.ts';
import { makeLaterVersion } from './host/versions.ts';
import { openWorld } from './host/world.ts';
import { type Deployment, openObjects, OWN, type Versions } from './relay-objects.ts';

const SECOND = 1_000;
/** Time between two sales: one address may open 63 orders a minute. */
const BETWEEN = 1_200;
let later = '';
let postgresql: Postgresql | undefined;
before(async () => {
  later = makeLaterVersion();
  postgresql = await startPostgresql();
});
after(() => {
  rmSync(later, { recursive: true });
  return postgresql?.stop();
});

/** Sells at any process that is there, again and again. */
class Load {
  readonly paid: string[] = [];
  shops: readonly Shop[] = [];
  #isOver = false;
  #turn = 0;
  readonly #loops: readonly Promise<void>[];

  constructor() {
    this.#loops = [this.#run(), this.#run()];
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #run(): Promise<void> {
    for (; !this.#isOver; await new Promise((resolve) => setTimeout(resolve, 2 * BETWEEN)))
      await this.#sell();
  }

  /** Asks one process after the other until one answers. */
  async #ask<T>(path: string, init: RequestInit): Promise<T> {
    for (;;) {
      const { port } = this.shops[this.#turn++ % this.shops.length] ?? {};
      const headers = { origin: ORIGIN, ...(init.headers as object) };
      const request = fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        ...init,
        headers,
      });
      const response = await request.catch(() => undefined);
      if (response?.ok) return response.json() as Promise<T>;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #sell(): Promise<void> {
    const { orderId, orderSecret } = await this.#ask<Record<string, string>>('/orders', {});
    const { invoiceId } = await this.#ask<{ invoiceId: string }>('/pay/token', {
      headers: { authorization: `Bearer ${orderSecret}` },
      body: JSON.stringify({ orderId }),
    });
    await sandbox.payer.pay(invoiceId);
    this.paid.push(orderId!);
    for (let isKept = false; !isKept; ) {
      const { port } = this.shops[this.#turn++ % this.shops.length]!;
      isKept = (await deliver(port, invoiceId).catch(() => 0)) === 200;
    }
  }
}

describe('processes of two versions on one PostgreSQL', () => {
  it('are replaced one by one under load, forth and back', async ({ skip }) => {
    if (!postgresql) return skip('PostgreSQL is not installed');
    const world = await openWorld(postgresql);
    const pass = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3 * SECOND));
    const version = async (): Promise<unknown> =>
      (await world.run('SELECT number FROM paystate_schema'))[0]!['number'];
    const healthOf = async ({ port }: Shop): Promise<unknown> =>
      (await (await fetch(`http://127.0.0.1:${port}/health`)).json()).ok;
    try {
      const shops = [await world.start(), await world.start()];
      const load = new Load();
      load.shops = [...shops];
      const replace = async (at: number, folder?: string): Promise<void> => {
        load.shops = shops.filter((_, n) => n !== at);
        await shops[at]!.stop();
        shops[at] = await world.start({}, folder);
        load.shops = [...shops];
        await pass();
        for (const shop of shops) expect(await healthOf(shop)).to.equal(true);
      };
      await pass();
      expect(await version()).to.equal(1);
      await replace(0, later);
      expect(await version()).to.equal(2);
      await replace(1, later);
      await replace(0); // back
      await load.end();
      await until('the parcels', async () => (await world.parcels()).length >= load.paid.length);
      const parcels = (await world.parcels()).map((row) => String(row['order_id']));
      expect(parcels.toSorted()).to.deep.equal(load.paid.toSorted());
      const made = await world.run(
        'SELECT later_added AS by, count(*) AS n FROM paystate_order GROUP BY later_added',
      );
      expect(made.map(({ by }) => by)).to.have.members([null, 'new']);
      expect(await version()).to.equal(2);
    } finally {
      await world.close();
    }
  });
});

describe('deployments of two versions of the objects', () => {
  const versionOf = async (folder: string): Promise<Deployment> => {
    const load = (path: string) => import(pathToFileURL(join(folder, 'dist/node', path)).href);
    return {
      ...(await load('relay/index.js')),
      createClient: (await load('index.js')).createClient,
    };
  };

  for (const gateway of ['this', 'the later'])
    it(`sell and ship once in every mixture, with a Worker of ${gateway} version`, async () => {
      const next = await versionOf(later);
      const mixtures: readonly (readonly [Deployment, Deployment])[] = [
        ...([
          [OWN, OWN],
          [OWN, next],
          [next, next],
        ] as const),
        ...([
          [next, OWN],
          [OWN, next],
          [OWN, OWN],
        ] as const),
      ];
      const shipped: string[] = [];
      const sold: string[] = [];
      const rooms: string[] = [];
      const versions: Versions = {
        ...{ account: OWN, rooms: OWN },
        gateway: gateway === 'this' ? OWN : next,
      };
      const on = { orderPaid: ({ orderId }: { orderId: string }) => void shipped.push(orderId) };
      const hooks = { secrets: HOOK, webhookUrl: 'https://shop.example/hooks/main' };
      const world = openObjects(undefined, { ...hooks, on }, true, versions);
      const { sandbox: own, client, relay } = world;
      for (const [account, room] of mixtures) {
        Object.assign(versions, { account, rooms: room });
        world.account.evict();
        for (const id of rooms) world.room(id).evict();
        const { orderId, orderSecret } = await own.run(relay.createOrder(DRAFT));
        const { body } = await world.exchange(orderId, orderSecret);
        const page = await world.line(body.invoiceId);
        rooms.push(body.invoiceId);
        await world.pay(await own.run(client.invoices.get(body.invoiceId)));
        await own.advance(10 * SECOND);
        expect(page.received().at(-1)?.value?.state).to.equal('PAID');
        sold.push(orderId);
        expect(shipped).to.deep.equal(sold);
      }
      const [row] = world.account.rows('SELECT number FROM paystate_schema');
      expect(row).to.include({ number: 2 });
    });
});

describe('the steps of the tables', () => {
  const FIRST = ['CREATE TABLE IF NOT EXISTS {}_schema (room TEXT PRIMARY KEY, number INTEGER)'];
  const second = 'CREATE TABLE {}_more (name TEXT)';

  const open = (driver: SqlDriver, ...steps: string[][]): RelayTables =>
    new RelayTables({ driver, mayForget: true }, () => Date.now(), steps);

  it('are made once each, and leave what is there', async () => {
    const driver = sqliteDriver(new DatabaseSync(':memory:'));
    await open(driver, FIRST).ready();
    await open(driver, FIRST, [second]).batch([sql`INSERT INTO {}_more (name) VALUES ('kept')`]);
    const last = open(driver, FIRST, [second], ['ALTER TABLE {}_more ADD COLUMN age INTEGER']);
    expect(await last.read(sql`SELECT name, age FROM {}_more`)).to.deep.equal([
      { name: 'kept', age: null },
    ]);
  });

  it('are wholly made or not at all', async () => {
    const driver = sqliteDriver(new DatabaseSync(':memory:'));
    await open(driver, FIRST).ready();
    const broken = open(driver, FIRST, [second, 'CREATE nothing']);
    expect(await broken.ready().catch(String)).to.contain('syntax error');
    await open(driver, FIRST, [second]).ready();
  });

  it('of the next version are worked with, and those of the one after it refused', async () => {
    const driver = sqliteDriver(new DatabaseSync(':memory:'));
    await open(driver, FIRST, [second]).ready();
    await open(driver, FIRST).ready();
    await open(driver, FIRST, [second], []).ready();
    expect(await open(driver, FIRST).ready().catch(String)).to.contain('tables of version 3');
    await open(driver, FIRST, [second]).ready();
  });
});
