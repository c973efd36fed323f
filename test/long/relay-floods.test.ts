// Protects: who has no right to an invoice hears nothing of it and asks the service nothing; a flood of orders leaves the customers of
// other orders served within two seconds; on real SQLite in virtual time.
import { expect } from 'chai';
import { SignJWT } from 'jose';
import { type Invoice, watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { fromPage, ORIGIN, outcome, request, SECRET } from '../unit/relay/shop.ts';
import { record } from '../unit/state/shop.ts';
import { openObjects, type RelayObjects } from './relay-objects.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

const HOOKED = {
  secrets: 'a secret for the webhooks of tests',
  webhookUrl: 'https://shop.example/hooks/main',
};

/** A token as the relay makes them, but for what is changed. */
const signed = ({ sandbox }: RelayObjects, claims: object, secret = SECRET): Promise<string> => {
  const now = Math.floor(sandbox.clock.now() / SECOND);
  const usual = { iss: 'paystate-relay', aud: `${ORIGIN}/main`, iat: now, exp: now + 900 };
  return new SignJWT({ ...usual, verbs: ['read', 'quote', 'live'], ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(new TextEncoder().encode(secret));
};

const OTHER_SECRET = 'a secret of somebody else, long enough for a token';
const expired = (world: RelayObjects) => ({
  exp: Math.floor(world.sandbox.clock.now() / SECOND) - 60,
});

/** Tokens that are not for this: what each of them says, and who has signed it. */
const WRONG: Readonly<Record<string, (world: RelayObjects, sub: string) => Promise<string>>> = {
  'of another secret': (world, sub) => signed(world, { sub }, OTHER_SECRET),
  'that has expired': (world, sub) => signed(world, { sub, ...expired(world) }),
  'of another shop': (world, sub) => signed(world, { sub, aud: 'https://other.example/main' }),
  'for another verb': (world, sub) => signed(world, { sub, verbs: ['read'] }),
};

describe('a page without the right', () => {
  for (const [what, make] of Object.entries(WRONG)) {
    it(`to a socket, by a token ${what}, opens none`, async () => {
      const world = openObjects();
      const { invoiceId } = await world.invoice();
      const headers = {
        origin: ORIGIN,
        upgrade: 'websocket',
        'sec-websocket-protocol': `paystate.v1, ${await make(world, invoiceId)}`,
      };
      const answer = world.relay.handle(request('GET', '/pay/live', headers));
      expect(await world.sandbox.run(outcome(answer))).to.match(/^40[13] /);
      expect(world.room(invoiceId).lines).to.deep.equal([]);
    });

    it(`loses its open socket by a token ${what}, and hears nothing more`, async () => {
      const world = openObjects();
      const made = await world.invoice();
      const [page, other] = [await world.line(made.invoiceId), await world.line(made.invoiceId)];
      await page.say({ token: await make(world, made.invoiceId) });
      expect(page.closedWith()).to.equal(4401);
      const heard = page.received().length;
      await world.pay(made);
      await world.sandbox.advance(5 * SECOND);
      expect(other.received().at(-1)!.value!.state).to.equal('PAID');
      expect(page.received()).to.have.length(heard);
    });
  }

  it('because it is of another origin is refused with a good token, and no room wakes', async () => {
    const world = openObjects();
    const { invoiceId } = await world.invoice();
    const token = await world.token(invoiceId);
    const socket = {
      upgrade: 'websocket',
      'sec-websocket-protocol': `paystate.v1, ${token}`,
    };
    for (const origin of ['https://evil.example', 'null', `${ORIGIN}.evil.example`, `${ORIGIN}:81`])
      for (const asked of [
        request('GET', '/pay/live', { ...socket, origin }),
        fromPage(token, 'GET', `/pay/v1/invoices/${invoiceId}`, { origin }),
        fromPage(token, 'POST', `/pay/v1/invoices/${invoiceId}/quote`, { origin }),
      ])
        expect(await world.sandbox.run(outcome(world.relay.handle(asked)))).to.equal(
          '403 FORBIDDEN',
        );
    expect(world.room(invoiceId).lines).to.deep.equal([]);
    expect(world.requests()).to.deep.equal([]);
  });

  it('because it guesses ids, or asks by other methods, makes no request to the service', async () => {
    const world = openObjects();
    const { invoiceId } = await world.invoice();
    const token = await world.token(invoiceId);
    const other = (await world.invoice()).invoiceId;
    const ask = (method: string, path: string) =>
      world.sandbox.run(outcome(world.relay.handle(fromPage(token, method, `/pay/v1${path}`))));
    for (let time = 0; time < 500; time++) {
      const guessed = time === 0 ? other : `${other.slice(0, -4)}${String(time).padStart(4, '0')}`;
      expect(await ask('GET', `/invoices/${guessed}`)).to.equal('403 FORBIDDEN');
      expect(await ask('POST', `/invoices/${guessed}/quote`)).to.equal('403 FORBIDDEN');
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      for (const end of ['', '/cancel', '/refund'])
        expect(await ask(method, `/invoices/${invoiceId}${end}`)).to.equal('403 FORBIDDEN');
    expect(world.requests()).to.deep.equal([]);
  });
});

const order = (world: RelayObjects) => world.sandbox.run(world.relay.createOrder(DRAFT));

/** Opens new orders, all at once; returns how many were opened. */
const flood = async (world: RelayObjects, count: number, addressOf: (time: number) => string) => {
  const orders = await Promise.all(Array.from({ length: count }, () => order(world)));
  const answers = await Promise.all(
    orders.map(({ orderId, orderSecret }, time) =>
      world.exchange(orderId, orderSecret, addressOf(time)),
    ),
  );
  const opened = answers.filter(({ status }) => status === 200);
  expect(answers.filter(({ status }) => status === 429)).to.have.length(count - opened.length);
  return opened.length;
};

/** Opens the order's page and pays: each within two seconds. */
const expectServed = async (
  world: RelayObjects,
  { orderId, orderSecret }: { readonly orderId: string; readonly orderSecret: string },
) => {
  const { sandbox } = world;
  const begun = sandbox.clock.now();
  const opened = await world.exchange(orderId, orderSecret, '192.0.2.200');
  expect(opened.status).to.equal(200);
  const { invoiceId } = opened.body;
  expect((await world.ask(invoiceId, 'POST', '/quote', '192.0.2.200')).status).to.equal(200);
  expect(sandbox.clock.now() - begun).to.be.at.most(2 * SECOND);
  const log = record(watchInvoice(world.page(invoiceId).client, invoiceId));
  await sandbox.advance(2 * SECOND);
  expect(log.values.at(-1)).to.deep.include({ freshness: 'live' });
  await world.pay({ invoiceId } as Invoice);
  await sandbox.advance(2 * SECOND);
  expect(log.values.at(-1)!.value.state).to.equal('PAID');
};

describe('a flood of orders', () => {
  it('from one address takes a third of the share, and a new customer is served within two seconds', async () => {
    const world = openObjects(undefined, HOOKED);
    expect(await flood(world, 300, () => '192.0.2.7')).to.equal(66);
    await expectServed(world, await order(world));
    expect(world.sandbox.blocks).to.equal(0);
  });

  it('of 200 customers at once, as when a sale starts, is served within five seconds', async () => {
    const world = openObjects(undefined, HOOKED);
    const begun = world.sandbox.clock.now();
    expect(await flood(world, 200, (time) => `198.51.100.${time}`)).to.equal(200);
    expect(world.sandbox.clock.now() - begun).to.be.at.most(5 * SECOND);
    expect(world.sandbox.blocks).to.equal(0);
  });

  it('from a thousand addresses leaves who has an order served within two seconds, and new ones a minute later', async () => {
    const world = openObjects(undefined, HOOKED);
    const early = await order(world);
    await world.exchange(early.orderId, early.orderSecret, '192.0.2.200');
    const address = (time: number) => `198.51.${100 + (time >> 8)}.${time % 256}`;
    expect(await flood(world, 1_000, address)).to.be.within(190, 200);
    await expectServed(world, early);
    await world.sandbox.advance(MINUTE + 10 * SECOND);
    await expectServed(world, await order(world));
    expect(world.sandbox.blocks).to.equal(0);
  });
});

describe('a page that finds the share of all pages spent', () => {
  it('is given what checks have read for all, or told to come back when they have', async () => {
    const world = openObjects(undefined, HOOKED);
    const { sandbox, account, ask } = world;
    const { invoiceId } = await world.invoice();
    await world.line(invoiceId);
    await sandbox.advance(3 * MINUTE);
    account.evict(); // what its looks have seen lately is forgotten
    account.loseAlarm();
    await sandbox.advance(50 * SECOND);
    const wait = async (id: string, end = '') => {
      const { status, headers } = await ask(id, 'GET', end);
      return status === 429 ? Number(headers.get('retry-after')) : undefined;
    };
    for (let time = 0; (await wait(`not-there-${time}`)) === undefined; time++)
      expect(time).to.be.below(100);
    expect(await wait('not-there')).to.be.above(60);
    expect(await wait(invoiceId, '?includeTransactions=true')).to.be.above(60);
    expect(await wait(invoiceId)).to.equal(undefined); // a check has read it for all
    const end = sandbox.fault({ action: { status: 422, code: 'INVALID_DATA' } });
    await sandbox.advance(40 * SECOND);
    expect(await wait(invoiceId)).to.be.within(1, 30);
    end();
    await sandbox.advance(30 * SECOND);
    expect(await wait(invoiceId)).to.equal(undefined);
  });
});

describe('a visitor with ten orders who asks every thirteen seconds', () => {
  it('gets the shop blocked in no ten minutes, with deploys in between, and others are served', async () => {
    const world = openObjects(undefined, HOOKED);
    const { sandbox, account } = world;
    const invoiceIds: string[] = [];
    for (let count = 0; count < 10; count++) {
      const { orderId, orderSecret } = await order(world);
      const { body } = await world.exchange(orderId, orderSecret, '192.0.2.7');
      invoiceIds.push(body.invoiceId);
    }
    const statuses = new Set<number>();
    for (let round = 0; round < 46; round++) {
      for (const id of invoiceIds)
        for (const [method, end] of [
          ['GET', '?includeTransactions=true'],
          ['POST', '/quote'],
        ] as const)
          statuses.add((await world.ask(id, method, end, '192.0.2.7')).status);
      await sandbox.advance(13 * SECOND);
      account.evict(); // as a deploy does, and a sleep
      if (round % 15 === 14) await expectServed(world, await order(world));
    }
    expect([...statuses].sort()).to.deep.equal([200, 429]);
    expect(sandbox.blocks).to.equal(0);
  });
});
