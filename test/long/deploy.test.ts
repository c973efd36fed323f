// Protects: the deployment of the cookbook serves a shop by two processes, loses no request and no order where one of them is
// replaced or killed, and has all its orders again after its database was lost and restored from a dump.
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { after, before, describe, it } from '#test';
import { openEngine, until as untilShown } from '../e2e/engines.ts';
import { until } from '../edge/until.ts';
import { type Postgresql, startPostgresql } from '../runners/stores/postgresql.ts';
import { checkHealth, composeFile, millisOf, run, textOf } from './deploy/compose.ts';
import { caddyfile } from './deploy/proxy.ts';
import { openWorld, runInDatabase, type World } from './deploy/world.ts';

const CUSTOMERS = 3;
const services = composeFile.services;

let postgresql: Postgresql | undefined;
let world: World;

before(async () => {
  postgresql = await startPostgresql();
  if (postgresql) world = await openWorld(postgresql);
});
after(async () => {
  await world?.close();
  await postgresql?.stop();
});

/** Requests of customers that did not end well. */
const failures: string[] = [];

async function ask(path: string, body: object, bearer?: string): Promise<Record<string, string>> {
  const headers = { origin: world.url, ...(bearer && { authorization: `Bearer ${bearer}` }) };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${world.url}${path}`, init).catch((thrown: unknown) => {
    failures.push(`${path}: ${thrown}`);
    throw thrown;
  });
  const text = await response.text();
  if (!response.ok) failures.push(`${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Record<string, string>;
}

/** An order as its page has it. */
interface Order {
  readonly orderId: string;
  readonly orderSecret: string;
  readonly invoiceId: string;
  readonly token: string;
}

const open = async ({ orderId, orderSecret }: Pick<Order, 'orderId' | 'orderSecret'>) =>
  ask('/pay/token', { orderId }, orderSecret) as unknown as Promise<Order>;

async function order(): Promise<Order> {
  const placed = await ask('/orders', { good: 'Tasting box', key: crypto.randomUUID() });
  return { ...(placed as unknown as Order), ...(await open(placed as unknown as Order)) };
}

async function pay({ invoiceId, token }: Order): Promise<void> {
  const { lnInvoice } = await ask(`/pay/v1/invoices/${invoiceId}/quote`, {}, token);
  await world.sandbox.payer.pay(lnInvoice!);
}

const parcelsOf = async ({ orderId }: Order) => {
  const rows = await world.query('SELECT content FROM parcels WHERE order_id = $1', [orderId]);
  return rows.map((row) => row['content']);
};
const parcel = (placed: Order) =>
  until(`the parcel of ${placed.orderId}`, async () => (await parcelsOf(placed)).length > 0);

/** A page of an order that stays open: the SDK and its socket, through the proxy. */
function openPage({ invoiceId, orderId, orderSecret }: Order) {
  const { url } = world;
  const client = createClient({
    baseUrl: `${url}/pay`,
    token: async () => (await open({ orderId, orderSecret })).token,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, origin: url } }),
    WebSocket: class extends WebSocket {
      constructor(to: string, protocols: string[]) {
        super(to, { protocols, headers: { origin: url } } as never);
      }
    },
  });
  const watch = watchInvoice(client, invoiceId, { until: 'never' });
  const stop = watch.subscribe(() => {});
  return {
    stop,
    hasSocket: () => watch.status().reason.startsWith('relay'),
    state: () => watch.current().value?.state,
  };
}

/** Customers who each get two parcels or more, one order after the other, until `end` has resolved. */
async function sellDuring(end: Promise<unknown>): Promise<readonly Order[]> {
  let isOver = false;
  const over = () => void (isOver = true);
  void end.then(over, over);
  const sold: Order[] = [];
  const customer = async () => {
    for (let parcels = 0; !isOver || parcels < 2; parcels += 1) {
      const placed = await order();
      await pay(placed);
      await parcel(placed);
      sold.push(placed);
    }
  };
  await Promise.all([...Array.from({ length: CUSTOMERS }, customer), end]);
  return sold;
}

async function expectAllWell(sold: readonly Order[]): Promise<void> {
  expect(failures).to.deep.equal([]);
  for (const placed of sold) expect(await parcelsOf(placed)).to.deep.equal(['Tasting box']);
  const lost = world.sandbox.deliveries.filter(({ outcome }) => outcome !== 'delivered');
  expect(lost).to.deep.equal([]);
}

/** The tests go on with one world, each from where the last one has left it. */
function itDeployed(title: string, test: () => Promise<void>): void {
  it(title, async ({ skip }) => (postgresql ? test() : skip('PostgreSQL is not installed')));
}

