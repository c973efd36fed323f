// Protects: the relay's promises that take minutes and days, on real SQLite in virtual time.
import { expect } from 'chai';
import { describe, it } from '#test';
import { createClient, InputError, type Invoice } from 'paystate';
import type { AccountObject } from 'paystate/relay';
import { altered } from '../unit/state/shop.ts';
import { openObjects, openReplica, type PageLine, type RelayObjects } from './relay-objects.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DRAFT = { amount: { amount: '7.20', currency: 'EUR' }, description: 'Two cups' };

const SECRETS = { secrets: 'a secret for the webhooks of tests' };
const HOOKED = { ...SECRETS, webhookUrl: 'https://shop.example/hooks/main' };

/** A paid invoice as pages see it, and a replica of the service that may show another state of it. */
const openPaid = async () => {
  const world = openReplica();
  const made = await world.invoice();
  await world.pay(made);
  const state = async (): Promise<string> => (await world.ask(made.invoiceId, 'GET')).body.state;
  expect(await state()).to.equal('PAID');
  return { ...world, invoiceId: made.invoiceId, state };
};

const stateOf = (line: PageLine): string | undefined => line.received().at(-1)?.value?.state;

describe("an order's secret", () => {
  it('opens its invoice for two days, and nothing after them', async () => {
    const { relay, sandbox, exchange } = openObjects();
    const { run } = sandbox;
    const [early, never] = [
      await run(relay.createOrder(DRAFT)),
      await run(relay.createOrder(DRAFT)),
    ];
    const opened = await exchange(early.orderId, early.orderSecret);
    expect(opened.status).to.equal(200);
    await sandbox.advance(47 * HOUR);
    const again = await exchange(early.orderId, early.orderSecret);
    expect([again.status, again.body.invoiceId]).to.deep.equal([200, opened.body.invoiceId]);
    await sandbox.advance(90 * MINUTE);
    for (const { orderId, orderSecret } of [early, never]) {
      const { status, body } = await exchange(orderId, orderSecret);
      expect([status, body.data.code]).to.deep.equal([401, 'UNAUTHORIZED']);
    }
  });

  it('makes one call where many pages open it at once', async () => {
    const { relay, sandbox, exchange, requests } = openObjects();
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
    sandbox.fault({ action: { delay: 500, processed: true } });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => exchange(orderId, orderSecret)),
    );
    expect(new Set(answers.map(({ body }) => body.invoiceId)).size).to.equal(1);
    expect(requests().filter((one) => one === 'POST /v1/invoices')).to.have.length(1);
  });
});

describe("an order under the shop's own number", () => {
  const own = { orderId: 'QK-1', orderSecret: '0123456789abcdef'.repeat(2) };

  it('is one order however often it is created, and never another one', async () => {
    const { relay, sandbox, exchange, requests } = openObjects();
    const { run } = sandbox;
    let made = own;
    for (let count = 0; count < 3; count++) {
      const again = await run(relay.createOrder(DRAFT, own));
      expect(again.orderId).to.equal(own.orderId);
      if (count > 0) expect(again, 'with the same seal').to.deep.equal(made);
      made = again;
      await sandbox.advance(10_000);
    }
    const dear = { ...DRAFT, amount: { amount: '700.00', currency: 'EUR' } };
    const foreign = { ...own, orderSecret: 'f'.repeat(32) };
    for (const [draft, given] of [
      [dear, own],
      [DRAFT, foreign],
    ] as const) {
      const refused = await run(relay.createOrder(draft, given)).catch((error: Error) => error);
      expect(refused).to.be.an('error');
    }
    expect((await exchange(own.orderId, made.orderSecret)).status).to.equal(200);
    expect((await exchange(own.orderId, foreign.orderSecret)).status).to.equal(401);
    expect(requests().filter((one) => one === 'POST /v1/invoices')).to.have.length(1);
  });

  it('is refused where the secret could be guessed, or the number is too long', async () => {
    const { relay, sandbox } = openObjects();
    for (const wrong of [{ orderSecret: 'short' }, { orderId: 'x'.repeat(41) }])
      expect(
        await sandbox.run(relay.createOrder(DRAFT, wrong)).catch((error: Error) => error),
      ).to.be.instanceOf(InputError);
  });
});

