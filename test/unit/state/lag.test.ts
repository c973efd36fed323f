import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { type Invoice, invalidate, watchBalances, watchInvoice } from 'paystate';
import { altered, openShop, record, type Shop } from './shop.ts';

const MINUTE = 60_000;

type Feed = 'well' | 'garbled' | 'away';

/** A shop whose reads of invoices come from a copy so far behind; its feed shows all at once. */
function replica(): { shop: Shop; behind(ms: number): void; feed(how: Feed): void } {
  let stale = 0;
  let feed: Feed = 'well';
  const answered = async (ask: () => Promise<Response>): Promise<Response> =>
    feed === 'away'
      ? new Response('<h1>not here</h1>', { status: 403 })
      : altered(await ask(), (page: { items: object[] }) => ({
          ...page,
          items: page.items.map((event) => (feed === 'well' ? event : { ...event, data: null })),
        }));
  const shop: Shop = openShop({}, (url, ask) => {
    const path = new URL(url).pathname;
    if (path === '/v1/events') return answered(ask);
    if (stale === 0 || !path.startsWith('/v1/invoices')) return ask();
    const end = shop.sandbox.fault({ method: 'GET', path, action: { stale } });
    const answer = ask();
    end();
    return answer;
  });
  shop.sandbox.fault({ path: '/none', action: { stale: 1 } })(); // a copy knows what was since the first such fault
  return { shop, behind: (ms) => void (stale = ms), feed: (how) => void (feed = how) };
}

/** Watches an invoice that is paid, beyond that. */
async function settledOne(shop: Shop) {
  const invoice = await shop.invoice();
  await shop.pay(invoice);
  const log = record(watchInvoice(shop.client, invoice, { until: 'never' }));
  return { invoice, log, lastState: () => log.values.at(-1)!.value.state };
}

/** Watches an invoice and a settled one, and waits until the feed covers both. */
async function byFeed(shop: Shop) {
  const { log: other } = await settledOne(shop);
  const invoice = await shop.invoice();
  const watch = watchInvoice(shop.client, invoice);
  const log = record(watch);
  await shop.sandbox.advance(2 * MINUTE);
  expect(watch.status().reason).to.match(/^event feed/);
  return {
    invoice,
    lastState: () => log.values.at(-1)!.value.state,
    stop: () => [log, other].forEach((one) => void one.stop()),
  };
}

/** Lets someone pay, and returns at once. */
const pay = ({ sandbox }: Shop, { invoiceId }: Invoice, pendingFor: number, fails: boolean) =>
  void sandbox.payer.pay(invoiceId, { pendingFor, fails }).catch(() => {});

describe('a watch whose reads come from copies that lag', () => {
  itLong(
    'reads an announced change again as soon as no copy can hide it, whatever was read before',
    async () => {
      const { shop, behind } = replica();
      const { invoice, lastState, stop } = await byFeed(shop);
      pay(shop, invoice, 15_000, true);
      await shop.sandbox.advance(14_000);
      expect(lastState()).to.equal('PENDING');
      behind(10_000);
      await shop.sandbox.advance(4_000); // the first read after it failed: PENDING
      behind(0);
      await shop.sandbox.advance(10_000); // the next ones: UNPAID
      behind(20_000);
      await shop.sandbox.advance(6_000); // the one that was to confirm it: PENDING
      behind(30_000);
      await shop.sandbox.advance(20_000);
      expect(lastState()).to.equal('UNPAID');
      stop();
    },
  );

  it('counts the half minute of a lag from the news on, not from the first read that shows some of it', async () => {
    const { shop, behind } = replica();
    const { invoice, lastState, stop } = await byFeed(shop);
    behind(20_000);
    pay(shop, invoice, 10_000, false);
    await shop.sandbox.advance(12_500);
    expect(lastState(), 'before any payment').to.equal('UNPAID');
    behind(10_000);
    await shop.sandbox.advance(2_000);
    expect(lastState(), 'while it was under way').to.equal('PENDING');
    behind(30_000);
    await shop.sandbox.advance(28_000);
    expect(lastState()).to.equal('PAID');
    stop();
  });

  it('reads after half a minute what was announced first, whatever was announced since', async () => {
    const { shop, behind } = replica();
    const { invoice, lastState, stop } = await byFeed(shop);
    behind(30_000);
    pay(shop, invoice, 3_000, false);
    await shop.sandbox.advance(32_500);
    expect(lastState()).to.equal('PENDING');
    await shop.sandbox.advance(3_000);
    expect(lastState()).to.equal('PAID');
    stop();
  });

  it('is not left with a state that has gone back and that a copy brings once more', async () => {
    const { shop, behind } = replica();
    const { invoice, lastState, stop } = await byFeed(shop);
    pay(shop, invoice, 60_000, true);
    await shop.sandbox.advance(62_200);
    invalidate(shop.client, 'invoice', invoice.invoiceId);
    await shop.sandbox.advance(5_800);
    expect(lastState(), 'it has failed').to.equal('UNPAID');
    behind(20_000);
    await shop.sandbox.advance(6_000);
    expect(lastState(), 'as it was').to.equal('PENDING');
    behind(0);
    await shop.sandbox.advance(45_000);
    expect(lastState()).to.equal('UNPAID');
    stop();
  });

  itLong('hears of what happened just before its feed began', async () => {
    const { shop, behind } = replica();
    const [settled, invoice] = [await shop.invoice(), await shop.invoice()];
    await shop.pay(settled);
    const watch = watchInvoice(shop.client, invoice);
    const log = record(watch);
    await shop.sandbox.advance(40_000);
    behind(30_000);
    pay(shop, invoice, 0, false);
    await shop.sandbox.advance(8_000);
    expect(watch.status().reason).to.match(/^polling/);
    const other = record(watchInvoice(shop.client, settled, { until: 'never' }));
    await shop.sandbox.advance(12_000);
    expect(watch.status().reason, 'no poll sees a reversal').to.match(/^event feed/);
    await shop.sandbox.advance(12_500);
    expect(log.values.at(-1)!.value.state).to.equal('PAID');
    log.stop();
    other.stop();
  });

  for (const pause of [0, 7_000, 14_000, 21_000])
    it(`sees a reversal within half a minute, ${pause / 1_000} s after a poll of a slow feed`, async () => {
      const { shop, behind } = replica();
      const { invoice, log, lastState } = await settledOne(shop);
      await shop.sandbox.advance(2 * MINUTE + pause);
      behind(30_000);
      shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
      await shop.sandbox.advance(32_500);
      expect(lastState()).to.equal('REVERSED');
      log.stop();
    });

  it('looks once more after a gap in the feed, when no copy can hide what was lost', async () => {
    const { shop, behind, feed } = replica();
    const { invoice, lastState, stop } = await byFeed(shop);
    feed('garbled');
    behind(30_000);
    pay(shop, invoice, 0, false);
    await shop.sandbox.advance(5_000);
    expect(lastState()).to.equal('UNPAID');
    behind(0);
    await shop.sandbox.advance(30_000);
    expect(lastState()).to.equal('PAID');
    stop();
  });
});

