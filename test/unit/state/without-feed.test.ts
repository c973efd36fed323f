import { describe, itLong, itWhole } from '#test';
import { expect } from 'chai';
import { type Invoice, watchInvoice } from 'paystate';
import { invoices } from './invoices.ts';
import { openShop, record, refusal, type Answers, type Shop } from './shop.ts';

const MINUTE = 60_000;
/** A round of a page or two, and a little. */
const SOON = 6_000;

/** A shop whose credential may not read events. */
const openDeaf = (answers?: Answers) =>
  openShop({}, answers, { capabilities: { feed: false }, callTimeout: 60 * MINUTE });

/** Watches all, for a minute. */
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
  for (const [count, changes, within] of [
    [150, 3, 6_000],
    [1_000, 5, 25_000],
  ] as const)
    itWhole(
      `are read in turn by pages: ${count} take half of the limit at most, and a payment is seen in one round`,
      async () => {
        const shop = openDeaf();
        const all = await invoices(shop, count);
        const watched = await watchAll(shop, all);
        expect(watched.reason()).to.match(/^polling, .*read in turn each/);
        await shop.sandbox.advance(5 * MINUTE);
        expect(shop.requests.length, 'in five minutes').to.be.within(150, 260);
        for (let n = 0; n < changes; n++) {
          const at = (n * 197 + 13) % count;
          await shop.pay(all[at]!);
          await shop.sandbox.advance(within);
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
    for (const n of [3, 70, 140]) await shop.pay(others[n]!);
    await shop.pay(all[100]!);
    await shop.sandbox.advance(SOON);
    expect(watched.stateOf(100)).to.equal('PAID');
    expect(watched.isLive()).to.equal(true);
    watched.stop();
  });

  itLong('are read too when they are made later', async () => {
    const shop = openDeaf();
    const watched = await watchAll(shop, await invoices(shop, 100));
    const later = await invoices(shop, 30);
    const added = await watchAll(shop, later);
    await shop.pay(later[20]!);
    await shop.sandbox.advance(SOON);
    expect(added.stateOf(20)).to.equal('PAID');
    watched.stop();
    added.stop();
  });

  itLong('are never left unread by a copy of the data that is behind', async () => {
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
    for (const at of [5, 50, 120, 199]) {
      await shop.pay(all[at]!);
      await shop.sandbox.advance(40_000);
      expect(watched.stateOf(at), `${at}`).to.equal('PAID');
    }
    watched.stop();
  });

  itLong('are right again after the service was away', async () => {
    let isDown = false;
    const shop = openDeaf(async (_url, ask) =>
      isDown ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const all = await invoices(shop, 600);
    const watched = await watchAll(shop, all);
    isDown = true;
    await shop.sandbox.advance(MINUTE);
    expect(watched.logs.every(({ values }) => values.at(-1)!.freshness === 'stale')).to.equal(true);
    for (const state of ['PENDING', 'PAID'])
      shop.sandbox.move('invoice', all[400]!.invoiceId, state);
    await shop.sandbox.advance(4 * MINUTE);
    expect(shop.requests.length, 'one probe at a time').to.be.at.most(28);
    isDown = false;
    shop.requests.length = 0;
    await shop.sandbox.advance(MINUTE);
    expect(watched.stateOf(400)).to.equal('PAID');
    expect(watched.isLive()).to.equal(true);
    expect(shop.requests.length).to.be.at.most(90);
    watched.stop();
  });
});
