// First reads, reads of changes and the reads in turn share the rate limit.
import { expect } from 'chai';
import { describe, it, itLong, itWhole } from '#test';
import { createClient, type Invoice, watchInvoice, watchReceives } from 'paystate';
import { expectTurnOfChanged } from './first-turn.ts';
import { invoices } from './invoices.ts';
import { altered, openShop, record, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

/**
 * Makes receive requests, each of which is read by a request of its own, with an unused rate limit.
 */
async function receiveRequests(shop: Shop, count: number) {
  const patient = shop.client.withOptions({ callTimeout: 3_600_000 });
  const made = [];
  for (let n = 0; n < count; n++)
    made.push(shop.sandbox.run(patient.receiveRequests.create({ onchain: {} })));
  const all = await Promise.all(made);
  await shop.sandbox.advance(61 * MINUTE);
  shop.requests.length = 0;
  return all;
}

const looksOf = (shop: Shop) =>
  shop.requests.filter(({ path, priority }) => priority === 'normal' && path !== '/v1/events');

describe('first looks at many, one by one', () => {
  itWhole(
    'leave at once by a fifth, the others evenly, and what has changed goes first',
    async () => {
      const shop = openShop();
      const all = await receiveRequests(shop, 600);
      const begun = shop.sandbox.clock.now();
      const logs = all.map((request) => record(watchReceives(shop.client, request)));
      await shop.sandbox.advance(5_000);
      const atOnce = looksOf(shop).length;
      expect(atOnce).to.be.within(95, 110);
      await shop.sandbox.advance(5 * MINUTE);
      const evenly = looksOf(shop).length - atOnce;
      expect(evenly).to.be.within(90, 155);
      await expectTurnOfChanged(shop, all, logs);
      await shop.sandbox.advance(20 * MINUTE);
      expect(logs.every(({ values }) => values.length > 0)).to.equal(true);
      const times = looksOf(shop).map(({ sentAt }) => sentAt - begun);
      for (const from of [0, 1, 5, 10, 15].map((minute) => minute * MINUTE))
        expect(
          times.filter((at) => at >= from && at < from + 10.5 * MINUTE).length,
          `${from}`,
        ).to.be.at.most(440);
      for (const log of logs) log.stop();
    },
  );

  it('are five at a time', async () => {
    let most = 0;
    const shop = openShop({}, async (url, ask) => {
      if (!url.includes('/receives')) return ask();
      most = Math.max(most, shop.flying());
      await shop.sandbox.clock.wait(1_000);
      return ask();
    });
    const all = await receiveRequests(shop, 20);
    const logs = all.map((request) => record(watchReceives(shop.client, request)));
    await shop.sandbox.advance(3_500);
    expect(most).to.be.within(5, 8); // and a poll of the feed, and a read in turn
    expect(logs.filter(({ values }) => values.length > 0).length).to.be.within(15, 21);
    for (const log of logs) log.stop();
  });

  itLong('ask nothing for those that were left before their turn', async () => {
    const shop = openShop();
    const all = await receiveRequests(shop, 600);
    const logs = all.map((request) => record(watchReceives(shop.client, request)));
    await shop.sandbox.advance(10_000);
    const sent = looksOf(shop).length;
    for (const log of logs.slice(0, -1)) log.stop();
    await shop.sandbox.advance(MINUTE);
    expect(looksOf(shop).length - sent).to.be.at.most(32);
    logs.at(-1)!.stop();
  });

  itLong('do not keep a payment waiting among others', async () => {
    const shop = openShop({}, undefined, {
      capabilities: { feed: false },
      callTimeout: 60 * MINUTE,
    });
    const requests = await receiveRequests(shop, 600);
    const all = await invoices(shop, 150);
    await shop.sandbox.advance(15 * MINUTE);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(2 * MINUTE);
    const many = requests.map((request) => record(watchReceives(shop.client, request)));
    await shop.sandbox.advance(2 * MINUTE);
    expect(many.some(({ values }) => values.length === 0)).to.equal(true);
    await shop.pay(all[70]!);
    await shop.sandbox.advance(30_000);
    expect(logs[70]!.values.at(-1)!.value.state).to.equal('PAID');
    expect(shop.sandbox.blocks).to.equal(0);
    for (const log of [...logs, ...many]) log.stop();
  });
});

/** Sends own reads of the shop, one in `every` milliseconds for `ms`. Returns how many failed. */
async function asking(shop: Shop, every: number, ms: number): Promise<number> {
  let failures = 0;
  for (let passed = 0; passed < ms; passed += every) {
    shop.client.balances.list().catch(() => void failures++);
    await shop.sandbox.advance(every);
  }
  return failures;
}

describe('beside the requests of the shop itself', () => {
  for (const [every, plan, most] of [
    [1_000, 'polling', 63],
    [1_500, 'polling', 92],
    [3_000, 'polling', 291],
  ] as const)
    itWhole(`one each ${every} ms, ten watches take ${most} in ten minutes`, async () => {
      const shop = openShop();
      const all = await invoices(shop, 10);
      await shop.sandbox.advance(11 * MINUTE);
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await asking(shop, every, 20 * MINUTE);
      shop.requests.length = 0;
      const failures = await asking(shop, every, 10 * MINUTE);
      const own = shop.requests.filter(({ path }) => path === '/v1/balances').length;
      expect([own, failures]).to.deep.equal([(10 * MINUTE) / every, 0]);
      expect(watchInvoice(shop.client, all[0]!).status().reason.split(',')[0]).to.equal(plan);
      expect(shop.requests.length - own).to.be.within(most - 4, most + 4);
      for (const log of logs) log.stop();
    });

  itWhole(
    'many first looks take what is left of half of the limit, and a little at least',
    async () => {
      for (const [every, looks] of [
        [1_500, 52],
        [3_000, 220],
      ] as const) {
        const shop = openShop();
        const all = await receiveRequests(shop, 500);
        await asking(shop, every, 10 * MINUTE);
        const logs = all.map((request) => record(watchReceives(shop.client, request)));
        shop.requests.length = 0;
        const failures = await asking(shop, every, 10 * MINUTE);
        expect(failures).to.equal(0);
        const sent = looksOf(shop).filter(({ path }) => path !== '/v1/balances').length;
        expect(sent, `${every}`).to.be.within(looks - 6, looks + 6);
        for (const log of logs) log.stop();
      }
    },
  );
});

/** Makes invoices, one each second, by as many addresses as that takes. */
async function spread(shop: Shop, count: number): Promise<Invoice[]> {
  const made: Invoice[] = [];
  const tills = Array.from({ length: 8 }, (_, n) =>
    createClient(shop.sandbox.clientOptionsFor({ address: `198.18.0.${n}` })),
  );
  for (let n = 0; n < count; n++) {
    const { invoices } = tills[n % 8]!;
    made.push(
      await shop.sandbox.run(invoices.create({ amount: { amount: '1', currency: 'EUR' } })),
    );
    await shop.sandbox.advance(1_000);
  }
  return made;
}

describe('invoices that stand far apart among others', () => {
  const openDeaf = (answers?: Parameters<typeof openShop>[1]) =>
    openShop({}, answers, { capabilities: { feed: false }, callTimeout: 60 * MINUTE });
  const own = (all: readonly Invoice[]) => all.filter((_, n) => n % 8 === 0);

  itWhole('are read by a few pages each, and a payment is seen in one round', async () => {
    const shop = openDeaf();
    const all = await spread(shop, 1_000);
    const watched = own(all);
    const logs = watched.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(3 * MINUTE);
    expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
    for (const n of [1, 60, 124]) {
      await shop.pay(watched[n]!);
      shop.requests.length = 0;
      await shop.sandbox.advance(25_000);
      expect(logs[n]!.values.at(-1)!.value.state, `${n}`).to.equal('PAID');
      expect(shop.requests.length, `${n}`).to.be.at.most(24);
    }
    expect(logs.filter(({ values }) => values.length > 1)).to.have.length(3);
    for (const log of logs) log.stop();
  });

  itLong('are polled where the service does not sort', async () => {
    const shop = openDeaf(async (url, ask) =>
      url.includes('state%20eq')
        ? altered(await ask(), (page: { items: object[] }) => ({
            ...page,
            items: page.items.toReversed(),
          }))
        : ask(),
    );
    const watched = own(await spread(shop, 1_000));
    const logs = watched.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(3 * MINUTE);
    expect(watchInvoice(shop.client, watched[0]!).status().reason).to.match(/^polling/);
    await shop.pay(watched[50]!);
    await shop.sandbox.advance(20_000);
    expect(logs[50]!.values.at(-1)!.value.state).to.equal('PAID');
    for (const log of logs) log.stop();
  });

  itLong('are read by their ids where the list by creation does not hold them', async () => {
    let hidden = '';
    const shop = openDeaf(async (url, ask) =>
      /filter=\(?created|created%20ge|created%20gt/.test(url)
        ? altered(await ask(), (page: { items: Invoice[] }) => ({
            ...page,
            items: page.items.filter(({ invoiceId }) => invoiceId !== hidden),
          }))
        : ask(),
    );
    const watched = own(await spread(shop, 1_000));
    hidden = watched[60]!.invoiceId;
    const logs = watched.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(5 * MINUTE);
    expect(logs[60]!.values.at(-1)!.freshness).to.equal('live');
    await shop.pay(watched[60]!);
    await shop.sandbox.advance(20_000);
    expect(logs[60]!.values.at(-1)!.value.state).to.equal('PAID');
    shop.requests.length = 0;
    await shop.sandbox.advance(5 * MINUTE);
    expect(shop.requests.length).to.be.at.most(260);
    for (const log of logs) log.stop();
  });

  itWhole(
    'are polled by pages as often as the limit allows where they cannot be counted',
    async () => {
      const shop = openDeaf(async (url, ask) =>
        url.includes('state%20eq') ? refusal(400, 'INVALID_DATA_QUERY') : ask(),
      );
      const watched = own(await spread(shop, 1_000));
      await shop.sandbox.advance(11 * MINUTE);
      const logs = watched.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(10 * MINUTE);
      shop.requests.length = 0;
      await shop.sandbox.advance(10 * MINUTE);
      expect(shop.requests.length).to.be.within(380, 500);
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
      for (const log of logs) log.stop();
    },
  );
});