describe('orders that nobody opens', () => {
  it('are forgotten when they are over, and those that were opened are kept', async () => {
    const { relay, sandbox, account, exchange } = openObjects();
    for (let made = 0; made < 20; made++) await sandbox.run(relay.createOrder(DRAFT));
    const opened = await sandbox.run(relay.createOrder(DRAFT));
    await exchange(opened.orderId, opened.orderSecret);
    const orders = () => account.rows('SELECT order_id FROM paystate_order');
    await sandbox.advance(47 * HOUR);
    expect(orders()).to.have.length(21);
    await sandbox.advance(2 * HOUR);
    expect(orders()).to.deep.equal([{ order_id: opened.orderId }]);
  });

  it('are not forgotten where only the response to the creation of their invoice was lost', async () => {
    const shipped: string[] = [];
    const { relay, sandbox, exchange, client } = openObjects(undefined, {
      ...HOOKED,
      on: { orderPaid: ({ orderId }) => void shipped.push(orderId) },
    });
    const endFault = sandbox.fault({
      method: 'POST',
      path: '/v1/invoices',
      action: 'lost-after',
    });
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
    expect((await exchange(orderId, orderSecret)).status).not.to.equal(200);
    endFault();
    await sandbox.advance(60 * HOUR);
    const [made] = await sandbox.run(
      client.invoices.list({ correlationId: orderId }).toArray({ limit: 1 }),
    );
    await sandbox.payer.pay(made!.invoiceId);
    await sandbox.advance(HOUR);
    expect(shipped).to.deep.equal([orderId]);
  });
});

describe('an order that no invoice can be made for', () => {
  it('is refused when it is made, and nothing is kept', async () => {
    const { relay, account } = openObjects();
    for (const draft of [undefined, null, 7, {}, { amount: { amount: 'x', currency: 'EUR' } }]) {
      const made = await relay.createOrder(draft as never).catch((thrown: unknown) => thrown);
      expect(made).to.be.instanceOf(InputError);
    }
    expect(() => account.rows('SELECT * FROM paystate_order')).to.throw('no such table');
  });
});

