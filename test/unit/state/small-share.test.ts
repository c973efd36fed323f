// A client that may use a small share of the rate limit: what its watches say, and how its places are shared.
import { expect } from 'chai';
import { describe, it, itLong } from '#test';
import { createClient, type Invoice, watchInvoice, watchRates, watchReceives } from 'paystate';
import { expectTurnOfChanged } from './first-turn.ts';
import { openShop, record, type Shop } from './shop.ts';

const MINUTE = 60_000;

/** A shop with a share of the limit, and a client at another address, with all of its own. */
function openSmall(rateLimitShare: number, changes = {}) {
  const shop = openShop({}, undefined, { rateLimitShare, ...changes });
  const other = createClient(shop.sandbox.clientOptionsFor({ address: '198.18.0.9' }));
  const amount = { amount: '1', currency: 'EUR' } as const;
  const create = async (count: number): Promise<Invoice[]> => {
    const made = [];
    for (let n = 0; n < count; n++)
      made.push(await shop.sandbox.run(other.invoices.create({ amount })));
    return made;
  };
  return { shop, other, create };
}

const looksOf = (shop: Shop) =>
  shop.requests.filter(({ path }) => path.includes('/receive-requests/'));

describe('with a small share of the rate limit', () => {
  it('a value that cannot be read each half minute is stale throughout, and says why', async () => {
    const { shop, create } = openSmall(0.02, { capabilities: { feed: false } });
    const [invoice] = await create(1);
    const watch = watchInvoice(shop.client, invoice!);
    const log = record(watch);
    await shop.sandbox.advance(10 * MINUTE);
    expect(log.values.map(({ freshness }) => freshness)).to.deep.equal(['stale']);
    expect(watch.status().liveFor).to.equal(undefined);
    expect(watch.status().reason).to.match(
      /not live: the rate limit only allows a read every \d+ s/,
    );
    expect(shop.requests.length).to.be.within(14, 17);
    log.stop();
  });

  itLong('a hundred are live, also those that come later', async () => {
    const { shop, create } = openSmall(0.1, { capabilities: { feed: false } });
    const all = await create(100);
    const watch = (part: readonly Invoice[]) =>
      part.map((invoice) => record(watchInvoice(shop.client, invoice)));
    const areLive = (logs: ReturnType<typeof watch>) =>
      logs.every(({ values }) => values.at(-1)?.freshness === 'live');
    const first = watch(all.slice(0, 80));
    await shop.sandbox.advance(5 * MINUTE);
    expect(watchInvoice(shop.client, all[0]!).status().reason).to.match(/^polling/);
    expect(areLive(first)).to.equal(true);
    const later = watch(all.slice(80));
    await shop.sandbox.advance(5 * MINUTE);
    expect(areLive([...first, ...later])).to.equal(true);
    expect(shop.requests.length, 'in ten minutes').to.be.at.most(90);
    for (const log of [...first, ...later]) log.stop();
  });

  itLong('a fifth of the first looks leave at once, the others evenly', async () => {
    const { shop, other } = openSmall(0.1);
    const all = [];
    for (let n = 0; n < 60; n++)
      all.push(await shop.sandbox.run(other.receiveRequests.create({ onchain: {} })));
    const rates = record(watchRates(shop.client));
    const logs = all.map((request) => record(watchReceives(shop.client, request)));
    await shop.sandbox.advance(5_000);
    const atOnce = looksOf(shop).length;
    expect(atOnce).to.be.within(12, 18);
    await shop.sandbox.advance(5 * MINUTE);
    expect(looksOf(shop).length - atOnce).to.be.within(13, 35);
    expect(rates.values.length, 'rates wait for none of them').to.be.at.least(14);
    await expectTurnOfChanged(shop, all, logs);
    await shop.sandbox.advance(25 * MINUTE);
    expect(logs.every(({ values }) => values.length > 0)).to.equal(true);
    const times = looksOf(shop).map(({ sentAt }) => sentAt);
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 10 * MINUTE).length).to.be.at.most(75);
    for (const log of [rates, ...logs]) log.stop();
  });
});