describe('balances whose reads come from copies that lag', () => {
  it('do not go back, however often the new ones were read before', async () => {
    let old = '';
    let isBehind = false;
    const shop = openShop({}, async (url, ask) =>
      isBehind && url.includes('/v1/balances') ? new Response(old) : ask(),
    );
    const invoice = await shop.invoice();
    old = JSON.stringify(await shop.sandbox.run(shop.client.balances.list()));
    const log = record(watchBalances(shop.client));
    const euros = () =>
      log.values.map(({ value }) => value.find(({ currency }) => currency === 'EUR')?.total);
    await shop.sandbox.advance(1_000);
    await shop.pay(invoice);
    await shop.sandbox.advance(12_000); // several reads of the new ones
    const [before, after] = [euros()[0], euros().at(-1)];
    expect(after).not.to.equal(before);
    const { length } = euros();
    isBehind = true;
    await shop.sandbox.advance(12_000);
    isBehind = false;
    await shop.sandbox.advance(MINUTE);
    expect(euros().slice(length).concat(after)).not.to.include(before);
    isBehind = true; // no copy is that far behind
    await shop.sandbox.advance(MINUTE);
    expect(euros().at(-1)).to.equal(before);
    log.stop();
  });
});

describe('a settled value that is watched on', () => {
  for (const pause of [10_000, 20_000, 30_000, 40_000, 50_000])
    it(`is read half a minute after a reversal, ${pause / 1_000} s after the watch began`, async () => {
      const { shop } = replica();
      const { invoice, log, lastState } = await settledOne(shop);
      await shop.sandbox.advance(pause);
      shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
      await shop.sandbox.advance(30_500);
      expect(lastState()).to.equal('REVERSED');
      log.stop();
    });

  it('is heard of also after a poll of the feed that has failed', async () => {
    const { shop, behind, feed } = replica();
    const { invoice, log, lastState } = await settledOne(shop);
    await shop.sandbox.advance(2 * MINUTE);
    const polls = () => shop.requests.filter(({ path }) => path === '/v1/events').length;
    const before = polls();
    while (polls() === before) await shop.sandbox.advance(500);
    await shop.sandbox.advance(5_000);
    behind(30_000);
    shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
    feed('away');
    while (polls() < before + 2) await shop.sandbox.advance(500);
    feed('well');
    await shop.sandbox.advance(35_000);
    expect(lastState()).to.equal('REVERSED');
    log.stop();
  });

  it('is read each 18 s where no feed tells of it, and is live', async () => {
    const shop = openShop({}, undefined, { capabilities: { feed: false } });
    const { log } = await settledOne(shop);
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    shop.requests.length = 0;
    await shop.sandbox.advance(10 * MINUTE);
    expect(log.values.map(({ freshness }) => freshness)).to.deep.equal(['live']);
    expect(shop.requests.length).to.be.within(32, 34);
    log.stop();
  });

  itLong('that can change no more is live again when the service was away', async () => {
    const { shop } = replica();
    const { invoice, log, lastState } = await settledOne(shop);
    const other = record(watchInvoice(shop.client, await shop.invoice()));
    shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
    await shop.sandbox.advance(40_000);
    expect(lastState()).to.equal('REVERSED');
    const end = shop.sandbox.fault({ action: 'lost-before' });
    await shop.sandbox.advance(2 * MINUTE);
    end();
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    log.stop();
    other.stop();
  });
});

describe('a machine whose clock is set back', () => {
  it('has live values again as soon as they were read again', async () => {
    let ahead = 24 * 60 * MINUTE;
    const shop = openShop({}, undefined, {}, (clock) => ({
      ...clock,
      now: () => clock.now() + ahead,
    }));
    const log = record(watchInvoice(shop.client, await shop.invoice()));
    await shop.sandbox.advance(10_000);
    ahead = 0;
    const end = shop.sandbox.fault({ action: 'lost-before' });
    await shop.sandbox.advance(MINUTE);
    expect(log.values.at(-1)!.freshness).to.equal('stale');
    end();
    await shop.sandbox.advance(MINUTE);
    expect(log.values.at(-1)!.freshness).to.equal('live');
    expect(log.values.at(-1)!.asOf).to.be.at.most(shop.sandbox.clock.now());
    log.stop();
  });
});
