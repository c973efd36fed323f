// The walk through the pages of the list reaches each invoice in each round, and repeats no page for ever.
import { expect } from 'chai';
import { describe, itLong as it, itWhole } from '#test';
import { type Invoice, watchInvoice } from 'paystate';
import { type AskedPage, openPaged, type PagedShop } from './paged.ts';
import { record } from './shop.ts';

const MINUTE = 60_000;

/** `count` seconds, one after another. */
const seconds = (count: number) => Array.from({ length: count }, (_, n) => n);

type Crowds = readonly (readonly [second: number, count: number])[];

/** Watches these for five minutes with an unused rate limit, and returns the pages of the next five. */
async function pagesOf(shop: PagedShop, watched: readonly Invoice[]): Promise<AskedPage[]> {
  await shop.sandbox.advance(11 * MINUTE);
  const logs = watched.map((invoice) => record(watchInvoice(shop.client, invoice)));
  await shop.sandbox.advance(5 * MINUTE);
  shop.pages.length = 0;
  shop.requests.length = 0;
  await shop.sandbox.advance(5 * MINUTE);
  for (const log of logs) log.stop();
  return shop.pages;
}

/** Returns the most and the mean number of pages between two that hold the same invoice. */
function roundsOf(pages: readonly AskedPage[], watched: readonly Invoice[]) {
  let [most, all, count] = [0, 0, 0];
  for (const { invoiceId } of watched) {
    const at = pages.flatMap(({ held }, n) => (held.has(invoiceId) ? [n] : []));
    const ends = [-1, ...at, pages.length];
    most = Math.max(most, ...ends.slice(1).map((n, before) => n - ends[before]!));
    all += at.at(-1)! - at[0]!;
    count += at.length - 1;
  }
  return { most, mean: all / count };
}

/** Makes a number of invoices in each of these seconds. */
async function makeCrowds(shop: PagedShop, crowds: Crowds): Promise<Invoice[]> {
  const all: Invoice[] = [];
  const begun = shop.sandbox.clock.now();
  for (const [second, count] of crowds) {
    await shop.sandbox.advance(begun + second * 1_000 - shop.sandbox.clock.now());
    all.push(...(await shop.makeAtOnce(count)));
  }
  return all;
}

describe('pages of the list by creation', () => {
  for (const [declare, perSecond] of [
    [itWhole, 1],
    [itWhole, 5],
  ] as const)
    declare(
      `read 1,000 by ten requests a round, ${perSecond} created in a second: the last page wraps around`,
      async () => {
        const shop = openPaged();
        const all = await shop.makeAt(seconds(1_000).map((n) => Math.floor(n / perSecond)));
        const { most, mean } = roundsOf(await pagesOf(shop, all), all);
        expect(mean).to.be.within(9.5, 10.1);
        expect(most, 'none is left out of a round').to.be.at.most(11);
        expect(shop.requests.length, 'at the pace of the plan').to.be.at.most(255);
      },
    );

  for (const [declare, name, crowds, within] of [
    [itWhole, '150 of 150', [[0, 150]], 2],
    [
      itWhole,
      '300 of 600',
      [
        [0, 150],
        [60, 300],
        [120, 150],
      ],
      7,
    ],
    [
      it,
      '300 and 45 more in the next one',
      [
        [0, 100],
        [60, 300],
        [61, 45],
        [120, 150],
      ],
      10,
    ],
    [
      it,
      '95 and 45 more in the next one',
      [
        [0, 100],
        [60, 95],
        [61, 45],
        [120, 150],
      ],
      6,
    ],
    [it, 'a hundred each in four', seconds(4).map((n) => [n, 100]), 7],
  ] as readonly (readonly [typeof it, name: string, crowds: Crowds, within: number])[])
    declare(`read each in every round where many were created in one second: ${name}`, async () => {
      const shop = openPaged();
      const all = await makeCrowds(shop, crowds);
      const { most } = roundsOf(await pagesOf(shop, all), all);
      expect(most).to.be.at.most(within);
      expect(shop.requests.length, 'at the pace of the plan').to.be.at.most(255);
    });

  for (const [declare, strangers, within] of [
    [itWhole, 1, 6],
    [itWhole, 4, 15],
  ] as const)
    declare(
      `read 300 among others, ${strangers} for each, by ${within} requests a round`,
      async () => {
        const shop = openPaged();
        const all = await shop.makeAt(seconds(300 * (1 + strangers)));
        const watched = all.filter((_, n) => n % (1 + strangers) === 0);
        const { most, mean } = roundsOf(await pagesOf(shop, watched), watched);
        expect(mean).to.be.within(within - 0.5, within + 0.1);
        expect(most, 'none is left out of a round').to.be.at.most(within + 1);
        expect(shop.requests.length, 'at the pace of the plan').to.be.at.most(255);
      },
    );

  it('begin the next round where the list ends: 250 take five pages in two rounds', async () => {
    const shop = openPaged();
    const all = await shop.makeAt(seconds(250));
    const pages = await pagesOf(shop, all);
    const { most, mean } = roundsOf(pages, all);
    expect(mean).to.be.within(2.4, 2.6);
    expect(most).to.equal(3);
    expect(Math.min(...pages.map(({ held }) => held.size)), 'no page is half empty').to.be.above(
      95,
    );
  });

  itWhole('read 300 in groups of 50 among four times as many by six requests a round', async () => {
    const shop = openPaged();
    const all = await shop.makeAt(seconds(1_500));
    const watched = all.filter((_, n) => n % 250 < 50);
    const { most, mean } = roundsOf(await pagesOf(shop, watched), watched);
    expect(mean).to.be.within(5.5, 6.1);
    expect(most, 'none is left out of a round').to.be.at.most(7);
    expect(shop.requests.length, 'at the pace of the plan').to.be.at.most(255);
  });
});
