// Protects: how often a relay asks a service that is away, what a page without a socket and one that was away for long are told,
// what leaves a broken database, and who is called for a paid order; on real SQLite in virtual time.
import { expect } from 'chai';
import type { Invoice } from 'paystate';
import { describe, it } from '#test';
import { altered } from '../unit/state/shop.ts';
import { openObjects, type RelayObjects } from './relay-objects.ts';

const MINUTE = 60_000;
const AMOUNT = { amount: '7.20', currency: 'EUR' };
const HOOKED = {
  secrets: 'a secret for the webhooks of tests',
  webhookUrl: 'https://shop.example/hooks/main',
};
const AWAY = { action: { status: 503, code: 'SERVICE_UNAVAILABLE' } } as const;

/** Objects of a service that was away for 2.5 s, of which one request has heard; asks for codes. */
const openAfterOutage = async () => {
  const world = openObjects();
  const { sandbox, account } = world;
  const { invoiceId } = await world.invoice();
  const ask = (id = invoiceId) => sandbox.run(account.ask('quote', { invoiceId: id }));
  const end = sandbox.fault(AWAY);
  await ask();
  await sandbox.advance(2_500);
  end();
  return { world, ask };
};

/** Asks by these means each half second, once at a time; gives the seconds at which the service was asked. */
const askedAt = async (world: RelayObjects, seconds: number, ask: () => Promise<unknown>) => {
  const { sandbox } = world;
  const from = sandbox.clock.now();
  const before = world.sent.length;
  let isAsking = false;
  for (let half = 0; half < 2 * seconds; half++) {
    if (!isAsking) void ask().finally(() => (isAsking = false));
    isAsking = true;
    await sandbox.advance(500);
  }
  const times = world.sent.slice(before).filter(({ path }) => !path.endsWith('/events'));
  return times.map(({ sentAt }) => Math.floor((sentAt - from) / 1_000));
};

describe('a relay whose service is away', () => {
  it('asks for pages once after 2, 4, 8 and up to 30 seconds, and anew after the service was back', async () => {
    const world = openObjects();
    const { sandbox, account } = world;
    const { invoiceId } = await world.invoice();
    const ask = () => account.ask('read', { invoiceId, includeTransactions: true });
    // a service that is well leaves nothing to be written, nor does one that says no
    await sandbox.run(ask());
    await sandbox.run(account.ask('read', { invoiceId: 'not-there' }));
    const notes = () => account.rows("SELECT * FROM paystate_note WHERE name = 'outage'");
    expect(notes()).to.deep.equal([]);
    for (let round = 0; round < 2; round++) {
      await sandbox.advance(MINUTE); // what was read a moment ago is given again
      const end = sandbox.fault(AWAY);
      const times = await askedAt(world, 100, ask);
      const [first, ...later] = [...new Set(times)];
      expect(first).to.equal(0);
      // the first call tries three times by itself
      expect(times.filter((at) => at < 3)).to.have.length(3);
      const waits = later
        .filter((at) => at >= 3)
        .map((at, index, all) => at - (all[index - 1] ?? 0));
      expect(waits.slice(1)).to.deep.equal([4, 8, 16, 30, 30].slice(0, waits.length - 1));
      expect(waits.length).to.be.above(4);
      end();
      await sandbox.advance(MINUTE);
      expect((await sandbox.run(ask())).status).to.equal(200);
    }
  });

  it('lets one request find out whether it is back, and refuses the others with the time to wait', async () => {
    const { world, ask } = await openAfterOutage();
    const { sandbox } = world;
    world.requests();
    sandbox.fault({ action: { delay: 1_000, processed: true } });
    const answers = await Promise.all([ask(), ask(), ask(), ask('not-there')]);
    // those of the same invoice are given its code
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 503]);
    const refusal = (await answers[3]!.json()) as { readonly wait: number };
    expect(refusal.wait).to.be.within(1, 2_000);
    const asked = world.requests().map((one) => one.split(' ')[0]);
    expect(asked).to.deep.equal(['GET', 'POST']);
    expect((await ask()).status).to.equal(200);
  });

  it('knows that it is back where it says no', async () => {
    const { ask } = await openAfterOutage();
    expect((await ask('not-there')).status).to.equal(404);
    expect((await ask()).status).to.equal(200);
  });

  it('blocks its pages for a minute, and no hour, where a proxy says that there are too many requests', async () => {
    const world = openObjects();
    const { sandbox, account } = world;
    const { invoiceId } = await world.invoice();
    const end = sandbox.fault({ action: { status: 429, html: '<h1>Too many requests</h1>' } });
    const answer = await sandbox.run(account.ask('quote', { invoiceId }));
    const { code, wait = 0 } = (await answer.json()) as { readonly code: string; wait?: number };
    expect([answer.status, code]).to.deep.equal([429, 'RATE_LIMIT_EXCEEDED']);
    expect(wait).to.be.within(MINUTE - 1_000, MINUTE);
    end();
    await sandbox.advance(MINUTE);
    expect((await sandbox.run(account.ask('quote', { invoiceId }))).status).to.equal(200);
  });
});

