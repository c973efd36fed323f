// Settled values that are watched on, by a feed that is polled twice a minute: what they cost, and what wakes them.
import { expect } from 'chai';
import { describe, it, itLong } from '#test';
import { type ClientOptions, type Invoice, watchInvoice } from 'paystate';
import { inPage } from './page.ts';
import { openShop, record, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

/** Watches `count` paid invoices beyond their end; the feed can be switched off. */
async function atRest(count: number, changes: Partial<ClientOptions> = {}) {
  const mood = { isDown: false };
  const shop = openShop(
    {},
    async (url, ask) =>
      mood.isDown && url.includes('/v1/events') ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    changes,
  );
  const all: Invoice[] = [];
  for (let n = 0; n < count; n++) {
    all.push(await shop.invoice());
    await shop.pay(all[n]!);
  }
  const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice, { until: 'never' })));
  await shop.sandbox.advance(2 * MINUTE);
  shop.requests.length = 0;
  const stop = () => {
    for (const log of logs) log.stop();
  };
  return { shop, all, logs, mood, stop };
}

const pollsOf = (shop: Shop) => shop.requests.filter(({ path }) => path === '/v1/events');
const readsOf = (shop: Shop) => shop.requests.filter(({ path }) => path !== '/v1/events');

/** Waits until the feed has been polled. */
async function nextPoll(shop: Shop): Promise<void> {
  const before = pollsOf(shop).length;
  while (pollsOf(shop).length === before) await shop.sandbox.advance(500);
}

describe('settled values that are watched on', () => {
  itLong('are each read in turn where no list can be asked', async () => {
    const { shop, all, logs, stop } = await atRest(3, { capabilities: { list: false } });
    await shop.sandbox.advance(60 * MINUTE);
    for (const { invoiceId } of all) {
      const { liveFor, readAt } = watchInvoice(shop.client, invoiceId).status();
      expect(liveFor).to.equal(30_000);
      expect(shop.sandbox.clock.now() - readAt!).to.be.below(30_000);
    }
    expect(pollsOf(shop).length, 'each 18 s').to.be.within(195, 205);
    expect(readsOf(shop).length, 'each of three each 24 s').to.be.within(440, 460);
    // its event says `pending` for the lag, and then nothing changes
    for (const { values } of logs) {
      expect(values.length).to.be.at.most(3);
      expect(values.at(-1)!.freshness).to.equal('live');
    }
    stop();
  });

  it('cost nothing any more when nothing can follow', async () => {
    const { shop, all, logs, stop } = await atRest(2);
    for (const { invoiceId } of all) shop.sandbox.move('invoice', invoiceId, 'REVERSED');
    await shop.sandbox.advance(5 * MINUTE);
    shop.requests.length = 0;
    await shop.sandbox.advance(120 * MINUTE);
    expect(shop.requests).to.have.length(0);
    for (const { values } of logs)
      expect(values.at(-1)).to.nested.include({ 'value.state': 'REVERSED', freshness: 'live' });
    stop();
  });

  it('are asked for at once when a page is shown again, but not twice in two seconds', () =>
    inPage(async (page) => {
      const { shop, stop } = await atRest(1);
      await nextPoll(shop);
      const show = async () => {
        page.hide();
        page.show();
        await shop.sandbox.advance(100);
        return pollsOf(shop).length;
      };
      const restore = async () => {
        page.restore();
        await shop.sandbox.advance(100);
        return pollsOf(shop).length;
      };
      for (const comeBack of [show, restore]) {
        const before = pollsOf(shop).length;
        expect(await comeBack()).to.equal(before);
        await shop.sandbox.advance(5_000);
        expect(await comeBack()).to.equal(before + 2);
      }
      stop();
      await shop.sandbox.advance(0);
    }));

  it('have a feed that fails tried again after 1, 2, 5 and then each 10 minutes', async () => {
    const { shop, mood, stop } = await atRest(1);
    mood.isDown = true;
    await nextPoll(shop);
    shop.requests.length = 0;
    await shop.sandbox.advance(60 * MINUTE);
    const times = pollsOf(shop).map(({ sentAt }) => sentAt);
    const gaps = times.slice(1).map((at, n) => Math.floor((at - times[n]!) / MINUTE));
    expect(gaps.slice(1)).to.deep.equal([1, 2, 5, 10, 10, 10, 10, 10]);
    stop();
  });

  itLong(
    'begin with the events of now when their feed was away for more than an hour',
    async () => {
      const { shop, mood, logs, all, stop } = await atRest(1);
      const others: Invoice[] = [];
      for (let n = 0; n < 40; n++) others.push(await shop.invoice());
      mood.isDown = true;
      await shop.sandbox.advance(30 * MINUTE);
      for (let n = 0; n < 400; n++)
        shop.sandbox.move('invoice', others[n % 40]!.invoiceId, n % 80 < 40 ? 'PENDING' : 'UNPAID');
      await shop.sandbox.advance(40 * MINUTE);
      mood.isDown = false;
      shop.requests.length = 0;
      while (pollsOf(shop).length === 0) await shop.sandbox.advance(MINUTE / 2);
      await shop.sandbox.advance(1_000);
      expect(pollsOf(shop).length, 'no pages of what happened meanwhile').to.be.at.most(5);
      await shop.sandbox.advance(MINUTE);
      shop.sandbox.move('invoice', all[0]!.invoiceId, 'REVERSED');
      await shop.sandbox.advance(MINUTE);
      expect(logs[0]!.values.at(-1)!.value.state).to.equal('REVERSED');
      stop();
    },
  );
});
