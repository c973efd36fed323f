// Where the service or a part of it goes away, watches say what is still live, and ask for the rest seldom.
import { expect } from 'chai';
import { describe, it } from '#test';
import { watchInvoice, watchRates } from 'paystate';
import { invoices } from './invoices.ts';
import { altered, openShop, record, refusal } from './shop.ts';

describe('a service that goes away', () => {
  it('leaves nothing live after the second failure in a row, also what was not asked for', async () => {
    let isDown = false;
    const shop = openShop(
      {},
      (_url, ask) => (isDown ? Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE')) : ask()),
      { capabilities: { feed: false } },
    );
    const [open, ...paid] = await invoices(shop, 3);
    for (const invoice of paid) await shop.pay(invoice); // they are not polled
    const log = record(watchInvoice(shop.client, open!));
    const logs = paid.map((one) => record(watchInvoice(shop.client, one, { until: 'never' })));
    await shop.sandbox.advance(5_000);
    isDown = true;
    shop.requests.length = 0;
    const failure = async (count: number) => {
      while (shop.requests.length < count) await shop.sandbox.advance(50);
      await shop.sandbox.advance(10);
      return logs.map(({ values }) => values.at(-1)!.freshness);
    };
    await failure(1);
    expect(await failure(2)).to.deep.equal(['stale', 'stale']);
    expect(shop.requests).to.have.length(2);
    for (const one of [log, ...logs]) one.stop();
  });

  it('is asked by one request at a time, however long each takes', async () => {
    let isDown = false;
    const shop = openShop({}, async (_url, ask) => {
      if (!isDown) return ask();
      await shop.sandbox.clock.wait(5_000);
      return refusal(503, 'SERVICE_UNAVAILABLE');
    });
    const all = await invoices(shop, 3);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    const rates = record(watchRates(shop.client));
    await shop.sandbox.advance(10_000);
    isDown = true;
    await shop.sandbox.advance(15_000);
    for (let n = 0; n < 60; n++) {
      await shop.sandbox.advance(500);
      expect(shop.flying()).to.be.at.most(1);
    }
    for (const log of [rates, ...logs]) log.stop();
  });
});

describe('a feed that never brings all that it counts', () => {
  it('makes nothing live: what is live was read not long ago', async () => {
    const shop = openShop({}, async (url, ask) =>
      url.includes('/v1/events')
        ? altered(await ask(), (page: { count: number }) => ({ ...page, count: page.count + 1 }))
        : ask(),
    );
    const all = await invoices(shop, 40);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    for (let n = 0; n < 6; n++) {
      await shop.sandbox.advance(20_000);
      for (const [at, { values }] of logs.entries()) {
        const { readAt } = watchInvoice(shop.client, all[at]!).status();
        if (values.at(-1)!.freshness === 'live')
          expect(shop.sandbox.clock.now() - readAt!).to.be.below(35_000);
      }
    }
    for (const log of logs) log.stop();
  });
});

describe('one failed read', () => {
  it('makes stale what it was about; the second one in a row all, at once', async () => {
    const bad = new Set<string>();
    const shop = openShop({}, async (url, ask) =>
      [...bad].some((id) => url.includes(id)) ? refusal(503, 'SERVICE_UNAVAILABLE') : ask(),
    );
    const rates = record(watchRates(shop.client));
    const invoice = await shop.invoice();
    const seen = record(watchInvoice(shop.client, invoice));
    await shop.sandbox.advance(20_000);
    bad.add(invoice.invoiceId);
    while (seen.values.at(-1)!.freshness === 'live') await shop.sandbox.advance(10);
    expect(rates.values.at(-1)!.freshness).to.equal('live');
    const { trigger } = watchInvoice(shop.client, invoice).status();
    expect(trigger).to.equal('again after SERVICE_UNAVAILABLE');
    bad.clear();
    await shop.sandbox.advance(10_000);
    expect(seen.values.at(-1)!.freshness).to.equal('live');
    bad.add('/v1/');
    let failed = 0;
    shop.requests.length = 0;
    while (failed < 2) {
      await shop.sandbox.advance(10);
      failed = shop.requests.length;
    }
    await shop.sandbox.advance(100);
    for (const { values } of [rates, seen])
      expect(values.at(-1)).to.nested.include({
        freshness: 'stale',
        'error.code': 'SERVICE_UNAVAILABLE',
      });
    bad.clear();
    rates.stop();
    seen.stop();
  });
});
