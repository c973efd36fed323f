// Protects: a list names as many ids as the service takes; what it refused as too long is not asked again.
import { expect } from 'chai';
import { watchInvoice } from 'paystate';
import { describe, it } from '#test';
import { invoices } from '../state/invoices.ts';
import { type Answers, openShop, record } from '../state/shop.ts';

const REFUSED = 400;
const TOO_LONG = 414;

/**
 * How many ids each list named and the status of its answer, while forty paid invoices were watched
 * for ten minutes at a service that takes filters of so many comparisons.
 */
async function listsAt(comparisons: number, through: Answers = (_url, ask) => ask()) {
  const lists: { readonly ids: number; readonly status: number }[] = [];
  const answers: Answers = async (url, ask) => {
    const ids = url.match(/invoiceId(\+|%20)eq/g)?.length;
    const answer = await (ids ? through(url, ask) : ask());
    if (ids) lists.push({ ids, status: answer.status });
    return answer;
  };
  const shop = openShop({ filterLimits: { comparisons } }, answers, {
    capabilities: { feed: false },
  });
  const all = await invoices(shop, 40);
  for (const { invoiceId } of all)
    for (const state of ['PENDING', 'PAID'] as const)
      shop.sandbox.move('invoice', invoiceId, state);
  for (const { invoiceId } of all) record(watchInvoice(shop.client, invoiceId, { until: 'never' }));
  await shop.sandbox.advance(600_000);
  return {
    widest: Math.max(...lists.slice(-10).map(({ ids }) => ids)),
    refused: lists.filter(({ status }) => status !== 200),
  };
}

describe('a list of ids', () => {
  it('becomes longer where twenty in a row were taken', async () => {
    expect(await listsAt(100)).to.deep.equal({ widest: 30, refused: [] });
  });

  it('that was refused as too long is not tried again', async () => {
    const refused = [{ ids: 30, status: REFUSED }];
    for (const comparisons of [15, 29])
      expect(await listsAt(comparisons)).to.deep.equal({ widest: 15, refused });
  });

  it('that a proxy refused as too long is tried again later', async () => {
    let isIn = true;
    const through: Answers = async (url, ask) => {
      const isTooLong = isIn && url.match(/invoiceId/g)!.length >= 30;
      isIn &&= !isTooLong;
      return isTooLong ? new Response('<h1>URI too long</h1>', { status: TOO_LONG }) : ask();
    };
    const refused = [{ ids: 30, status: TOO_LONG }];
    expect(await listsAt(100, through)).to.deep.equal({ widest: 30, refused });
  });
});
