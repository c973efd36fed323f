import { describe, it, itLong } from '#test';
import { expect } from 'chai';
import { createClient, watchInvoice } from 'paystate';
import { invoices } from './invoices.ts';
import { inPage } from './page.ts';
import { openGarbling, openShop, record } from './shop.ts';
import { sleeper } from './sleeper.ts';

const MINUTE = 60_000;

describe('a machine that slept', () => {
  for (const standsStill of [true, false])
    itLong(
      `through a night begins its feed anew and looks once at all (its clock ${standsStill ? 'stood still' : 'went on'})`,
      async () => {
        const { timed, sleep } = sleeper(standsStill);
        const shop = openShop({}, undefined, {}, timed);
        const all = await invoices(shop, 400);
        const watched = all.slice(0, 60);
        const logs = watched.map((invoice) => record(watchInvoice(shop.client, invoice)));
        await shop.sandbox.advance(5 * MINUTE);
        const till = createClient({ ...shop.sandbox.clientOptions, callTimeout: 10 * MINUTE });
        shop.requests.length = 0;
        await sleep(shop, 8 * 60 * MINUTE, async () => {
          for (const invoice of all.slice(59, 359)) {
            const { lnInvoice } = await shop.sandbox.run(till.invoices.quote(invoice.invoiceId));
            await shop.sandbox.payer.pay(lnInvoice);
          }
        });
        await shop.sandbox.advance(5_000);
        expect(logs[59]!.values.at(-1)!.value.state).to.equal('PAID');
        expect(shop.requests.length).to.be.at.most(15);
        expect(logs[0]!.values.at(-1)!.freshness).to.equal('live');
        expect(logs[0]!.values.some(({ freshness }) => freshness === 'stale')).to.equal(true);
        for (const log of logs) log.stop();
      },
    );

  it('through a block notices that also where someone begins to watch before any timer rings', async () => {
    const { timed, sleep } = sleeper(true);
    let isBlocked = false;
    const refused = () =>
      new Response(JSON.stringify({ data: { status: 429, code: 'RATE_LIMIT_EXCEEDED' } }), {
        status: 429,
        headers: { 'retry-after': '3000' },
      });
    const answers = (_: string, ask: () => Promise<Response>) =>
      isBlocked ? Promise.resolve(refused()) : ask();
    const shop = openShop({}, answers, {}, timed);
    const [one, other] = await invoices(shop, 2);
    const logs = [record(watchInvoice(shop.client, one!))];
    await shop.sandbox.advance(10_000);
    isBlocked = true;
    await shop.sandbox.advance(12_000);
    expect(logs[0]!.values.at(-1)!.freshness).to.equal('blocked');
    isBlocked = false;
    await sleep(shop, 120 * MINUTE, undefined, () => {
      logs.push(record(watchInvoice(shop.client, other!)));
    });
    await shop.sandbox.advance(30_000);
    expect(logs.map(({ values }) => values.at(-1)?.freshness)).to.deep.equal(['live', 'live']);
    shop.requests.length = 0;
    await shop.sandbox.advance(30_000);
    expect(shop.requests.length, 'one each two seconds at most').to.be.at.most(16);
    for (const log of logs) log.stop();
  });
});

describe('a gap in the event feed', () => {
  itLong('makes all that it covers stale until it was looked at, and status says so', async () => {
    const { shop, garble } = openGarbling({ data: null });
    const all = await invoices(shop, 200);
    const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(5 * MINUTE);
    const watch = watchInvoice(shop.client, all[3]!);
    const { noGapSince } = watch.status();
    garble();
    await shop.pay(all[3]!);
    await shop.sandbox.advance(10_000);
    expect(logs[3]!.values.at(-1)!.value.state).to.equal('PAID');
    expect(logs[4]!.values.map(({ freshness }) => freshness)).to.deep.equal([
      'live',
      'stale',
      'live',
    ]);
    const after = watchInvoice(shop.client, all[4]!).status();
    expect(after.noGapSince).to.be.greaterThan(noGapSince!);
    expect(after.reason).to.include('cannot be read');
    for (const log of logs) log.stop();
  });
});

