// Protects: the example's shop on Node with PostgreSQL, by two processes: what is paid is packed
// once, whichever process hears of it and whichever dies, and nothing is paid back twice.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { after, before, describe, it } from '#test';
import { openEngine, type Tab, until as untilShown } from '../e2e/engines.ts';
import { until } from '../edge/until.ts';
import {
  openPostgresql,
  type RestartablePostgresql,
  startPostgresql,
} from '../runners/stores/postgresql.ts';
import { Books, type Order as Kept } from '../../worker-example/src/books.ts';
import { Till } from '../../worker-example/till/till.ts';
import { type Name, type NodeShop, openShop } from './shop-processes.ts';

let postgresql: RestartablePostgresql | undefined;
let shop: NodeShop;
before(async () => {
  postgresql = await startPostgresql();
  if (!postgresql) return;
  shop = await openShop(postgresql);
  await shop.start('one'); // it makes the tables, and subscribes the webhook
  await shop.start('two');
});
after(async () => {
  await shop?.close();
  await postgresql?.stop();
});

/** The tests go on with one shop, each from where the last one has left it. */
function itRuns(title: string, test: () => Promise<void>): void {
  it(title, async ({ skip }) => (postgresql ? test() : skip('PostgreSQL is not installed')));
}

interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
}

const BOTH: readonly Name[] = ['one', 'two'];
let customers = 0;

/** Asks one of the processes, from an address of its own unless one is given. */
async function ask(
  name: Name,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const address = `198.51.100.${(customers += 1) % 250}`;
  return fetch(`http://127.0.0.1:${shop.ports[name]}${path}`, {
    method: 'POST',
    headers: { origin: shop.url, 'x-forwarded-for': address, ...headers },
    body: JSON.stringify(body),
  });
}

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

const wishOf = (key: string = crypto.randomUUID()) => ({ key, cart: { harbour: 2 } });

async function order(name: Name = 'one', key?: string): Promise<Order> {
  const answer = await ask(name, '/orders', wishOf(key));
  expect(answer.status).to.equal(201);
  return (await answer.json()) as Order;
}

/** The order's invoice, made now. */
async function opened({ orderId, orderSecret }: Order, name: Name = 'one'): Promise<string> {
  const answer = await ask(name, '/pay/token', { orderId }, bearer(orderSecret));
  expect(answer.status).to.equal(200);
  return ((await answer.json()) as { invoiceId: string }).invoiceId;
}

async function state({ orderId, orderSecret }: Order, name: Name = 'two'): Promise<string> {
  const url = `http://127.0.0.1:${shop.ports[name]}/orders/${orderId}`;
  const answer = await fetch(url, { headers: bearer(orderSecret) });
  if (answer.status === 503) return 'not known'; // the database is away
  return ((await answer.json()) as { state: string }).state;
}

const becomes = (placed: Order, wanted: string, name: Name = 'two') =>
  until(`${placed.orderId} is ${wanted}`, async () => (await state(placed, name)) === wanted);

/** What the back office does, as its page asks for it; resolves to what is said. */
async function office(act: string, wish: object = {}, name: Name = 'one') {
  const answer = await ask(name, `/office/${act}`, wish, bearer(shop.officeSecret));
  expect(answer.status).to.equal(200);
  return (await answer.json()) as {
    readonly said?: string;
    readonly differences?: readonly object[];
    readonly history?: readonly { readonly state: string }[];
  };
}

const parcelsOf = ({ orderId }: Order) =>
  shop.query('SELECT key FROM shop_parcel WHERE order_id = $1', orderId);

const sentPayments = () =>
  shop.sandbox.log.filter(
    ({ method, path, status }) =>
      method === 'PATCH' &&
      /^\/v1\/payment-quotes\/.*\/execute$/.test(path) &&
      (status ?? 500) < 300,
  ).length;

async function sold(): Promise<Order> {
  const placed = await order();
  await shop.sandbox.payer.pay(await opened(placed));
  await becomes(placed, 'shipped');
  return placed;
}