describe('pages of one invoice', () => {
  it('that ask at once make one read and one quote', async () => {
    const { ask, invoice, requests, sandbox } = openObjects();
    const { invoiceId } = await invoice();
    sandbox.fault({ action: { delay: 500, processed: true } });
    const looks = await Promise.all(Array.from({ length: 5 }, () => ask(invoiceId, 'GET')));
    expect(looks.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200]);
    expect(requests().filter((one) => one.startsWith('GET'))).to.have.length(1);
    const codes = await Promise.all(
      Array.from({ length: 5 }, () => ask(invoiceId, 'POST', '/quote')),
    );
    expect(new Set(codes.map(({ body }) => body.lnInvoice)).size).to.equal(1);
    expect(requests().filter((one) => one.startsWith('POST'))).to.have.length(1);
  });

  it('get a code as soon as the service gives one, whatever it said before', async () => {
    const { ask, invoice, sandbox } = openObjects();
    const { invoiceId } = await invoice();
    const endFault = sandbox.fault({
      method: 'POST',
      action: { status: 422, code: 'LN_UNAVAILABLE' },
    });
    expect((await ask(invoiceId, 'POST', '/quote')).status).not.to.equal(200);
    endFault();
    const { status, body } = await ask(invoiceId, 'POST', '/quote');
    expect([status, typeof body.lnInvoice]).to.deep.equal([200, 'string']);
  });

  it('are not told that a payment is undone by a replica that is behind', async () => {
    let isBehind = false;
    const { ask, invoice, pay, sandbox, requests } = openObjects(async (url, send) => {
      const answer = await send();
      return isBehind && /\/v1\/invoices\/[^/]+$/.test(url)
        ? altered(answer, (given: Invoice) => ({ ...given, state: 'UNPAID' }))
        : answer;
    });
    const made = await invoice();
    await pay(made);
    const state = async (): Promise<string> => (await ask(made.invoiceId, 'GET')).body.state;
    expect(await state()).to.equal('PAID');
    isBehind = true;
    requests();
    for (let look = 0; look < 4; look++) {
      await sandbox.advance(5_000);
      expect(await state()).to.equal('PAID');
    }
    expect(requests().length).to.be.at.least(3);
  });

  it('are told of a state that this version does not know at once, and it is not taken back by a replica that is behind', async () => {
    const { replica, sandbox, account, state } = await openPaid();
    replica.shows = 'HELD';
    await sandbox.advance(5_000);
    expect(await state()).to.equal('HELD');
    replica.shows = undefined;
    for (let read = 0; read < 4; read++) {
      await sandbox.advance(5_000);
      account.evict(); // what decides is kept
      expect(await state()).to.equal('HELD');
    }
    await sandbox.advance(30_000);
    expect(await state()).to.equal('PAID');
  });

  it('keep a state that this version does not know also where the account object forgot in between what it watched', async () => {
    const world = await openPaid();
    const { replica, sandbox, account } = world;
    const page = await world.line(world.invoiceId);
    replica.shows = 'HELD';
    await sandbox.advance(6_000);
    expect(await world.state()).to.equal('HELD'); // a page without a socket asks
    await sandbox.advance(1_000);
    expect(stateOf(page)).to.equal('HELD');
    replica.shows = undefined; // a copy of the data that is behind
    for (let look = 0; look < 4; look++) {
      account.evict();
      await sandbox.run(account.living.alarm());
      await sandbox.advance(5_000);
      expect([stateOf(page), await world.state()], String(look)).to.deep.equal(['HELD', 'HELD']);
    }
    await sandbox.advance(30_000);
    expect(stateOf(page)).to.equal('PAID');
  });

  it('are told that a state went back when two reads say so that no lag explains', async () => {
    const { replica, sandbox, account, state } = await openPaid();
    await sandbox.advance(40_000);
    replica.shows = 'UNPAID';
    expect(await state()).to.equal('PAID'); // one read is no proof
    account.evict();
    await sandbox.advance(10_000);
    expect(await state()).to.equal('UNPAID');
  });

  it('hear of a payment also after the account has lost what it knew', async () => {
    const { invoice, line, pay, account, sandbox } = openObjects();
    const made = await invoice();
    const page = await line(made.invoiceId);
    expect(stateOf(page)).to.equal('UNPAID');
    const { seq, epoch } = page.received().at(-1)!;
    account.wipe();
    await pay(made);
    await sandbox.advance(3 * MINUTE);
    expect(stateOf(page)).to.equal('PAID');
    expect(page.received().at(-1)!.seq).to.be.above(seq);
    expect(page.received().at(-1)!.epoch).to.equal(epoch);
  });

  it('cannot use up what all have: one that asks without end leaves the others theirs', async () => {
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/quote'],
    ] as const) {
      const { ask, invoice, requests } = openObjects();
      const { invoiceId } = await invoice();
      let refused = 0;
      for (let time = 0; time < 400; time++)
        if ((await ask('not-there', method, end)).status === 429) refused++;
      expect(requests().length, method).to.be.at.most(60);
      expect(refused, method).to.be.at.least(300);
      expect((await ask(invoiceId, method, end)).status, method).to.equal(200);
    }
  });

  for (const [what, method, end, share] of [
    ['reads', 'GET', '', 100],
    ['codes', 'POST', '/quote', 66],
  ] as const)
    it(`leave each other their ${what}: one address with many orders uses up a third of what all have`, async () => {
      const { ask, invoice, requests } = openObjects();
      const { invoiceId } = await invoice();
      const served = async (addressOf: (time: number) => string): Promise<number> => {
        requests();
        for (let time = 0; time < share + 30; time++)
          await ask(
            `not-there-${addressOf(0)}-${time}`.replaceAll(/[:.]/g, ''),
            method,
            end,
            addressOf(time),
          );
        return requests().length;
      };
      expect(await served(() => '192.0.2.7')).to.equal(share);
      const inOneNetwork = (time: number) => `2001:db8:0:7::${time.toString(16)}`;
      expect(await served(inOneNetwork), 'one network of IPv6').to.equal(share);
      expect((await ask(invoiceId, method, end, '2001:db8:0:8::1')).status).to.equal(200);
    });

  it('without sockets are served by the watch of all, however often they ask', async () => {
    const { ask, invoice, requests, sandbox } = openObjects();
    const orders = [await invoice(), await invoice(), await invoice(), await invoice()];
    for (const { invoiceId } of orders) await ask(invoiceId, 'GET');
    await sandbox.advance(3_000);
    requests();
    for (let time = 0; time < 600; time++) {
      for (const { invoiceId } of orders)
        expect((await ask(invoiceId, 'GET')).status).to.equal(200);
      await sandbox.advance(1_000);
    }
    expect(requests().length).to.be.below(330); // one list in two seconds, not one read for each
  });

  it('do not keep an invoice in view that the service refuses', async () => {
    const { account, sandbox, requests } = openObjects();
    await sandbox.run(account.ask('follow', { invoiceId: 'not-there' }));
    await sandbox.advance(3 * MINUTE); // no page says any more that it shows it
    expect(requests().length).to.be.within(1, 8);
    await sandbox.advance(10 * MINUTE);
    expect(requests()).to.deep.equal([]);
  });
});