describe('an account object whose database fails', () => {
  it('answers with a code, and with nothing of what the database says', async () => {
    const { account, sandbox, invoice } = openObjects();
    const { invoiceId } = await invoice();
    await sandbox.run(account.ask('follow', { invoiceId }));
    account.refuses = /INSERT|UPDATE/;
    const answer = await sandbox.run(account.ask('create-order', { orderId: 'a', draft: {} }));
    const text = await answer.text();
    expect([answer.status, (JSON.parse(text) as { readonly code: string }).code]).to.deep.equal([
      503,
      'SERVICE_UNAVAILABLE',
    ]);
    expect(text).not.to.include('disk');
  });
});

describe('a page of a relay', () => {
  it('that reads without a socket has its invoice watched for half a minute, and no longer', async () => {
    const world = openObjects();
    const { invoiceId } = await world.invoice();
    expect((await world.ask(invoiceId, 'GET')).status).to.equal(200);
    world.requests();
    await world.sandbox.advance(25_000);
    const during = world.requests().filter((one) => !one.endsWith('/events'));
    expect(during.length).to.be.above(5);
    await world.sandbox.advance(90_000);
    world.requests();
    await world.sandbox.advance(2 * MINUTE);
    expect(world.requests().filter((one) => !one.endsWith('/events'))).to.deep.equal([]);
  });

  it('that has missed something is given all that is known, by one message', async () => {
    const world = openObjects();
    const { sandbox } = world;
    const made = await world.invoice();
    const page = await world.line(made.invoiceId);
    const { epoch, seq, value } = page.received().at(-1)!;
    const room = world.room(made.invoiceId);
    for (let number = 1; number <= 70; number++) {
      const asOf = sandbox.clock.now() + number;
      const shown = { epoch: 'test', version: number, asOf, seenFor: 0, value };
      await sandbox.run(room.ask('update', { invoiceId: made.invoiceId, shown }));
    }
    const newest = page.received().at(-1)!.seq;
    expect(newest).to.equal(seq + 70);
    // the platform answers a beat with the newest number, without the room
    expect(room.pong).to.match(new RegExp(`^pong:${epoch}:${newest}:\\d+$`));
    for (const from of [seq, newest - 2, newest]) {
      const before = page.received().length;
      await page.say({ resume: { epoch, seq: from } });
      expect(page.received().slice(before)).to.have.length(1);
      expect(page.received().at(-1)).to.include({ epoch, seq: newest });
    }
  });

  it('that comes later is given the code with what is left of it, and none that has ended', async () => {
    const world = openObjects(undefined, {}, true);
    const { invoiceId } = await world.invoice();
    const { body } = await world.ask(invoiceId, 'POST', '/quote');
    const validity = body.expirationInSec;
    await world.sandbox.advance(20_000);
    const left = async () => {
      const page = await world.line(invoiceId);
      const all = page.received() as unknown as readonly {
        readonly secondsLeft?: number;
        readonly quote?: { readonly expirationInSec: number };
      }[];
      return [all.at(-1)!.secondsLeft, all.at(-1)!.quote?.expirationInSec];
    };
    const [seconds, inQuote] = await left();
    expect(seconds).to.be.within(validity - 22, validity - 20);
    expect(inQuote).to.equal(seconds);
    await world.sandbox.advance(validity * 1_000);
    expect(await left()).to.deep.equal([undefined, undefined]);
  });

  for (const [what, end, most] of [
    ['reads', '', 40],
    ['codes', '/quote', 12],
  ] as const)
    it(`may ask for its own ${what} so often in a minute, and again in the next`, async () => {
      const world = openObjects();
      const asks = async () => {
        world.requests();
        for (let time = 0; time < most + 10; time++)
          await world.ask('not-there', end ? 'POST' : 'GET', end);
        return world.requests().length;
      };
      expect(await asks()).to.equal(most);
      await world.sandbox.advance(MINUTE);
      expect(await asks()).to.equal(most);
    });
});

