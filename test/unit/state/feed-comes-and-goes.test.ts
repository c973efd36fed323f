// A feed that fails, is slow or comes late changes how the resources are read that it covers, and no others.
import { expect } from 'chai';
import { describe, itLong, itWhole } from '#test';
import { invalidate, type Invoice, watchBalances, watchInvoice, watchRates } from 'paystate';
import { invoices } from './invoices.ts';
import { inPage } from './page.ts';
import { openGarbling, openShop, record, refusal, type Shop } from './shop.ts';

const MINUTE = 60_000;

/** Watches `count` invoices, 200 at least, by the feed, which can be switched off. */
async function byFeed(count: number, changes = {}) {
  const mood = { isDown: false, behind: 0 };
  const asked: { readonly url: string; readonly at: number }[] = [];
  const shop: Shop = openShop(changes, async (url, ask) => {
    const path = new URL(url).pathname;
    asked.push({ url, at: shop.sandbox.clock.now() });
    if (path === '/v1/events') return mood.isDown ? refusal(503, 'SERVICE_UNAVAILABLE') : ask();
    if (mood.behind === 0 || !path.startsWith('/v1/invoices')) return ask();
    const end = shop.sandbox.fault({ method: 'GET', path, action: { stale: mood.behind } });
    const answer = ask();
    end();
    return answer;
  });
  shop.sandbox.fault({ path: '/none', action: { stale: 1 } })(); // a copy knows what was since
  const all = await invoices(shop, Math.max(count, 200));
  const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
  await shop.sandbox.advance(2 * MINUTE);
  const plan = () => watchInvoice(shop.client, all.at(-1)!).status().reason.split(',')[0];
  expect(plan()).to.equal('event feed');
  const timesOf = (path: string) =>
    shop.requests.filter((one) => one.path === path).map(({ sentAt }) => sentAt);
  const readsOf = ({ invoiceId }: Invoice, since: number) =>
    asked.filter(({ url, at }) => at >= since && url.endsWith(invoiceId)).map(({ at }) => at);
  const stop = () => {
    for (const log of logs) log.stop();
  };
  return { shop, readsOf, all, logs, mood, plan, timesOf, stop };
}

const gapsOf = (times: readonly number[]) =>
  times.slice(1).map((at, n) => Math.round((at - times[n]!) / 1_000));

describe('a feed that fails', () => {
  itWhole('is tried again after 1, 2, 5 and then each 10 minutes', async () => {
    const { shop, mood, timesOf, plan, stop } = await byFeed(60);
    mood.isDown = true;
    shop.requests.length = 0;
    await shop.sandbox.advance(30 * MINUTE);
    expect(plan()).to.equal('polling');
    const minutes = gapsOf(timesOf('/v1/events').slice(2)).map((gap) => Math.floor(gap / 60));
    expect(minutes).to.deep.equal([1, 2, 5, 10, 10]);
    stop();
  });

  itLong('twice, and works in between, is not given up', async () => {
    const { shop, mood, logs, plan, stop } = await byFeed(60);
    for (let round = 0; round < 3; round++) {
      mood.isDown = true;
      await shop.sandbox.advance(3_000);
      mood.isDown = false;
      await shop.sandbox.advance(10_000);
      expect(plan()).to.equal('event feed');
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
    }
    stop();
  });

  itLong(
    'and is back leaves stale what it has announced and no read has shown, and what it does not cover',
    async () => {
      const { shop, all, mood, logs, stop } = await byFeed(40);
      const rates = record(watchRates(shop.client));
      await shop.sandbox.advance(1_000);
      const end = shop.sandbox.fault({ path: '/v1/rates/ticker', action: { status: 500 } });
      const last = (n: number) => logs[n]!.values.at(-1)!;
      mood.behind = 30_000;
      shop.sandbox.move('invoice', all[3]!.invoiceId, 'PENDING');
      await shop.sandbox.advance(5_000);
      mood.isDown = true;
      await shop.sandbox.advance(2_000);
      mood.isDown = false;
      await shop.sandbox.advance(12_000);
      expect(last(4).freshness).to.equal('live');
      expect(last(3)).to.nested.include({ freshness: 'stale', 'value.state': 'UNPAID' });
      expect(rates.values.at(-1)!.freshness).to.equal('stale');
      end();
      mood.behind = 0;
      await shop.sandbox.advance(30_000);
      expect(last(3)).to.nested.include({ freshness: 'live', 'value.state': 'PENDING' });
      rates.stop();
      stop();
    },
  );

  itLong('makes nothing stale: all is read in turn beside it', async () => {
    const { shop, all, mood, logs, stop } = await byFeed(40);
    const rates = record(watchRates(shop.client));
    await shop.sandbox.advance(10_000);
    const before = rates.values.length;
    shop.sandbox.move('invoice', all[0]!.invoiceId, 'CANCELLED');
    await shop.sandbox.advance(5_000);
    mood.isDown = true;
    await shop.sandbox.advance(2_000);
    expect(watchRates(shop.client).status().reason).not.to.include('the service is down');
    const [done, ...others] = logs.map(({ values }) => values.at(-1)!);
    expect(done).to.nested.include({ freshness: 'live', 'value.state': 'CANCELLED' });
    for (const last of others) expect(last.freshness).to.equal('live');
    expect(rates.values.slice(before).map(({ freshness }) => freshness)).not.to.include('stale');
    rates.stop();
    stop();
  });
});