describe('an account object with an address for webhooks', () => {
  it('subscribes to what its handlers are for, and to invoices', async () => {
    const { account, sandbox, client } = openObjects(undefined, {
      ...SECRETS,
      webhookUrl: 'https://shop.example/hooks/main',
      on: {
        payoutFailed: () => {},
        receiveCompleted: () => {},
        event: { 'deposit.updated': () => {} },
      },
    });
    await sandbox.run(account.ask('follow', { invoiceId: 'not-there' }));
    await sandbox.advance(10_000);
    const [subscription] = await sandbox.run(client.subscriptions.list());
    expect([...subscription!.eventTypes].sort()).to.deep.equal([
      'deposit.updated',
      'invoice.created',
      'invoice.updated',
      'payout.created',
      'payout.updated',
      'receive-request.receive-completed',
      'receive-request.receive-pending',
    ]);
  });
});

describe('an account object that ships orders', () => {
  it('reads no new invoice of a stranger, whoever reports it', async () => {
    const { relay, sandbox, client, exchange, requests } = openObjects(undefined, {
      ...HOOKED,
      on: { orderPaid: () => {} },
    });
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
    await exchange(orderId, orderSecret);
    await sandbox.advance(10 * MINUTE);
    for (let left = 20; left > 0; left--) await sandbox.run(client.invoices.create(DRAFT));
    requests();
    await sandbox.advance(6 * MINUTE);
    const asked = requests().filter((one) => !one.includes('events'));
    expect(asked).to.deep.equal([]);
  });
});

describe('an account object whose handler fails for a day', () => {
  it('runs it again when it is asked to, also after it was put out of memory', async () => {
    let isBroken = true;
    const shipped: string[] = [];
    const { relay, account, sandbox, exchange } = openObjects(undefined, {
      ...HOOKED,
      on: {
        orderPaid({ orderId }) {
          if (isBroken) throw new Error('the parcel service is down');
          shipped.push(orderId);
        },
      },
    });
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
    const { body } = await exchange(orderId, orderSecret);
    await sandbox.payer.pay(body.invoiceId);
    await sandbox.advance(30 * HOUR);
    const inbox = () => (account.living as AccountObject).inbox!;
    expect(await inbox().status()).to.include({ open: 0, deadLetters: 1 });
    isBroken = false;
    account.evict();
    account.loseAlarm();
    const [letter] = await inbox().deadLetters();
    expect(letter!.key).to.equal(`invoice:${body.invoiceId}:PAID`);
    expect(await inbox().redeliver(letter!.key)).to.equal(true);
    account.evict(); // before it could begin
    await sandbox.advance(2 * MINUTE);
    expect(shipped).to.deep.equal([orderId]);
    expect(await inbox().status()).to.include({ open: 0, deadLetters: 0 });
  });
});

