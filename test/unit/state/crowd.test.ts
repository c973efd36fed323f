// Thousands of watches: what covers many at once brings them back, and nothing is read twice.
import { describe, itLong as it, sized, itWhole } from '#test';
import { expect } from 'chai';
import { createClient, type Invoice, watchInvoice, watchReceives } from 'paystate';
import { invoices } from './invoices.ts';
import {
  altered,
  type Answers,
  openGarbling,
  openShop,
  type Record,
  record,
  refusal,
  type Shop,
} from './shop.ts';

const MINUTE = 60_000;
const CROWD = sized(1_600, 3_000);

/** Makes invoices over a quarter of an hour, from many addresses, and forgets the requests. */
async function crowd(shop: Shop, count: number): Promise<Invoice[]> {
  const made: Invoice[] = [];
  const steps = count / 200;
  for (let step = 0; step < steps; step++) {
    const address = `198.18.0.${step}`;
    const till = createClient(shop.sandbox.clientOptionsFor({ address }));
    const amount = { amount: '1', currency: 'EUR' } as const;
    for (let n = 0; n < 200; n++)
      made.push(await shop.sandbox.run(till.invoices.create({ amount })));
    await shop.sandbox.advance((15 * MINUTE) / steps);
  }
  shop.requests.length = 0;
  return made;
}

const watchAll = (shop: Shop, all: readonly Invoice[]) =>
  all.map((invoice) => record(watchInvoice(shop.client, invoice)));
const areLive = (logs: readonly Record<{ freshness: string }>[]) =>
  logs.every(({ values }) => values.at(-1)?.freshness === 'live');
const countOf = (shop: Shop, path: string) =>
  shop.requests.filter((one) => one.path === path).length;

