import { describe, itLong } from '#test';
import { expect } from 'chai';
import { type Invoice, watchInvoice } from 'paystate';
import { invoices } from './invoices.ts';
import { altered, openShop, record, refusal, type Answers, type Shop } from './shop.ts';

const MINUTE = 60_000;
/** A base period, and the requests that find what has changed. */
const SOON = 3_000;

/** A shop whose credential may not read events. */
const openDeaf = (answers?: Answers) =>
  openShop({}, answers, { capabilities: { feed: false }, callTimeout: 60 * MINUTE });

const isCount = (url: string) => url.includes('state%20eq');

/** Watches all and waits until they are counted. */
async function watchAll(shop: Shop, all: readonly Invoice[]) {
  const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
  await shop.sandbox.advance(MINUTE);
  shop.requests.length = 0;
  return {
    logs,
    stop: () => {
      for (const log of logs) log.stop();
    },
    stateOf: (n: number) => logs[n]!.values.at(-1)!.value.state,
    isLive: () => logs.every(({ values }) => values.at(-1)!.freshness === 'live'),
    reason: () => watchInvoice(shop.client, all[0]!).status().reason,
  };
}

/** Invoices of which no watch knows. */
async function foreign(shop: Shop, count: number): Promise<Invoice[]> {
  const made = invoices(shop, count);
  await shop.sandbox.advance(MINUTE);
  return made;
}