describe('an account object and invoices that strangers make without end', () => {
  it('ships an order within seconds, and reads theirs last', async () => {
    const shipped: number[] = [];
    const { relay, account, sandbox, exchange } = openObjects(undefined, {
      ...HOOKED,
      on: { orderPaid: () => void shipped.push(sandbox.clock.now()) },
    });
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
    const { body } = await exchange(orderId, orderSecret);
    await sandbox.advance(MINUTE);
    for (let part = 1; part <= 5; part++) {
      const stranger = createClient(sandbox.clientOptionsFor({ address: `198.51.100.${part}` }));
      for (let each = 0; each < 200; each++) {
        await sandbox.run(stranger.invoices.create(DRAFT));
        await sandbox.advance(60);
      }
    }
    const before = sandbox.clock.now();
    await sandbox.payer.pay(body.invoiceId);
    await sandbox.advance(10_000);
    expect(shipped).to.have.length(1);
    expect(shipped[0]! - before).to.be.at.most(5_000);
    expect(await sandbox.run((account.living as AccountObject).inbox!.status())).to.include({
      deadLetters: 0,
    });
  });
});

describe('an account object that was put out of memory', () => {
  it('asks the service nothing for a delivery that is not signed, and sets no alarm for it', async () => {
    const { account, sandbox, requests } = openObjects(undefined, HOOKED);
    for (let time = 0; time < 3; time++) {
      const { status } = await sandbox.run(account.ask('webhook', { id: 'event' }));
      expect(status).to.equal(401);
      expect(account.alarmAt).to.equal(null);
      await sandbox.advance(10 * MINUTE);
      account.evict();
    }
    expect(requests()).to.deep.equal([]);
  });

  it('leaves its subscription as an operator has changed it for a day, but not a secret that is new', async () => {
    const options = { ...HOOKED };
    const { account, sandbox, client } = openObjects(undefined, options);
    const begin = async () => {
      account.evict();
      await sandbox.run(account.ask('follow', { invoiceId: 'not-there' }));
      await sandbox.advance(5_000);
      return (await sandbox.run(client.subscriptions.list()))[0]!;
    };
    const { id, enabled } = await begin();
    expect(enabled).to.equal(true);
    const turnOff = () => sandbox.run(client.subscriptions.update(id, { enabled: false }));
    await turnOff();
    expect((await begin()).enabled).to.equal(false);
    await sandbox.advance(24 * HOUR);
    expect((await begin()).enabled).to.equal(true);
    await turnOff();
    options.secrets = 'another secret for the webhooks of tests';
    expect((await begin()).enabled).to.equal(true);
  });
});

describe('an account object without a secret for webhooks', () => {
  it('handles what the event feed brings, and answers deliveries so that they come again', async () => {
    const paid: string[] = [];
    const { account, relay, sandbox, exchange, pay, client } = openObjects(undefined, {
      on: { orderPaid: ({ orderId }) => void paid.push(orderId) },
    });
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder(DRAFT));
    const { body } = await exchange(orderId, orderSecret);
    await pay(await sandbox.run(client.invoices.get(body.invoiceId)));
    const delivery = await sandbox.run(account.ask('webhook', { id: 'event' }));
    expect([delivery.status, paid]).to.deep.equal([503, []]);
    await sandbox.advance(6 * MINUTE);
    expect(paid).to.deep.equal([orderId]);
  });

  it('reads no feed where nothing handles it', async () => {
    const { account, invoice, sandbox, requests } = openObjects();
    await sandbox.run(account.ask('read', { invoiceId: (await invoice()).invoiceId }));
    requests();
    await sandbox.advance(20 * MINUTE);
    expect(requests().filter((one) => one.includes('/events'))).to.deep.equal([]);
  });
});