describe("the example's shop on Node", () => {
  it('sells by its page in Chromium, and the back office at the other process sees it', async ({
    skip,
  }) => {
    const engine = postgresql && (await openEngine('chromium'));
    if (!engine) return skip('PostgreSQL or Chromium is not installed');
    const complaints: string[] = [];
    const visit = async (path: string): Promise<Tab> => {
      const tab = await engine.tab();
      tab.page!.on('console', (said) => {
        if (said.type() === 'error') complaints.push(said.text());
      });
      tab.page!.on('pageerror', (error) => void complaints.push(String(error)));
      await tab.go(`${shop.url}${path}`);
      return tab;
    };
    const desk = await visit('/office.html');
    await untilShown(desk, "document.querySelector('#door [name=secret]')");
    await desk.run(
      `document.querySelector('#door [name=secret]').value = ${JSON.stringify(shop.officeSecret)}; document.querySelector('#door button').click()`,
    );
    await untilShown(desk, "document.querySelector('#line').textContent === 'Live'");
    const element = "document.querySelector('paystate-checkout').shadowRoot";
    const codes: string[] = [];
    // one page after the other: the proxy gives them, and their sockets, to both processes in turn
    for (let count = 0; count < 2; count++) {
      const tab = await visit('/');
      await untilShown(tab, "document.querySelector('#form button')");
      await tab.run("document.querySelector('#form button').click()");
      await untilShown(tab, `${element}.querySelector("[data-phase='awaiting']")`);
      codes.push(await tab.run<string>(`return ${element}.querySelector('[part=code]').value`));
      const orderId = await tab.run("return document.querySelector('#number').textContent");
      const row = (kept: string) =>
        `document.querySelector("[data-order='${String(orderId)}'][data-state='${kept}']")`;
      await untilShown(desk, row('open'));
      await shop.sandbox.payer.pay(codes.at(-1)!);
      await untilShown(tab, `${element}.querySelector("[data-phase='paid']")`);
      await untilShown(tab, "document.querySelector('#state').textContent.includes('Packed')");
      await untilShown(desk, row('shipped'));
    }
    for (const name of BOTH) expect(shop.proxy.served(name), name).to.be.above(0);
    expect(complaints).to.deep.equal([]);
    await engine.close();
  });

  itRuns('serves its pages as the Worker does, in no frame', async () => {
    const { headers } = await fetch(shop.url);
    expect(headers.get('content-security-policy')).to.contain("frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect((await fetch(`${shop.url}/_headers`)).status).to.equal(404);
    expect((await fetch(`${shop.url}/..%2fnode.env`)).status).to.equal(404);
  });

  itRuns('takes one click at both processes for one order with one invoice', async () => {
    const key = crypto.randomUUID();
    const placed = await Promise.all([...BOTH, ...BOTH].map((name) => order(name, key)));
    expect(new Set(placed.map(({ orderId }) => orderId)).size).to.equal(1);
    const ids = await Promise.all(placed.map((one, at) => opened(one, BOTH[at % 2])));
    expect(new Set(ids).size).to.equal(1);
    const other = await ask('two', '/orders', { key, cart: { morning: 1 } });
    expect(other.status).to.equal(409);
  });

  itRuns('tells of an order to its own secret alone', async () => {
    const [mine, other] = [await order(), await order('two')];
    expect(await state(mine)).to.equal('open');
    const url = `http://127.0.0.1:${shop.ports.one}/orders/${mine.orderId}`;
    expect((await fetch(url, { headers: bearer(other.orderSecret) })).status).to.equal(401);
  });

  itRuns('takes ten orders a minute from one address, by both processes together', async () => {
    const addresses = ['203.0.113.9', '::ffff:203.0.113.9']; // the same one
    const wish = () => ({ key: crypto.randomUUID(), cart: { morning: 1 } });
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, at) =>
        ask(BOTH[at % 2]!, '/orders', wish(), { 'x-forwarded-for': addresses[at % 2]! }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).to.have.length(10);
    expect(statuses.filter((status) => status === 429)).to.have.length(14);
  });

  itRuns('packs once, whichever process hears of the payment, and however often', async () => {
    const placed = await Promise.all(BOTH.map((name) => order(name)));
    for (const one of placed) {
      const invoiceId = await opened(one);
      await shop.sandbox.payer.pay(invoiceId);
      await Promise.all(BOTH.map((name) => office('reconcile', {}, name)));
      await becomes(one, 'shipped');
      const keys = (await parcelsOf(one)).map((row) => row['key']);
      expect(keys).to.deep.equal([`invoice:${invoiceId}:PAID`]);
    }
  });

  itRuns('finds what a lost webhook left behind, and what was taken back', async () => {
    const [paid, reversed] = [await order(), await sold()];
    const invoiceId = await opened(paid);
    const endLost = shop.sandbox.fault({ delivery: 'lost-before' });
    await shop.sandbox.payer.pay(invoiceId);
    const said = await office('reconcile');
    expect(said.differences).to.deep.include({
      ...{ orderId: paid.orderId, shop: 'open', service: 'PAID', done: 'shipped' },
    });
    await shop.sandbox.payer.reverse(await opened(reversed));
    await office('reconcile', {}, 'two');
    endLost();
    expect([await state(paid), await state(reversed)]).to.deep.equal(['shipped', 'reversed']);
    expect((await office('reconcile')).differences).to.deep.equal([]);
  });

  itRuns('pays an order back once, where two people ask both processes for it', async () => {
    const placed = await sold();
    const before = sentPayments();
    // small enough that the service would have money for all of them
    const wish = () => ({
      orderId: placed.orderId,
      to: shop.sandbox.payer.createBolt11({ sat: '2100' }),
      name: crypto.randomUUID(),
    });
    const answers = await Promise.all(
      [...BOTH, ...BOTH, ...BOTH].map((name) => office('refund', wish(), name)),
    );
    await until('its end', async () => {
      if ((await state(placed)) !== 'refunded') await office('reconcile');
      return (await state(placed)) === 'refunded';
    });
    expect(answers.filter(({ said }) => said === 'paid').length).to.be.at.most(1);
    expect(sentPayments() - before).to.equal(1);
    expect((await office('refund', wish(), 'two')).said).to.include('the order is refunded');
    const { history = [] } = await office('look', { orderId: placed.orderId }, 'two');
    expect(history.map(({ state: became }) => became)).to.deep.equal([
      ...['open', 'shipped', 'refunding', 'refunded'],
    ]);
  });
});