describe("the cookbook's deployment", () => {
  it('names files that are there, and a proxy for its own services', () => {
    const copied = [...textOf('Dockerfile').matchAll(/^COPY (?!package)(.+) \.\/$/gm)];
    const files = copied.flatMap(([, names]) => names!.split(' '));
    expect(files).to.include.members(['shop.ts', 'settings.ts']);
    for (const file of files) expect(textOf(file)).not.to.equal('');
    expect(Object.keys(services)).to.include.members(caddyfile.upstreams);
    expect([caddyfile.policy, caddyfile.healthUri]).to.deep.equal(['round_robin', '/health']);
    expect(services['two']).to.deep.equal(services['one']);
  });

  itDeployed('takes an order from its page to its parcel, by both processes', async () => {
    await world.up('one', 'two');
    const page = await fetch(world.url);
    expect(await page.text()).to.include('<paystate-checkout');
    for (const file of ['page.js', 'paystate-checkout.min.js'])
      expect((await fetch(`${world.url}/${file}`)).status).to.equal(200);
    const placed = await order();
    const shown = openPage(placed);
    await until('the socket', shown.hasSocket);
    await pay(placed);
    await until('paid', () => shown.state() === 'PAID');
    await parcel(placed);
    shown.stop();
    for (const name of ['one', 'two']) expect(world.proxy.served(name), name).to.be.above(0);
    const { subscriptions } = createClient(world.sandbox.clientOptions);
    expect(await subscriptions.list()).to.have.length(1);
    await expectAllWell([placed]);
  });

  it('sells by its page in Chromium, also after a reload', async ({ skip }) => {
    const engine = postgresql && (await openEngine('chromium'));
    if (!engine) return skip('PostgreSQL or Chromium is not installed');
    const tab = await engine.tab();
    const complaints: string[] = [];
    tab.page!.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    tab.page!.on('pageerror', (error) => void complaints.push(String(error)));
    const element = "document.querySelector('paystate-checkout').shadowRoot";
    const code = `${element}.querySelector('[part=code]').value`;
    await tab.go(world.url);
    await tab.run("document.querySelector('button').click()");
    await untilShown(tab, `${element} && ${code}`);
    const shown = await tab.run<string>(`return ${code}`);
    await tab.go(world.url);
    await untilShown(tab, `${element} && ${code}`);
    expect(await tab.run(`return ${code}`)).to.equal(shown);
    await world.sandbox.payer.pay(shown);
    await untilShown(tab, `${element}.querySelector('[data-phase=paid]')`);
    expect(complaints).to.deep.equal([]);
    await engine.close();
  });

  itDeployed('takes a request twice and has one order', async () => {
    const wish = { good: 'Tasting box', key: crypto.randomUUID() };
    const [first, second] = [await ask('/orders', wish), await ask('/orders', wish)];
    expect(second['orderId']).to.equal(first['orderId']);
    const text = 'SELECT 1 FROM paystate_order WHERE order_id = $1';
    const rows = await world.query(text, [first['orderId']!]);
    expect(rows).to.have.length(1);
  });

  itDeployed('loses nothing while a process is replaced', async () => {
    const { proxy, place, ports } = world;
    const [service, port] = [services['one']!, ports['one']!];
    const waiting = await order();
    const page = openPage(waiting);
    await until('the socket', page.hasSocket);
    expect(await checkHealth(service, place, port)).to.equal(0);
    const replace = async () => {
      const { child, ended } = world.shop('one');
      const since = performance.now();
      const statusOf = async () => (await fetch(`http://127.0.0.1:${port}/health`)).status;
      expect(await statusOf()).to.equal(200);
      child.kill('SIGTERM');
      await until('the proxy to know', () => !proxy.isHealthy('one'));
      expect(await statusOf()).to.equal(503); // it still responds
      expect(await checkHealth(service, place, port), 'health while it ends').not.to.equal(0);
      expect(await ended).to.equal(0);
      const took = performance.now() - since;
      expect(took, 'milliseconds to its end').to.be.below(millisOf(service.stop_grace_period));
      await world.up('one');
    };
    const sold = await sellDuring(replace());
    expect(proxy.broken, 'requests that met its end').to.equal(0);
    await pay(waiting);
    await until('paid', () => page.state() === 'PAID');
    page.stop();
    await parcel(waiting);
    await expectAllWell([...sold, waiting]);
  });

  itDeployed('loses nothing where a process is killed', async () => {
    const waiting = await order();
    const page = openPage(waiting);
    await until('the socket', page.hasSocket);
    const kill = async () => {
      const { child, ended } = world.shop('two');
      child.kill('SIGKILL');
      expect(await ended).to.equal('SIGKILL');
      await until('the proxy to know', () => !world.proxy.isHealthy('two'));
      await world.up('two');
    };
    const sold = await sellDuring(kill());
    await pay(waiting);
    await until('paid', () => page.state() === 'PAID');
    page.stop();
    await parcel(waiting);
    await expectAllWell([...sold, waiting]);
  });

  itDeployed('has what was in its dump again, and finds what was not', async () => {
    const { place, ports } = world;
    const [paid, unpaid] = [await order(), await order()];
    await pay(paid);
    await parcel(paid);
    runInDatabase(world, 'pg_dump');
    const late = await order();
    for (const placed of [unpaid, late]) await pay(placed);
    for (const placed of [unpaid, late]) await parcel(placed);
    await world.down('one', 'two');
    for (const program of ['dropdb', 'createdb', 'pg_restore']) runInDatabase(world, program);
    expect(await parcelsOf(unpaid)).to.deep.equal([]);
    await world.query('UPDATE paystate_account SET feed_at = 0'); // as after five minutes
    await world.up('one', 'two');
    const page = openPage(paid);
    await until('the page', () => page.state() === 'PAID');
    page.stop();
    expect(await parcelsOf(paid)).to.deep.equal(['Tasting box']);
    await parcel(unpaid); // by the event feed
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const command = ['node', 'reconcile.ts', day];
    const compared = run(services['one']!, place, ports['one']!, command);
    expect(await compared.ended, compared.output()).to.equal(1);
    const found = `paid, no parcel: order ${late.orderId}, ${late.invoiceId}`;
    expect(compared.output().trim()).to.equal(found);
    expect(await parcelsOf(late)).to.deep.equal([]);
  });
});