describe('a room that does not answer', () => {
  it('keeps no other room from being told, and is told the newest when it answers', async () => {
    const world = openObjects();
    const { invoice, line, pay, sandbox, room } = world;
    const [slow, other] = [await invoice(), await invoice()];
    const [slowPage, page] = [await line(slow.invoiceId), await line(other.invoiceId)];
    const { living } = room(slow.invoiceId);
    const fetch = living.fetch.bind(living);
    living.fetch = async (request) => {
      await sandbox.clock.wait(30_000);
      return fetch(request);
    };
    await pay(slow);
    await sandbox.advance(5_000);
    await pay(other);
    await sandbox.advance(5_000);
    expect([stateOf(slowPage), stateOf(page)]).to.deep.equal(['UNPAID', 'PAID']);
    await sandbox.advance(MINUTE);
    expect(stateOf(slowPage)).to.equal('PAID');
  });
});

describe('an account object whose database fails', () => {
  const errors = (world: RelayObjects): readonly string[] =>
    world.problems.map((problem) => (problem.kind === 'store-failed' ? String(problem.error) : ''));

  it('reports that it cannot note what rooms have, and sends it again later', async () => {
    const world = openObjects();
    const { invoice, line, pay, account, sandbox } = world;
    const made = await invoice();
    const page = await line(made.invoiceId);
    account.refuses = /SET told/;
    await pay(made);
    await sandbox.advance(30_000);
    expect(new Set(errors(world))).to.deep.equal(new Set(['Error: disk full']));
    expect(stateOf(page)).to.equal('PAID');
    const told =
      'SELECT told FROM paystate_follow WHERE told > 0 AND told >= (SELECT max(version) FROM paystate_invoice)';
    expect(account.rows(told)).to.have.length(0);
    account.refuses = undefined;
    await sandbox.advance(MINUTE);
    expect(account.rows(told)).to.have.length(1);
  });

  it('reports that it cannot process what waits, and goes on with the next alarm', async () => {
    const world = openObjects(undefined, SECRETS);
    const { account, sandbox, invoice, pay } = world;
    account.refuses = /UPDATE paystate_subject/;
    await pay(await invoice());
    await sandbox.run(account.ask('follow', { invoiceId: (await invoice()).invoiceId }));
    await sandbox.advance(10_000);
    expect(new Set(errors(world))).to.deep.equal(new Set(['Error: disk full']));
    const before = world.problems.length;
    account.refuses = undefined;
    await sandbox.advance(5 * MINUTE);
    expect(world.problems.length).to.equal(before);
  });

  it('says nothing of a service that does not answer: the feed is read later', async () => {
    const world = openObjects(undefined, SECRETS);
    const { account, sandbox, invoice } = world;
    const { invoiceId } = await invoice();
    const fault = sandbox.fault({ action: { status: 503, code: 'SERVICE_UNAVAILABLE' } });
    await sandbox.run(account.ask('follow', { invoiceId }));
    await sandbox.advance(5 * MINUTE);
    fault();
    expect(world.problems).to.deep.equal([]);
  });
});