describe('a feed that covers watches', () => {
  itLong('is dropped where all can be live only without it, and taken again', async () => {
    const { shop, logs, plan, stop } = await byFeed(200);
    const { sandbox, client } = shop;
    const changes: { readonly at: number; readonly to: string | undefined }[] = [];
    const pass = async (minutes: number, isBusy: boolean) => {
      for (let n = 0; n < minutes * 30; n++) {
        const own = [1, 2].map(() => isBusy && client.balances.list().catch(() => {}));
        await sandbox.advance(2_000);
        await Promise.all(own);
        const to = plan();
        if (to !== (changes.at(-1)?.to ?? 'event feed'))
          changes.push({ at: sandbox.clock.now(), to });
      }
    };
    await pass(15, true);
    expect(changes.map(({ to }) => to)).to.deep.equal(['polling']);
    const areLive = logs.every(({ values }) => values.at(-1)!.freshness === 'live');
    expect(areLive, 'by all that is left').to.equal(true);
    await pass(15, false);
    expect(changes.map(({ to }) => to)).to.deep.equal(['polling', 'event feed']);
    expect(changes[1]!.at - changes[0]!.at).to.be.above(MINUTE);
    expect(sandbox.blocks).to.equal(0);
    stop();
  });

  itWhole('is polled as often as before after minutes with a change each second', async () => {
    const { shop, all, timesOf, stop } = await byFeed(300);
    for (let n = 0; n < 240; n++) {
      shop.sandbox.move('invoice', all[n]!.invoiceId, 'PENDING');
      await shop.sandbox.advance(1_000);
    }
    await shop.sandbox.advance(3 * MINUTE); // pages in turn saw such a rate sooner than the feed
    shop.requests.length = 0;
    await shop.sandbox.advance(MINUTE);
    const polls = new Set(timesOf('/v1/events')); // one poll may read more than one page at once
    expect(polls.size).to.be.within(24, 31);
    stop();
  });

  itLong(
    'reads what changed just before it was watched again when no copy can hide that',
    async () => {
      const { shop, logs, mood, stop } = await byFeed(40);
      const late = await shop.invoice();
      await shop.sandbox.advance(40_000);
      await shop.pay(late);
      await shop.sandbox.advance(5_000);
      mood.behind = 30_000;
      const log = record(watchInvoice(shop.client, late));
      await shop.sandbox.advance(1_000);
      expect(log.values.at(-1)!.value.state, 'as the copy shows it').to.equal('UNPAID');
      await shop.sandbox.advance(31_000);
      expect(log.values.at(-1)!.value.state).to.equal('PAID');
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
      stop();
    },
  );

  itLong(
    'reads what was said to have changed and has not after 2, 10 and 30 s, and beside the others later',
    async () => {
      const { shop, all, readsOf, stop } = await byFeed(40);
      const begun = shop.sandbox.clock.now();
      invalidate(shop.client, 'invoice', all[7]!.invoiceId);
      await shop.sandbox.advance(2 * MINUTE);
      const seconds = readsOf(all[7]!, begun).map((at) => Math.round((at - begun) / 1_000));
      expect(seconds.slice(0, 4)).to.deep.equal([0, 2, 10, 30]);
      stop();
    },
  );

  itLong(
    'reads what it says has changed at once, and when no copy can hide what came since',
    async () => {
      const { shop, all, readsOf, timesOf, stop } = await byFeed(40);
      for (const [n, pause, expected] of [
        [3, 1_000, [1, 31]],
        [4, 0, [2, 30, 32]],
      ] as const) {
        const polls = timesOf('/v1/events').length;
        while (timesOf('/v1/events').length === polls) await shop.sandbox.advance(100);
        await shop.sandbox.advance(pause);
        const begun = shop.sandbox.clock.now();
        shop.sandbox.move('invoice', all[n]!.invoiceId, 'PENDING');
        await shop.sandbox.advance(3 * MINUTE);
        const seconds = readsOf(all[n]!, begun).map((at) => Math.round((at - begun) / 1_000));
        expect(seconds).to.deep.equal(expected);
      }
      stop();
    },
  );

  itLong('reads what changed ten times in a second few times', async () => {
    const { shop, all, readsOf, stop } = await byFeed(40);
    const begun = shop.sandbox.clock.now();
    for (let n = 0; n < 10; n++) {
      invalidate(shop.client, 'invoice', all[7]!.invoiceId);
      await shop.sandbox.advance(150);
    }
    await shop.sandbox.advance(40_000);
    expect(readsOf(all[7]!, begun + 15_000).length, 'when no copy can hide them').to.be.within(
      2,
      4,
    );
    stop();
  });

  itLong('has the balances read with any event, and in turn without one', async () => {
    const { shop, all, stop } = await byFeed(40);
    const balances = record(watchBalances(shop.client));
    await shop.sandbox.advance(MINUTE);
    const available = () =>
      balances.values.at(-1)!.value.find(({ currency }) => currency === 'USD')?.available;
    const before = available();
    const reads = () => shop.requests.filter(({ path }) => path === '/v1/balances').length;
    shop.requests.length = 0;
    await shop.sandbox.advance(5 * MINUTE);
    expect(reads(), 'in five minutes').to.be.within(10, 40);
    shop.requests.length = 0;
    await shop.pay(all[3]!);
    await shop.sandbox.advance(5_000);
    expect(reads()).to.be.within(1, 5);
    const reasons = shop.requests.filter(({ path }) => path === '/v1/balances');
    expect(reasons.map(({ reason }) => reason)).to.include('event, by event feed');
    expect(available()).not.to.equal(before);
    balances.stop();
    stop();
  });

  itLong('is asked at once when a page is shown again that waits for reversals only', () =>
    inPage(async (page) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      await shop.pay(invoice);
      const seen = record(watchInvoice(shop.client, invoice, { until: 'never' }));
      await shop.sandbox.advance(5 * MINUTE);
      shop.requests.length = 0;
      await shop.sandbox.advance(10 * MINUTE);
      expect(shop.requests.length, 'each 18 s').to.be.within(60, 70);
      page.hide();
      await shop.sandbox.advance(65_000);
      shop.sandbox.move('invoice', invoice.invoiceId, 'REVERSED');
      page.show();
      await shop.sandbox.advance(2_200);
      expect(seen.values.at(-1)!.value.state).to.equal('REVERSED');
      seen.stop();
      await shop.sandbox.advance(0);
    }),
  );
});