describe('thousands of watches', () => {
  itWhole(
    'are first read once each, by pages of their list, and in turn once in three minutes',
    async () => {
      const shop = openShop({}, async (_url, ask) => {
        await shop.sandbox.clock.wait(100);
        return ask();
      });
      const logs = watchAll(shop, await crowd(shop, CROWD));
      await shop.sandbox.advance(30_000);
      expect(areLive(logs)).to.equal(true);
      expect(countOf(shop, '/v1/invoices')).to.be.at.most(CROWD / 100 + 25);
      await shop.sandbox.advance(10 * MINUTE);
      const latest = shop.sandbox.clock.now() - 3 * MINUTE;
      for (const { values } of logs) expect(values).to.have.length(1);
      expect(watchInvoice(shop.client, logs[0]!.values[0]!.value).status()).to.include({
        liveFor: 3 * MINUTE,
      });
      for (const { values } of logs)
        expect(watchInvoice(shop.client, values[0]!.value).status().readAt).to.be.above(latest);
      for (const log of logs) log.stop();
    },
  );

  itWhole('go on with a feed that was away from where it was', async () => {
    let isDown = false;
    const shop = openShop({}, (url, ask) => {
      if (url.includes('state%20eq')) return Promise.resolve(refusal(400, 'INVALID_DATA_QUERY'));
      return isDown && url.includes('/v1/events')
        ? Promise.resolve(refusal(503, 'SERVICE_UNAVAILABLE'))
        : ask();
    });
    const all = await crowd(shop, CROWD);
    const logs = watchAll(shop, all);
    await shop.sandbox.advance(2 * MINUTE);
    isDown = true;
    await shop.sandbox.advance(5 * MINUTE);
    expect(watchInvoice(shop.client, all[5]!).status().reason).to.match(/^polling/);
    await shop.pay(all[5]!);
    isDown = false;
    await shop.sandbox.advance(4 * MINUTE);
    expect(logs[5]!.values.at(-1)!.value.state).to.equal('PAID');
    expect(watchInvoice(shop.client, all[6]!).status().reason).to.match(/^event feed/);
    for (const log of logs) log.stop();
  });

  itWhole('are not called live by a feed that did not bring all from where it was', async () => {
    let mood: 'well' | 'down' | 'short' = 'well';
    const shop = openShop({}, async (url, ask) => {
      if (mood === 'well' || !url.includes('/v1/events')) return ask();
      if (mood === 'down') return refusal(503, 'SERVICE_UNAVAILABLE');
      // an event is counted that no page shows
      return altered(await ask(), (page: { count: number }) => ({
        ...page,
        count: page.count + 1,
      }));
    });
    const all = await crowd(shop, CROWD);
    const logs = watchAll(shop, all);
    await shop.sandbox.advance(2 * MINUTE);
    mood = 'down';
    await shop.sandbox.advance(2 * MINUTE);
    mood = 'short';
    await shop.sandbox.advance(4 * MINUTE);
    const since = shop.sandbox.clock.now() - 1.5 * MINUTE;
    const live = logs.filter(({ values }) => values.at(-1)!.freshness === 'live');
    expect(live.every(({ values }) => values.at(-1)!.asOf > since)).to.equal(true);
    for (const log of logs) log.stop();
  });

  it('are in doubt by an unreadable event only as far as it may be about them', async () => {
    const { shop, garble } = openGarbling({ eventType: 7 });
    const all = await invoices(shop, 200);
    const logs = watchAll(shop, all);
    await shop.sandbox.advance(5 * MINUTE);
    garble();
    await shop.pay(all[3]!);
    shop.requests.length = 0;
    await shop.sandbox.advance(10_000);
    expect(logs[3]!.values.at(-1)!.value.state).to.equal('PAID');
    expect(logs[4]!.values.map(({ freshness }) => freshness)).to.deep.equal(['live']);
    const reads = shop.requests.filter(({ path }) => path !== '/v1/events');
    expect(
      reads.filter(({ reason }) => !/^(regular|missing from a page)/.test(reason)).length,
    ).to.be.at.most(1);
    for (const log of logs) log.stop();
  });

  itWhole(
    'given by their ids are read by pages after a gap: they say when they were made',
    async () => {
      const { shop, garble } = openGarbling({ data: null });
      const all = await invoices(shop, 200);
      const logs = all.map(({ invoiceId }) => record(watchInvoice(shop.client, invoiceId)));
      await shop.sandbox.advance(5 * MINUTE);
      garble();
      await shop.pay(all[3]!);
      shop.requests.length = 0;
      await shop.sandbox.advance(10_000);
      expect(areLive(logs)).to.equal(true);
      expect(countOf(shop, '/v1/invoices')).to.be.at.most(8);
      for (const log of logs) log.stop();
    },
  );

  it('are read twice by pages after a gap: at once, and when no copy can hide a change', async () => {
    const { shop, garble } = openGarbling({ data: null });
    const all = await crowd(shop, 600);
    const logs = watchAll(shop, all);
    await shop.sandbox.advance(5 * MINUTE);
    garble();
    await shop.pay(all[3]!);
    shop.requests.length = 0;
    await shop.sandbox.advance(MINUTE);
    expect(logs[3]!.values.at(-1)!.value.state).to.equal('PAID');
    expect(areLive(logs)).to.equal(true);
    expect(countOf(shop, '/v1/invoices')).to.be.at.most(2 * 7 + 30);
    for (const log of logs) log.stop();
  });

  it('that wait for a look do not keep one waiting that confirms a change', async () => {
    let isLagging = false;
    const answers: Answers = async (url, ask) =>
      isLagging && /\/v1\/invoices/.test(url)
        ? altered(await ask(), (json: Invoice) => ({ ...json, state: 'UNPAID' }))
        : ask();
    const shop = openShop({}, answers);
    const patient = shop.client.withOptions({ callTimeout: 3_600_000 });
    const made = [];
    for (let n = 0; n < 600; n++)
      made.push(shop.sandbox.run(patient.receiveRequests.create({ onchain: {} })));
    const requests = await Promise.all(made);
    const [invoice] = await invoices(shop, 1);
    await shop.sandbox.advance(61 * MINUTE);
    const seen = record(watchInvoice(shop.client, invoice!));
    await shop.sandbox.advance(5_000);
    const logs = requests.map((request) => record(watchReceives(shop.client, request)));
    await shop.sandbox.advance(5 * MINUTE);
    expect(
      logs.some(({ values }) => values.length === 0),
      'many wait',
    ).to.equal(true);
    isLagging = true;
    await shop.pay(invoice!);
    await shop.sandbox.advance(4_000);
    isLagging = false;
    await shop.sandbox.advance(8_000);
    expect(seen.values.at(-1)!.value.state).to.equal('PAID');
    for (const log of logs) log.stop();
  });
});