describe("a page's socket", () => {
  it('is closed when its token is over, though nothing happens', async () => {
    const { invoice, line, sandbox } = openObjects();
    const page = await line((await invoice()).invoiceId);
    await sandbox.advance(14 * MINUTE);
    expect(page.closedWith()).to.equal(undefined);
    await sandbox.advance(3 * MINUTE);
    expect(page.closedWith()).to.equal(4401);
  });

  it('is told nothing after its token is over, also where the alarm was lost that closes it', async () => {
    const { invoice, line, pay, room, sandbox } = openObjects();
    const made = await invoice();
    const page = await line(made.invoiceId);
    await sandbox.advance(14 * MINUTE);
    room(made.invoiceId).loseAlarm(Infinity);
    await sandbox.advance(2 * MINUTE);
    expect(page.closedWith()).to.equal(undefined);
    await pay(made);
    await sandbox.advance(40_000);
    expect([stateOf(page), page.closedWith()]).to.deep.equal(['UNPAID', 4401]);
  });

  it('lives on with a new token for its invoice, and ends with one for another, which it never hears of', async () => {
    const { invoice, line, pay, sandbox, token } = openObjects();
    const [made, other] = [await invoice(), await invoice()];
    const [renewed, wrong] = [await line(made.invoiceId), await line(made.invoiceId)];
    await sandbox.advance(10 * MINUTE);
    await renewed.say({ token: await token(made.invoiceId) });
    await wrong.say({ token: await token(other.invoiceId) });
    expect([renewed.closedWith(), wrong.closedWith()]).to.deep.equal([undefined, 4401]);
    await sandbox.advance(10 * MINUTE);
    await pay(made);
    await sandbox.advance(MINUTE);
    expect([stateOf(renewed), renewed.closedWith(), stateOf(wrong)]).to.deep.equal([
      'PAID',
      undefined,
      'UNPAID',
    ]);
  });
});

describe('a room whose pages ask for too much', () => {
  it('has a thousand sockets and refuses more, which read without one', async () => {
    const { account, invoice, line, ask, pay, room, requests, sandbox } = openObjects(
      undefined,
      HOOKED,
    );
    const first = await invoice();
    await sandbox.run(account.ask('follow', { invoiceId: first.invoiceId }));
    await sandbox.advance(1_000);
    await pay(first); // webhooks come
    const { invoiceId } = await invoice();
    await sandbox.advance(1_000);
    requests();
    const exp = Math.floor(sandbox.clock.now() / 1_000) + 900;
    const claims = JSON.stringify({ sub: invoiceId, verbs: ['live'], exp });
    const headers = { upgrade: 'websocket', 'paystate-claims': claims };
    const opened = Array.from({ length: 1_000 }, () =>
      room(invoiceId).living.fetch(new Request('https://object/live', { headers })),
    );
    await sandbox.run(Promise.all(opened));
    await sandbox.advance(1_000);
    const reads = requests().filter((one) => one.startsWith('GET /v1/invoices'));
    expect(reads.length).to.be.within(1, 2); // for all of them, and of its watch
    const refused = await line(invoiceId).catch((error: Error) => error.message);
    expect(refused).to.equal('no socket: 429');
    expect((await ask(invoiceId, 'GET')).status).to.equal(200);
  });

  it('closes a socket that sends what no page sends', async () => {
    const { invoice, line } = openObjects();
    const page = await line((await invoice()).invoiceId);
    await page.say('x'.repeat(20_000));
    expect(page.closedWith()).to.equal(undefined);
    await page.say('x'.repeat(70_000));
    expect(page.closedWith()).to.equal(1009);
  });
});

describe("an object's alarm", () => {
  it('is set again by the next request, whether it was lost or stands at a time that has gone by', async () => {
    const { account, invoice, room, sandbox } = openObjects();
    const made = await invoice();
    const { invoiceId } = made;
    const shown = { epoch: 'test', version: 1, asOf: 0, seenFor: 0, value: made };
    const body = { invoiceId, shown };
    for (const [box, call] of [
      [account, 'read'],
      [room(invoiceId), 'update'],
    ] as const)
      for (const lost of [null, -10 * MINUTE]) {
        await sandbox.run(box.ask(call, body));
        expect(box.alarmAt).to.be.a('number');
        box.loseAlarm(lost === null ? lost : sandbox.clock.now() + lost);
        box.evict();
        const now = sandbox.clock.now();
        await sandbox.run(box.ask(call, body));
        expect(box.alarmAt! - now, `${call} ${lost}`).to.be.within(1, MINUTE + 1_000);
      }
  });
});