describe('an event', () => {
  itLong('of its creation has an invoice that was read since not read again', async () => {
    const { shop, readsOf, stop } = await byFeed(40);
    for (const pause of [0, 5_000]) {
      const begun = shop.sandbox.clock.now();
      const invoice = await shop.invoice();
      await shop.sandbox.advance(pause);
      const log = record(watchInvoice(shop.client, invoice.invoiceId));
      await shop.sandbox.advance(3 * MINUTE);
      expect(readsOf(invoice, begun).length).to.be.within(1, 2);
      expect(log.values.at(-1)!.freshness).to.equal('live');
      log.stop();
    }
    stop();
  });

  itLong(
    'that is lost has all read that it may be about: no rates, and nothing that can change no more',
    async () => {
      const { shop, garble } = openGarbling({ data: null });
      const [over, ...open] = await invoices(shop, 40);
      await shop.pay(over!);
      shop.sandbox.move('invoice', over!.invoiceId, 'REVERSED');
      const rates = record(watchRates(shop.client));
      const logs = [over!, ...open].map((one) =>
        record(watchInvoice(shop.client, one, { until: 'never' })),
      );
      await shop.sandbox.advance(20 * MINUTE);
      const ratesAsked = () => shop.requests.filter(({ path }) => path.includes('/rates')).length;
      const before = ratesAsked();
      while (ratesAsked() === before) await shop.sandbox.advance(500);
      garble();
      shop.sandbox.move('invoice', open[3]!.invoiceId, 'PENDING');
      shop.requests.length = 0;
      await shop.sandbox.advance(5_000);
      expect(logs[4]!.values.at(-1)!.value.state).to.equal('PENDING');
      expect(ratesAsked()).to.equal(0);
      expect(watchInvoice(shop.client, over!).status().trigger).to.equal('regular read');
      for (const log of [rates, ...logs]) log.stop();
    },
  );

  itLong('about something else with the same id has nothing read', async () => {
    const { shop, garble } = openGarbling({ eventType: 'payout.updated' });
    const all = await invoices(shop, 200);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(2 * MINUTE);
    garble();
    shop.requests.length = 0;
    shop.sandbox.move('invoice', all[3]!.invoiceId, 'PENDING');
    await shop.sandbox.advance(MINUTE);
    const reads = shop.requests.filter(({ path }) => path !== '/v1/events');
    expect(reads.every(({ reason }) => reason.startsWith('regular read'))).to.equal(true);
    for (const log of logs) log.stop();
  });
});