describe('a proxy before the service', () => {
  const pages = [403, 404, 401].map((status) => [
    status,
    () => new Response('<h1>not here</h1>', { status }),
  ]) as [number, () => Response][];
  for (const [status, page] of pages)
    itLong(`whose ${status} page meets lists and feed switches neither off`, async () => {
      let isBefore = false;
      const shop = openShop({}, (_url, ask) => (isBefore ? Promise.resolve(page()) : ask()));
      const all = await invoices(shop, 60);
      const watches = all.map(({ invoiceId }) => watchInvoice(shop.client, invoiceId));
      isBefore = true;
      let logs = watches.slice(0, 5).map((watch) => record(watch));
      await shop.sandbox.advance(MINUTE);
      isBefore = false;
      await shop.sandbox.advance(MINUTE);
      shop.requests.length = 0;
      await shop.sandbox.advance(10_000);
      expect(shop.requests.length, 'lists').to.be.at.most(6);
      logs = logs.concat(watches.slice(5).map((watch) => record(watch)));
      await shop.sandbox.advance(MINUTE);
      isBefore = true;
      await shop.sandbox.advance(MINUTE);
      isBefore = false;
      await shop.sandbox.advance(2 * MINUTE);
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
      expect(logs.some(({ ended }) => ended)).to.equal(false);
      for (const log of logs) log.stop();
    });
});

describe('a page with many watches', () => {
  itLong('that is clicked once a second asks once in two seconds for each page of it at most', () =>
    inPage(async () => {
      for (const count of [10, 200]) {
        const shop = openShop({ seed: count });
        const all = await invoices(shop, count);
        const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
        await shop.sandbox.advance(2 * MINUTE);
        shop.requests.length = 0;
        for (let second = 0; second < 60; second++) {
          globalThis.dispatchEvent?.(new Event('focus'));
          (globalThis as { document?: EventTarget }).document!.dispatchEvent(new Event('focus'));
          await shop.sandbox.advance(1_000);
        }
        expect(shop.requests.length).to.be.at.most(110);
        for (const log of logs) log.stop();
        await shop.sandbox.advance(0);
      }
    }),
  );

  for (const count of [1, 40, 200])
    itLong(
      `sends one request a minute at most while it is hidden, and catches up when shown (${count})`,
      () =>
        inPage(async (page) => {
          const shop = openShop({ seed: count });
          const all = await invoices(shop, count);
          const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
          await shop.sandbox.advance(2 * MINUTE);
          page.hide();
          await shop.sandbox.advance(MINUTE);
          shop.requests.length = 0;
          await shop.sandbox.advance(20 * MINUTE);
          expect(shop.requests.length).to.be.within(10, 20);
          await shop.pay(all[0]!);
          page.show();
          await shop.sandbox.advance(2_500);
          expect(logs[0]!.values.at(-1)!.value.state).to.equal('PAID');
          await shop.sandbox.advance(10_000);
          expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
          for (const log of logs) log.stop();
          await shop.sandbox.advance(0);
        }),
    );
});

describe('a block by the service', () => {
  itLong('is shown as blocked in every plan, and all goes on after it', async () => {
    for (const count of [10, 100]) {
      let isBlocked = false;
      const refused = () =>
        new Response(JSON.stringify({ data: { status: 429, code: 'RATE_LIMIT_EXCEEDED' } }), {
          status: 429,
          headers: { 'retry-after': '3600' },
        });
      const shop = openShop({ seed: count }, (_url, ask) =>
        isBlocked ? Promise.resolve(refused()) : ask(),
      );
      const all = await invoices(shop, count);
      const logs = all.map((invoice) => record(watchInvoice(shop.client, invoice)));
      await shop.sandbox.advance(2 * MINUTE);
      isBlocked = true;
      await shop.sandbox.advance(10_000);
      shop.requests.length = 0;
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'blocked')).to.equal(true);
      await shop.sandbox.advance(55 * MINUTE);
      expect(shop.requests).to.have.length(0);
      isBlocked = false;
      await shop.sandbox.advance(6 * MINUTE);
      expect(logs.every(({ values }) => values.at(-1)!.freshness === 'live')).to.equal(true);
      for (const log of logs) log.stop();
    }
  });
});