describe('invoices without an event feed', () => {
  for (const [count, changes] of [
    [150, 3],
    [1_000, 5],
  ] as const)
    itLong(
      `are counted: ${count} take a request each two seconds, and a payment is seen soon`,
      async () => {
        const shop = openDeaf();
        const all = await invoices(shop, count);
        const watched = await watchAll(shop, all);
        expect(watched.reason()).to.match(/^count look/);
        await shop.sandbox.advance(5 * MINUTE);
        expect(shop.requests.length, 'in five minutes').to.be.at.most(150 + count / 90 + 5);
        for (let n = 0; n < changes; n++) {
          const at = (n * 197 + 13) % count;
          await shop.pay(all[at]!);
          await shop.sandbox.advance(SOON);
          expect(watched.stateOf(at), `${at}`).to.equal('PAID');
        }
        expect(watched.isLive()).to.equal(true);
        expect(shop.sandbox.blocks).to.equal(0);
        watched.stop();
      },
    );

  itLong('show a payment that is on its way, and one that has failed', async () => {
    const shop = openDeaf();
    const all = await invoices(shop, 100);
    const watched = await watchAll(shop, all);
    shop.sandbox.move('invoice', all[40]!.invoiceId, 'PENDING');
    await shop.sandbox.advance(SOON);
    expect(watched.stateOf(40)).to.equal('PENDING');
    await shop.sandbox.advance(20_000);
    shop.requests.length = 0;
    await shop.sandbox.advance(20_000);
    expect(shop.requests.length, 'a count, and a read of this one').to.be.within(19, 21);
    shop.sandbox.move('invoice', all[40]!.invoiceId, 'UNPAID');
    await shop.sandbox.advance(10_000);
    expect(watched.stateOf(40)).to.equal('UNPAID');
    await shop.sandbox.advance(30_000);
    await shop.pay(all[40]!);
    await shop.sandbox.advance(SOON);
    expect(watched.stateOf(40)).to.equal('PAID');
    watched.stop();
  });

  itLong('show a payment also where another one fails in the same moment', async () => {
    const shop = openDeaf();
    const all = await invoices(shop, 300);
    const watched = await watchAll(shop, all);
    shop.sandbox.move('invoice', all[40]!.invoiceId, 'PENDING');
    await shop.sandbox.advance(45_000);
    shop.sandbox.move('invoice', all[40]!.invoiceId, 'UNPAID');
    await shop.pay(all[250]!);
    await shop.sandbox.advance(30_000);
    expect(watched.stateOf(250)).to.equal('PAID');
    watched.stop();
  });

  itLong('are not mistaken for others that were made between them', async () => {
    const shop = openDeaf();
    const first = await invoices(shop, 60);
    await shop.sandbox.advance(MINUTE);
    const others = await foreign(shop, 150);
    const all = [...first, ...(await invoices(shop, 60))];
    const watched = await watchAll(shop, all);
    expect(watched.reason()).to.match(/^count look/);
    for (const n of [3, 70, 140]) await shop.pay(others[n]!);
    await shop.pay(all[100]!);
    await shop.sandbox.advance(SOON);
    expect(watched.stateOf(100)).to.equal('PAID');
    expect(watched.isLive()).to.equal(true);
    shop.requests.length = 0;
    await shop.sandbox.advance(MINUTE);
    expect(shop.requests.length, 'nothing is read for others again').to.be.at.most(35);
    watched.stop();
  });

  itLong('are counted too when they are made later', async () => {
    const shop = openDeaf();
    const watched = await watchAll(shop, await invoices(shop, 100));
    const later = await invoices(shop, 30);
    const added = await watchAll(shop, later);
    await shop.sandbox.advance(MINUTE);
    expect(shop.requests.length, 'one request each two seconds').to.be.at.most(35);
    await shop.pay(later[20]!);
    await shop.sandbox.advance(SOON);
    expect(added.stateOf(20)).to.equal('PAID');
    watched.stop();
    added.stop();
  });

  itLong('are counted too when they were made before those that are counted', async () => {
    const shop = openDeaf();
    const early = await invoices(shop, 100);
    await shop.sandbox.advance(5 * MINUTE);
    const watched = await watchAll(shop, await invoices(shop, 100));
    const added = await watchAll(shop, early);
    for (const n of [0, 99]) {
      await shop.sandbox.advance(MINUTE);
      shop.requests.length = 0;
      await shop.sandbox.advance(MINUTE);
      expect(shop.requests.length, 'one request each two seconds').to.be.at.most(31);
      await shop.pay(early[n]!);
      await shop.sandbox.advance(SOON);
      expect(added.stateOf(n)).to.equal('PAID');
    }
    expect(watched.isLive()).to.equal(true);
    watched.stop();
    added.stop();
  });

  itLong('are counted also where a copy that was behind did not list them at first', async () => {
    let isBehind = true;
    const shop = openDeaf(async (url, ask) =>
      isBehind && url.includes('created%20g')
        ? altered(await ask(), (page: object) => ({ ...page, items: [], count: 0 }))
        : ask(),
    );
    const all = await invoices(shop, 120);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(2_000);
    isBehind = false;
    await shop.sandbox.advance(2 * MINUTE);
    shop.requests.length = 0;
    await shop.sandbox.advance(MINUTE);
    expect(shop.requests.length, 'one request each two seconds').to.be.at.most(31);
    for (const log of logs) log.stop();
  });

  itLong(
    'are never left unread by a copy of the data that is behind, in its counts or its lists',
    async () => {
      let n = 0;
      const shop = openDeaf((url, ask) => {
        if (!url.includes('/v1/invoices') || n++ % 3 > 0) return ask();
        const end = shop.sandbox.fault({ method: 'GET', action: { stale: 25_000 } });
        const answer = ask();
        end();
        return answer;
      });
      shop.sandbox.fault({ path: '/none', action: { stale: 1 } })(); // a copy knows what was since
      const all = await invoices(shop, 200);
      await shop.sandbox.advance(40_000);
      const watched = await watchAll(shop, all);
      expect(watched.reason()).to.match(/^count look/);
      for (const at of [5, 50, 120, 199]) {
        await shop.pay(all[at]!);
        await shop.sandbox.advance(35_000);
        expect(watched.stateOf(at), `${at}`).to.equal('PAID');
      }
      watched.stop();
    },
  );

  itLong(
    'are polled where the service refuses to count them, and it is not asked again',
    async () => {
      const shop = openDeaf(async (url, ask) =>
        isCount(url) ? refusal(400, 'INVALID_DATA_QUERY') : ask(),
      );
      const watched = await watchAll(shop, await invoices(shop, 100));
      expect(watched.reason()).to.match(/^polling/);
      await shop.sandbox.advance(15 * MINUTE);
      expect(shop.requests.filter(({ reason = '' }) => reason.includes('count'))).to.have.length(0);
      expect(watched.isLive()).to.equal(true);
      watched.stop();
    },
  );

  itLong('are polled where the service does not count exactly', async () => {
    const shop = openDeaf(async (url, ask) =>
      isCount(url)
        ? altered(await ask(), (page: object) => ({ ...page, isCountUnknown: true }))
        : ask(),
    );
    const watched = await watchAll(shop, await invoices(shop, 100));
    expect(watched.reason()).to.match(/^polling/);
    expect(watched.isLive()).to.equal(true);
    const freshnesses = watched.logs.flatMap(({ values }) => values.map((one) => one.freshness));
    expect(new Set(freshnesses), 'an inexact count is no failure of theirs').to.deep.equal(
      new Set(['live']),
    );
    watched.stop();
  });

  itLong('are polled where the count never fits what the lists hold', async () => {
    const shop = openDeaf(async (url, ask) =>
      isCount(url) && /top=1(&|$)/.test(url)
        ? altered(await ask(), (page: { count: number }) => ({ ...page, count: 40 }))
        : ask(),
    );
    const all = await invoices(shop, 300);
    const watched = await watchAll(shop, all);
    expect(watched.reason()).to.match(/^polling/);
    await shop.pay(all[200]!);
    await shop.sandbox.advance(20_000);
    expect(watched.stateOf(200)).to.equal('PAID');
    watched.stop();
  });

  itLong('are right again after the service was away', async () => {
    let isDown = false;
    const shop = openDeaf(async (_url, ask) =>
      isDown ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const all = await invoices(shop, 1_000);
    const watched = await watchAll(shop, all);
    isDown = true;
    await shop.sandbox.advance(MINUTE);
    expect(watched.logs.every(({ values }) => values.at(-1)!.freshness === 'stale')).to.equal(true);
    for (const state of ['PENDING', 'PAID'])
      shop.sandbox.move('invoice', all[700]!.invoiceId, state);
    await shop.sandbox.advance(4 * MINUTE);
    expect(shop.requests.length, 'one probe at a time').to.be.at.most(20);
    isDown = false;
    shop.requests.length = 0;
    await shop.sandbox.advance(MINUTE);
    expect(watched.stateOf(700)).to.equal('PAID');
    expect(watched.isLive()).to.equal(true);
    expect(shop.requests.length, 'what has not changed is not read').to.be.at.most(50);
    watched.stop();
  });
});