describe('a process of the shop on Node', () => {
  itRuns('that is killed in the middle of a sale loses no order and packs none twice', async () => {
    const placed = await Promise.all([...BOTH, ...BOTH, ...BOTH].map((name) => order(name)));
    const ids = await Promise.all(placed.map((one, at) => opened(one, BOTH[at % 2])));
    const paying = Promise.all(ids.map((id) => shop.sandbox.payer.pay(id)));
    await shop.kill('two');
    await paying;
    await until('the proxy to know', () => !shop.proxy.isHealthy('two'));
    for (const one of placed) await becomes(one, 'shipped', 'one');
    await shop.start('two');
    await office('reconcile', {}, 'two');
    for (const one of placed) expect(await parcelsOf(one), one.orderId).to.have.length(1);
  });

  itRuns(
    'sells on when the database comes back, and what was paid meanwhile is packed',
    async () => {
      const waiting = await Promise.all([...BOTH, ...BOTH].map((name) => order(name)));
      const ids = await Promise.all(waiting.map((one, at) => opened(one, BOTH[at % 2])));
      const paying = Promise.all(ids.map((id) => shop.sandbox.payer.pay(id)));
      await Promise.all([postgresql!.restart(), paying]);
      const asked = async () => (await ask('two', '/orders', wishOf())).status;
      await until('an order', async () => (await asked()) === 201);
      for (const one of waiting) await becomes(one, 'shipped');
      for (const one of waiting) expect(await parcelsOf(one), one.orderId).to.have.length(1);
    },
  );

  itRuns('that is killed while it pays back sends nothing twice', async () => {
    const placed = await sold();
    const before = sentPayments();
    const to = shop.sandbox.payer.createBolt11({ sat: '2100' });
    const wish = { orderId: placed.orderId, to, name: crypto.randomUUID() };
    office('refund', wish, 'two').catch(() => {}); // the connection breaks off
    await until('its begin', async () => (await state(placed, 'one')).startsWith('refund'));
    await shop.kill('two');
    // a try of the dead process counts as lost after 50 s; the other one then goes on with the same
    // payment
    for (const end = performance.now() + 120_000; performance.now() < end; ) {
      await office('reconcile');
      if ((await state(placed, 'one')) === 'refunded') break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await state(placed, 'one')).to.equal('refunded');
    expect(sentPayments() - before).to.equal(1);
    await shop.start('two');
  });

  itRuns(
    'holds the books against the service when its turn is there, and never two at once',
    async () => {
      const { subscriptions } = createClient(shop.sandbox.clientOptions);
      expect(await subscriptions.list()).to.have.length(1);
      const [turn] = await shop.query("SELECT taken FROM shop_turn WHERE name = 'reconcile'");
      expect(turn!['taken']).to.be.closeTo(Date.now(), 300_000);
    },
  );

  itRuns('that has no key to pay keeps a refund for one that has it', async () => {
    expect(await shop.stop('two')).to.equal(0);
    await shop.start('two', { PAY_KEY: '' });
    const placed = await sold();
    const before = sentPayments();
    const to = shop.sandbox.payer.createBolt11({ sat: '2100' });
    const wish = { orderId: placed.orderId, to, name: crypto.randomUUID() };
    const { said } = await office('refund', wish, 'two');
    expect(said).to.equal('kept for the process that pays');
    await becomes(placed, 'refunded');
    expect(sentPayments() - before).to.equal(1);
  });

  itRuns('ends when it is asked to, and leaves no secret in its log', async () => {
    expect(await shop.stop('two')).to.equal(0);
    const placed = await order();
    await shop.sandbox.payer.pay(await opened(placed));
    await becomes(placed, 'shipped', 'one');
    expect(await parcelsOf(placed)).to.have.length(1);
    const log = shop.log();
    for (const event of ['listening', 'order-shipped', 'reconciled', 'ended'])
      expect(log).to.include(`"event":"${event}"`);
    for (const secret of [shop.apiKey, ...Object.values(shop.secrets), '198.51.100.'])
      expect(log.includes(secret)).to.equal(false);
  });
});

