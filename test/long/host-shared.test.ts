// Protects: processes on one PostgreSQL are one relay: an order of one, a page of another, the webhook at a third; where one is
// killed, stalls or loses its database, the others go on, each handler runs under one key, and what it writes is there once.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { after, before, describe, it, sized } from '#test';
import { until } from '../edge/until.ts';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';
import { deliver, hasRelay, isPaid, openPage, type Page, pay, sandbox } from './host/shops.ts';
import { openWorld, type World } from './host/world.ts';

/** Pages; `npm run test:all` opens more of them, and holds a lock for longer. */
const AT_ONCE = sized(150, 500);

let postgresql: Postgresql | undefined;
before(async () => void (postgresql = await startPostgresql()));
after(() => postgresql?.stop());

/** The test is given a world of its own. */
function itShared(
  title: string,
  test: (world: World) => Promise<void>,
  env?: Readonly<Record<string, string>>,
): void {
  it(title, async ({ skip }) => {
    if (!postgresql) return skip('PostgreSQL is not installed');
    const world = await openWorld(postgresql, env);
    try {
      await test(world);
    } finally {
      await world.close();
    }
  });
}

const seconds = (since: number) => (Date.now() - since) / 1_000;

describe('the relay in several processes', () => {
  itShared('takes an order in one, shows it in another, hears of it in a third', async (world) => {
    const { parcels } = world;
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => world.start()));
    const own = await openPage(first!.port);
    const other = await openPage(second!.port, own);
    for (const page of [own, other]) await until('a socket', () => hasRelay(page));
    await pay(other);
    expect(await deliver(third!.port, own.invoiceId)).to.equal(200);
    for (const page of [own, other]) await until('paid', () => isPaid(page));
    await until('the parcel', async () => (await parcels()).length > 0);
    expect(await deliver(first!.port, own.invoiceId)).to.equal(200);
    await until('nothing open', async () => {
      const [row] = await world.run('SELECT count(*) AS open FROM paystate_event WHERE open = 1');
      return row!['open'] === '0';
    });
    expect((await parcels()).map((row) => row['order_id'])).to.deep.equal([own.orderId]);
    for (const page of [own, other]) page.stop();
  });

  itShared('starts a process while another one makes the tables', async (world) => {
    const maker = await world.connect();
    await maker.query('SELECT pg_advisory_lock(7218244)'); // as a process holds it that makes them
    let port: number | undefined;
    const starting = world.start().then((shop) => void ({ port } = shop));
    await until('its second attempt', async () => {
      const [row] = await world.run(
        'SELECT xact_rollback AS ended FROM pg_stat_database WHERE datname = current_database()',
      );
      return Number(row!['ended']) > 1;
    });
    expect(port).to.equal(undefined);
    await maker.end(); // and the lock with it
    await starting;
    expect(port).to.be.a('number');
  });

  itShared('subscribes once, however many processes start at the same time', async (world) => {
    const { subscriptions } = createClient(sandbox.clientOptions);
    const WEBHOOK_URL = 'https://shop.example/hooks/at-once';
    const ours = async () =>
      (await subscriptions.list()).filter(({ webhookUrl }) => webhookUrl === WEBHOOK_URL);
    const isSlow = sandbox.fault({
      ...{ method: 'POST', path: '/v1/subscriptions', action: { delay: 1_000 } },
    });
    await Promise.all([1, 2, 3].map(() => world.start({ WEBHOOK_URL })));
    await until('a subscription', async () => (await ours()).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 2_500)); // others would have made one by then
    isSlow();
    expect(await ours()).to.have.length(1);
  });

  itShared(
    'runs a handler again within 10 s of a kill, under its key, and writes once',
    async (world) => {
      const { parcels } = world;
      const first = await world.start({ HANDLING: '20000' });
      const page = await openPage(first.port);
      await until('the socket', () => hasRelay(page));
      await pay(page);
      expect(await deliver(first.port, page.invoiceId)).to.equal(200);
      await until('the handler', () => first.shipped.length > 0);
      const second = await world.start();
      const killed = first.end();
      const since = Date.now();
      await killed;
      await until('the parcel', async () => (await parcels()).length > 0);
      expect(seconds(since), 'seconds after the kill').to.be.below(10);
      expect(second.shipped).to.deep.equal(first.shipped);
      expect(await parcels()).to.deep.equal([
        { order_id: page.orderId, process: second.child.pid },
      ]);
      page.stop();
    },
  );

  itShared('lets a process that stalled write nothing that others have done', async (world) => {
    const { parcels } = world;
    const first = await world.start({ HANDLING: '3000' });
    const page = await openPage(first.port);
    await pay(page);
    expect(await deliver(first.port, page.invoiceId)).to.equal(200);
    await until('the handler', () => first.shipped.length > 0);
    const second = await world.start();
    first.child.kill('SIGSTOP');
    await until('the parcel', async () => (await parcels()).length > 0);
    first.child.kill('SIGCONT'); // its handler goes on, and wants to write
    const late = await openPage(first.port, page);
    await until('paid there', () => isPaid(late));
    await until('a socket there', () => hasRelay(late));
    expect(await parcels()).to.deep.equal([{ order_id: page.orderId, process: second.child.pid }]);
    for (const one of [page, late]) one.stop();
  });

  itShared(
    'confirms nothing while the database is away, and goes on when it is back',
    async (world) => {
      const { parcels, way } = world;
      const [first, second] = [await world.start(), await world.start()];
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
    },
  );

  itShared('recovers within 15 s where all connections were silent', async (world) => {
    const { way, parcels } = world;
    const [first, second] = [await world.start(), await world.start()];
    const page = await openPage(second.port);
    await until('the socket', () => hasRelay(page));
    await pay(page);
    way.silence();
    expect(await deliver(first.port, page.invoiceId)).to.equal(503);
    way.mend();
    const since = Date.now();
    await until('the delivery', async () => (await deliver(first.port, page.invoiceId)) === 200);
    await until('paid', () => isPaid(page));
    await until('the parcel', async () => (await parcels()).length > 0);
    expect(seconds(since), 'seconds after the silence').to.be.below(15);
    expect(hasRelay(page)).to.equal(true);
    page.stop();
  });

  itShared('keeps serving other accounts while a row of one is locked', async (world) => {
    const shop = await world.start();
    const locked = await openPage(shop.port);
    const other = await openPage(shop.port, undefined, 'other');
    for (const page of [locked, other]) await until('a socket', () => hasRelay(page));
    const lock = await world.connect();
    await lock.query('BEGIN');
    for (const table of ['account', 'order', 'invoice', 'follow', 'subject', 'share'])
      await lock.query(`SELECT 1 FROM paystate_${table} WHERE account = 'main' FOR UPDATE`);
    let times: number[] = [];
    const end = Date.now() + sized(5_000, 9_000);
    const busy = Array.from({ length: 20 }, async () => {
      while (Date.now() < end) {
        await deliver(shop.port, locked.invoiceId);
        await openPage(shop.port, locked).catch(() => undefined);
      }
    });
    while (Date.now() < end) {
      const since = Date.now();
      expect(await deliver(shop.port, other.invoiceId, 'other')).to.equal(200);
      const page = await openPage(shop.port, other, 'other');
      page.stop();
      times.push(seconds(since));
    }
    await lock.query('ROLLBACK');
    await lock.end();
    await Promise.all(busy);
    times = times.sort((a, b) => a - b);
    expect(times.length).to.be.above(10);
    expect(times[Math.floor(times.length * 0.99)]!, 'slowest other').to.be.below(2);
    expect(hasRelay(locked)).to.equal(true);
    for (const page of [locked, other]) page.stop();
  });

  itShared('loses nothing where responses to COMMIT are lost', async (world) => {
    const { way, parcels } = world;
    const [first, second] = [await world.start(), await world.start()];
    const pages: Page[] = [];
    for (let n = 0; n < 6; n += 1) pages.push(await openPage(n % 2 ? first.port : second.port));
    for (const page of pages) {
      await pay(page);
      way.loseCommits(true);
      await deliver(first.port, page.invoiceId).catch(() => 0);
      way.loseCommits(false);
      await until('the delivery', async () => (await deliver(second.port, page.invoiceId)) === 200);
    }
    await until('all parcels', async () => (await parcels()).length >= pages.length);
    for (const page of pages) await until('paid', () => isPaid(page));
    expect((await parcels()).map((row) => row['order_id']).sort()).to.deep.equal(
      pages.map(({ orderId }) => orderId).sort(),
    );
    for (const page of pages) page.stop();
  });

  itShared('serves a first page at once though 30,000 orders are kept', async (world) => {
    const before = await world.start();
    const page = await openPage(before.port);
    await world.run(`INSERT INTO paystate_order (account, order_id, hash, draft, until, invoice_id)
      SELECT 'main', 'o' || n, 'h', '{}', 9e12, 'i' || n FROM generate_series(1, 30000) AS n`);
    await world.run(`INSERT INTO paystate_invoice (account, invoice_id, epoch, revision, version,
      as_of, json, held) SELECT 'main', 'i' || n, 'e', 1, 1, 0, '{}', '{}'
      FROM generate_series(1, 30000) AS n`);
    await world.run(`INSERT INTO paystate_subject (account, subject, number)
      SELECT 'main', 'invoice:i' || n, 1 FROM generate_series(1, 30000) AS n`);
    const shop = await world.start();
    const since = Date.now();
    const again = await openPage(shop.port, page);
    await until('the socket', () => hasRelay(again));
    expect(seconds(since), 'seconds to the first page').to.be.below(1);
    for (const one of [page, again]) one.stop();
  });

  itShared(`serves ${AT_ONCE} pages at once`, async (world) => {
    const [first, second] = [await world.start(), await world.start()];
    const orders: Page[] = [];
    for (let n = 0; n < 10; n += 1) {
      const page = await openPage(first.port);
      page.stop();
      orders.push(page);
    }
    const opening = Array.from({ length: AT_ONCE }, (_, n) =>
      openPage(n % 2 ? first.port : second.port, orders[n % 10]),
    );
    const pages = await Promise.all(opening);
    for (const page of pages) await until('a socket', () => hasRelay(page));
    for (const page of pages) page.stop();
  });

  itShared(
    'goes on where all its connections were ended, that which listens too',
    async (world) => {
      const [first, second] = [await world.start(), await world.start()];
      const page = await openPage(second.port);
      await until('the socket', () => hasRelay(page));
      const idsOf = async () =>
        (await world.run('SELECT id FROM paystate_proc ORDER BY id')).map((row) => row['id']);
      const before = await idsOf();
      await world.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
      await pay(page);
      await until('the delivery', async () => (await deliver(first.port, page.invoiceId)) === 200);
      await until('paid', () => isPaid(page));
      await until('the parcel', async () => (await world.parcels()).length > 0);
      expect(await idsOf(), 'none counted as dead').to.deep.equal(before);
      expect(await world.parcels()).to.have.length(1);
      page.stop();
    },
  );
});
