// Protects: on a server of its own the relay goes by the address that the server knows, who has had little goes first, and without
// an address, a right prefix or a right seal nothing begins.
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { createClient } from 'paystate';
import { createHostedRelay, type HostedRelay } from 'paystate/host';
import { createSandbox } from 'paystate/sandbox';
import { sqliteDriver } from 'paystate/stores';
import { describe, it } from '#test';

const ORIGIN = 'https://shop.example';
const SECRET = 'a secret for the tokens of tests, long enough';
const DRAFT = { amount: { amount: '1.00', currency: 'EUR' }, description: 'tea' };

async function openShop(prefix?: string) {
  const sandbox = createSandbox({ seed: 'address' });
  const { clock } = sandbox;
  const statements: string[] = [];
  const driver = sqliteDriver(new DatabaseSync(':memory:'));
  const relay = createHostedRelay({
    ...{ clock, origin: ORIGIN, tokenSecret: SECRET, mayForget: true, prefix },
    driver: {
      ...driver,
      batch(list) {
        statements.push(...list.map(({ values }) => JSON.stringify(values)));
        return driver.batch(list);
      },
    },
    account: (name) =>
      name === 'main'
        ? { client: createClient(sandbox.clientOptions), on: { orderPaid: () => {} } }
        : undefined,
  });
  await relay.ready;
  const ask = (secret: string, orderId: string, address: string | null, said = '203.0.113.9') => {
    const request = new Request(`${ORIGIN}/pay/token`, {
      method: 'POST',
      headers: { origin: ORIGIN, 'cf-connecting-ip': said, authorization: `Bearer ${secret}` },
      body: JSON.stringify({ orderId }),
    });
    return relay.handle(request, { address });
  };
  /** Opens a new order from this address; the status. */
  const open = async (address: string | null, said?: string): Promise<number> => {
    const { orderId, orderSecret } = await relay.createOrder('main', DRAFT);
    return (await ask(orderSecret, orderId, address, said)).status;
  };
  return { sandbox, relay, statements, ask, open };
}

describe('the address of a page', () => {
  it('is what the server says: a flood from one home leaves the others their turn', async () => {
    const { open, relay } = await openShop();
    const networks = Array.from(
      { length: 21 },
      (_, n) => `2001:db8:0:${(0x700 + n).toString(16)}::1`,
    );
    const flood = Array.from({ length: 300 }, (_, n) =>
      open(networks[n % 21]!, `192.0.2.${n % 250}`),
    );
    const honest = Array.from({ length: 5 }, (_, n) => open(`198.51.${n}.7`));
    expect(new Set(await Promise.all(honest))).to.deep.equal(new Set([200]));
    const statuses = await Promise.all(flood);
    expect(statuses).to.include(429);
    await relay.close();
  });

  it('is written out where it is not known, and must be written', async () => {
    const { open, relay } = await openShop();
    for (let n = 0; n < 20; n += 1) expect(await open(null)).to.equal(200);
    const request = new Request(`${ORIGIN}/pay/token`, { method: 'POST' });
    const missing = await relay.handle(request, {} as never).catch((error: Error) => error);
    expect((missing as Error).message).to.contain('address');
    await relay.close();
  });
});