describe('an order of a relay', () => {
  it('is opened by ten pages at once, and costs its share once', async () => {
    const { relay, sandbox, exchange, requests } = openObjects();
    const { orderId, orderSecret } = await sandbox.run(relay.createOrder({ amount: AMOUNT }));
    sandbox.fault({ action: { delay: 500, processed: true } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => exchange(orderId, orderSecret)),
    );
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    expect(requests().filter((one) => one === 'POST /v1/invoices')).to.have.length(1);
  });

  it('that is paid is told to the handler of invoices first, and to both under one key', async () => {
    const told: string[] = [];
    const on = {
      invoicePaid: (_: Invoice, { key }: { readonly key: string }) =>
        void told.push(`invoice ${key}`),
      orderPaid: (_: object, { key }: { readonly key: string }) => void told.push(`order ${key}`),
    };
    const world = openObjects(undefined, { ...HOOKED, on });
    const { sandbox, relay, exchange } = world;
    const made = await sandbox.run(relay.createOrder({ amount: AMOUNT }));
    const { invoiceId } = (await exchange(made.orderId, made.orderSecret)).body;
    await sandbox.payer.pay(invoiceId);
    await sandbox.advance(MINUTE);
    expect(told.map((one) => one.split(' ')[0])).to.deep.equal(['invoice', 'order']);
    expect(new Set(told.map((one) => one.split(' ')[1])).size).to.equal(1);
  });
});

describe('the event feed of an account object', () => {
  it('is read every five minutes, and a minute after it could not be', async () => {
    const world = openObjects(undefined, { ...HOOKED, on: { invoicePaid: () => {} } });
    const { sandbox } = world;
    await sandbox.run(world.account.ask('follow', { invoiceId: 'not-there' }));
    await sandbox.advance(20 * MINUTE);
    const polls = async (minutes: number) => {
      const from = world.sent.length;
      await sandbox.advance(minutes * MINUTE);
      const reads = world.sent.slice(from).filter(({ path }) => path.endsWith('/events'));
      return new Set(reads.map(({ sentAt }) => Math.floor(sentAt / MINUTE))).size;
    };
    expect(await polls(30)).to.equal(6);
    sandbox.fault({ method: 'GET', path: '/v1/events', ...AWAY });
    expect(await polls(20)).to.be.within(12, 21);
  });
});

describe('a state that may be old', () => {
  it('is read again until that succeeds, before pages are told another', async () => {
    const replica: { shows: string | undefined } = { shows: undefined };
    let isAway = false;
    const world = openObjects(async (url, send) => {
      const isOne = /\/v1\/invoices\/[^/?]+(\?.*)?$/.test(url) && !url.endsWith('/quote');
      if (isAway && isOne) throw new TypeError('lost');
      const answer = await send();
      return replica.shows && isOne
        ? altered(answer, (given: Invoice) => ({ ...given, state: replica.shows! }))
        : answer;
    });
    const { sandbox, account } = world;
    const made = await world.invoice();
    await world.pay(made);
    const page = await world.line(made.invoiceId);
    const state = () => page.received().at(-1)!.value!.state;
    replica.shows = 'HELD';
    await sandbox.advance(6_000);
    expect((await world.ask(made.invoiceId, 'GET')).body.state).to.equal('HELD');
    await sandbox.advance(1_000);
    expect(state()).to.equal('HELD');
    replica.shows = undefined;
    for (let look = 0; look < 3; look++) {
      account.evict();
      await sandbox.run(account.living.alarm());
      await sandbox.advance(5_000);
    }
    isAway = true;
    await sandbox.advance(40_000);
    isAway = false;
    await sandbox.advance(MINUTE);
    expect(state()).to.equal('PAID');
  });
});
