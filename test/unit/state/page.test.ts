import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { type Invoice, invalidate, watchInvoice, watchRates } from 'paystate';
import { inPage } from './page.ts';
import { openShop, record } from './shop.ts';

describe('a page that watches', () => {
  it('is slow while it is hidden and looks within a second when it is visible again', () =>
    inPage(async (page) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      page.hide();
      await shop.sandbox.advance(4_000);
      shop.requests.length = 0;
      await shop.sandbox.advance(100_000);
      expect(shop.requests.length).to.be.at.most(4);
      await shop.pay(invoice);
      page.show();
      await shop.sandbox.advance(1_000);
      expect(seen.values.at(-1)!.value.state).to.equal('PAID');
      seen.stop();
      await shop.sandbox.advance(0);
    }));

  itLong(
    'reads at once also what it polls seldom, but nothing that was read within two seconds',
    () =>
      inPage(async (page) => {
        const shop = openShop();
        const rates = record(watchRates(shop.client));
        await shop.sandbox.advance(20 * 60_000); // they are polled each half minute by now
        shop.requests.length = 0;
        while (shop.requests.length === 0) await shop.sandbox.advance(500);
        for (const [pause, reads] of [
          [500, 1],
          [5_000, 2],
        ] as const) {
          await shop.sandbox.advance(pause);
          page.hide();
          page.show();
          await shop.sandbox.advance(100);
          expect(shop.requests).to.have.length(reads);
        }
        rates.stop();
        await shop.sandbox.advance(0);
      }),
  );

  it('does not call live, while hidden, what was announced to have changed', () =>
    inPage(async (page) => {
      const shop = openShop();
      const { invoiceId } = await shop.invoice();
      const watch = watchInvoice(shop.client, invoiceId);
      const seen = record(watch);
      await shop.sandbox.advance(1_000);
      page.hide();
      expect(watch.current().freshness).to.equal('live');
      invalidate(shop.client, 'invoice', invoiceId);
      expect(watch.current().freshness).to.equal('stale');
      seen.stop();
      await shop.sandbox.advance(0);
    }));

  it('says offline, and looks within a second when the network is back', () =>
    inPage(async (page) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      const endFault = shop.sandbox.fault({ method: 'GET', action: 'lost-before' });
      page.network(false);
      expect(seen.values.at(-1)!.freshness).to.equal('offline');
      await shop.sandbox.advance(120_000);
      expect(seen.values.at(-1)!.freshness).to.equal('offline');
      expect(seen.values).to.have.length(2);
      endFault();
      page.network(true);
      await shop.sandbox.advance(1_000);
      expect(seen.values.at(-1)!.freshness).to.equal('live');
      seen.stop();
      await shop.sandbox.advance(0);
    }));

  it('calls nothing live for longer than half a minute, for it asks once a minute only', () =>
    inPage(async (page) => {
      const shop = openShop();
      const settled = await shop.invoice();
      await shop.pay(settled);
      const other = record(watchInvoice(shop.client, settled, { until: 'never' }));
      const seen = record(watchInvoice(shop.client, await shop.invoice()));
      await shop.sandbox.advance(60_000);
      const freshness = () => seen.values.at(-1)!.freshness;
      const unseen = await shop.invoice();
      await shop.sandbox.advance(4_000);
      page.hide();
      const late = record(watchInvoice(shop.client, unseen)); // its first read is the next request
      await shop.sandbox.advance(31_000);
      expect(freshness()).to.equal('stale');
      await shop.sandbox.advance(5 * 60_000);
      expect(late.values.map((one) => one.freshness)).to.deep.equal(['stale']);
      expect(freshness()).to.equal('stale');
      page.show();
      await shop.sandbox.advance(2_000);
      expect([freshness(), late.values.at(-1)!.freshness]).to.deep.equal(['live', 'live']);
      for (const log of [other, seen, late]) log.stop();
      await shop.sandbox.advance(0);
    }));

  it('calls none of many values live for longer than half a minute after its own read', () =>
    inPage(async (page) => {
      const shop = openShop({}, undefined, { capabilities: { list: false, feed: false } });
      const invoices: Invoice[] = [];
      for (let n = 0; n < 10; n++) invoices.push(await shop.invoice());
      const watches = invoices.map((invoice) => watchInvoice(shop.client, invoice));
      const logs = watches.map((watch) => record(watch));
      await shop.sandbox.advance(60_000);
      const live = () => watches.filter((watch) => watch.current().freshness === 'live');
      expect(live()).to.have.length(10);
      page.hide();
      for (let step = 0; step < 320; step++) {
        await shop.sandbox.advance(100);
        for (const watch of live())
          expect(shop.sandbox.clock.now() - watch.current().checkedAt!).to.be.at.most(30_000);
      }
      expect(live()).to.deep.equal([]);
      for (const log of logs) log.stop();
    }));

  it('takes its listeners away with the last watch', () =>
    inPage(async (page) => {
      const shop = openShop();
      const invoice = await shop.invoice();
      const before = page.listeners();
      const seen = record(watchInvoice(shop.client, invoice));
      await shop.sandbox.advance(1_000);
      expect(page.listeners() - before).to.be.greaterThan(3);
      seen.stop();
      await shop.sandbox.advance(0);
      expect(page.listeners()).to.equal(before);
    }));
});