describe('a relay on a server of its own', () => {
  it('asks the database nothing for a secret without the seal of its order', async () => {
    const { ask, relay, statements } = await openShop();
    const { orderId, orderSecret } = await relay.createOrder('main', DRAFT);
    const [bare = '', end, seal = ''] = orderSecret.split('.');
    const askedOf = () => statements.filter((values) => values.includes(orderId)).length;
    const asked = askedOf();
    const wrong = [
      bare,
      `${bare}.${end}.${seal.replace(/./, (digit) => (digit === 'a' ? 'b' : 'a'))}`,
      `${bare}.zzzzzz.${seal}`,
      'x'.repeat(40),
    ];
    for (const secret of wrong)
      expect((await ask(secret, orderId, null)).status, secret).to.equal(401);
    expect((await ask(orderSecret, `${orderId}x`, null)).status).to.equal(401);
    expect(askedOf()).to.equal(asked);
    expect((await ask(orderSecret, orderId, null)).status).to.equal(200);
    await relay.close();
  });

  it('refuses a prefix that cannot be, and knows no account that there is not', async () => {
    const refused = await openShop('P'.repeat(31)).catch((error: Error) => error);
    expect((refused as Error).message).to.contain('prefix');
    const { relay, statements } = await openShop();
    const url = `${ORIGIN}/pay/other/token`;
    const request = new Request(url, { method: 'POST', headers: { origin: ORIGIN } });
    expect((await relay.handle(request, { address: null })).status).to.equal(404);
    const delivery = new Request(`${ORIGIN}/hooks/other`, { method: 'POST', body: '{}' });
    expect((await relay.handleWebhook('other', delivery)).status).to.equal(404);
    expect(statements.filter((values) => values.includes('other'))).to.deep.equal([]);
    await relay.close();
  });

  it('refuses a database in memory unless that is said', async () => {
    const relay = createHostedRelay({
      ...{ origin: ORIGIN, tokenSecret: SECRET, account: () => undefined },
      driver: sqliteDriver(new DatabaseSync(':memory:')),
    });
    const refused = await relay.ready.catch((error: Error) => error);
    expect((refused as Error).message).to.contain('memory is lost');
    expect(relay.health().ok).to.equal(false);
  });

  it('refuses a member that would have no effect, of the relay or of an account', async () => {
    const account = { client: createClient(createSandbox().clientOptions), on: {} };
    const misplaced = { ...account, webhookUrl: 'https://shop.example/hooks/main' };
    const options = {
      ...{ origin: ORIGIN, tokenSecret: SECRET, mayForget: true, account: () => misplaced },
      driver: sqliteDriver(new DatabaseSync(':memory:')),
    };
    const relay = createHostedRelay(options);
    const refused = await relay.ready.catch((error: Error) => error);
    expect((refused as Error).message).to.equal('account.webhookUrl: is an unknown field');
    expect(() => createHostedRelay({ ...options, secrets: SECRET } as typeof options)).to.throw(
      'secrets: is an unknown field',
    );
    expect(relay.health()).to.include({ ok: false });
    await relay.close();
  });

  it('forgets a world of a sandbox that has ended once, not what another process has begun since', async () => {
    const begin = () => createSandbox({ seed: 'world', clock: 'real' });
    let world = begin();
    const driver = sqliteDriver(new DatabaseSync(':memory:'));
    const relays: HostedRelay[] = [];
    const open = async () => {
      const client = createClient({
        ...world.clientOptions,
        fetch: (...given) => world.fetch(...given),
      });
      const relay = createHostedRelay({
        ...{ driver, origin: ORIGIN, tokenSecret: SECRET, mayForget: true },
        account: () => ({ client, on: { orderPaid: () => {} } }),
      });
      await relay.ready;
      relays.push(relay);
      return async () => {
        const { orderId, orderSecret } = await relay.createOrder('main', DRAFT);
        const headers = { origin: ORIGIN, authorization: `Bearer ${orderSecret}` };
        const body = JSON.stringify({ orderId });
        const request = new Request(`${ORIGIN}/pay/token`, { method: 'POST', headers, body });
        expect((await relay.handle(request, { address: null })).status).to.equal(200);
        return orderId;
      };
    };
    const [sell, sellToo] = [await open(), await open()];
    await Promise.all([sell(), sellToo()]);
    world = begin();
    const order = await sell();
    const other = await sellToo();
    const rows = async () => {
      const sql = 'SELECT order_id FROM paystate_order WHERE invoice_id IS NOT NULL';
      const [found] = await driver.batch([{ sql, values: [] }]);
      return found!.map((row) => row['order_id']);
    };
    expect(await rows()).to.have.members([order, other]);
    await Promise.all(relays.map((relay) => relay.close()));
  });

  it('is not healthy from the moment it is closed, so that no proxy sends it more', async () => {
    const { relay } = await openShop();
    expect(relay.health().ok).to.equal(true);
    const closing = relay.close();
    expect(relay.health()).to.include({ ok: false, pages: 0 });
    await closing;
    expect(relay.health().ok).to.equal(false);
  });
});