describe("the example's books on PostgreSQL", () => {
  itRuns('let one of many who change an order at once do it', async () => {
    const drivers = await Promise.all(
      [1, 2].map(() => openPostgresql(postgresql!.url, 'postgres')),
    );
    const books = drivers.map((driver) => new Books(driver));
    const total = { amount: '9.50', currency: 'EUR' };
    const make = async (orderId: string): Promise<Kept> => {
      const added = { orderId, hash: 'h', what: 'tea', total };
      expect(await Promise.all(books.map((one) => one.add(added)))).to.deep.equal([true, true]);
      expect(await books[0]!.add({ ...added, what: 'coffee' })).to.equal(false);
      return (await books[0]!.get(orderId))!;
    };
    const race = (act: (own: Books, at: number) => Promise<boolean>) =>
      Promise.all(Array.from({ length: 12 }, (_, at) => act(books[at % 2]!, at)));
    const one = await make('QK-1');
    const shipped = await race((own, at) =>
      at % 3 === 0 ? own.change(one, 'cancelled') : own.ship(one, 'invoice:1:PAID', '1'),
    );
    expect(shipped.filter(Boolean)).to.have.length(1);
    const parcels = await shop.query("SELECT key FROM shop_parcel WHERE order_id = 'QK-1'");
    const end = (await books[1]!.get('QK-1'))!.state;
    expect(parcels).to.have.length(end === 'shipped' ? 1 : 0);
    const two = await make('QK-2');
    expect(await books[0]!.ship(two, 'invoice:2:PAID', '2')).to.equal(true);
    const seen = (await books[1]!.get('QK-2'))!;
    const begun = await race((own, at) => own.beginRefund(seen, { name: `${at}`, to: 'x' }, 'why'));
    expect(begun.filter(Boolean)).to.have.length(1);
    const { refund } = (await books[0]!.get('QK-2'))!;
    expect(refund).to.deep.equal({ name: `${begun.indexOf(true)}`, to: 'x' });
    const changes = await books[1]!.history('QK-2');
    expect(changes.map(({ state: became }) => became)).to.deep.equal([
      ...['open', 'shipped', 'refunding'],
    ]);
    const turns = await Promise.all(books.map((own) => own.takeTurn('of a test', 60_000)));
    expect(turns.filter(Boolean)).to.have.length(1);
    await Promise.all(drivers.map((driver) => driver.end()));
  });
});

describe("the example's till on PostgreSQL", () => {
  itRuns('pays back one of many refunds of an order that are asked for at once', async () => {
    const placed = await order();
    const invoiceId = await opened(placed);
    await shop.sandbox.payer.pay(invoiceId);
    const before = sentPayments();
    const drivers = await Promise.all(
      [1, 2].map(() => openPostgresql(postgresql!.url, 'postgres')),
    );
    // as the processes: a journal belongs to one account at one address
    const client = createClient({ baseUrl: shop.service, apiKey: shop.apiKey });
    const tills = drivers.map((driver) => new Till({ driver, client, isAlone: false }));
    const wish = { orderId: placed.orderId, invoiceId };
    const to = () => shop.sandbox.payer.createBolt11({ sat: '2100' });
    const names = Array.from({ length: 6 }, (_, at) => `${placed.orderId}-${at}`);
    const wishes = names.map((name) => ({ ...wish, name, to: to() }));
    const ends = await Promise.all(wishes.map((one, at) => tills[at % 2]!.refund(one)));
    const said = ends.map(({ phase, note }) => `${phase} ${note}`.trim());
    const other = 'refused another refund of this order is under way or paid';
    expect(said.sort()).to.deep.equal(['paid', ...Array<string>(5).fill(other)]);
    const paid = wishes[ends.findIndex(({ phase }) => phase === 'paid')]!;
    const again = await Promise.all([...tills, ...tills].map((till) => till.refund(paid)));
    expect(again.map(({ phase }) => phase)).to.deep.equal(Array(4).fill('paid'));
    expect(sentPayments() - before).to.equal(1);
    await Promise.all(drivers.map((driver) => driver.end()));
  });
});
