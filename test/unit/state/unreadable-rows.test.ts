// Protects: a row that a list cannot read is neither gone nor known, for whoever watches it.
import { expect } from 'chai';
import { type Invoice, watchInvoice, watchInvoices } from 'paystate';
import { describe, it, itLong } from '#test';
import { invoices } from './invoices.ts';
import { openShop, record } from './shop.ts';

const LAG = 30_000;

/** A shop with an invoice whose amount becomes a number in every answer. */
function spoiling() {
  let bad: string | undefined;
  const spoil = (one: Invoice) =>
    one.invoiceId === bad ? { ...one, amount: { ...one.amount, amount: 12.5 } } : one;
  const shop = openShop({}, async (_url, ask) => {
    const answer = await ask();
    if (bad === undefined || answer.status >= 300) return answer;
    const body = (await answer.json()) as Invoice | { readonly items: readonly Invoice[] };
    const changed = 'items' in body ? { ...body, items: body.items.map(spoil) } : spoil(body);
    return new Response(JSON.stringify(changed), answer);
  });
  return { shop, spoil: (id: string | undefined) => void (bad = id) };
}

describe('a row that a list cannot read', () => {
  it('stays in a live list, which is not live until it can be read', async () => {
    const { shop, spoil } = spoiling();
    const [one, other] = await invoices(shop, 2);
    const log = record(watchInvoices(shop.client));
    const last = () => log.values.at(-1) as unknown as { items: readonly Invoice[] };
    const idsOf = () => last().items.map(({ invoiceId }) => invoiceId);
    await shop.sandbox.advance(1_000);
    const all = [other!.invoiceId, one!.invoiceId];
    expect(idsOf()).to.deep.equal(all);
    expect(last()).to.include({ freshness: 'live' });
    spoil(other!.invoiceId);
    await shop.sandbox.advance(4 * LAG);
    expect(idsOf()).to.deep.equal(all);
    expect(last()).to.include({ freshness: 'stale' });
    spoil(undefined);
    await shop.sandbox.advance(2 * LAG);
    expect(idsOf()).to.deep.equal(all);
    expect(last()).to.include({ freshness: 'live' });
    log.stop();
  });

  itLong('leaves the watch of its invoice stale, and others live', async () => {
    const { shop, spoil } = spoiling();
    const made = await invoices(shop, 30);
    const logs = made.map((invoice) => record(watchInvoice(shop.client, invoice)));
    await shop.sandbox.advance(60_000);
    spoil(made[3]!.invoiceId);
    await shop.sandbox.advance(4 * LAG);
    const lasts = logs.map(({ values }) => values.at(-1)!);
    expect(lasts[3]).to.include({ freshness: 'stale' });
    expect(lasts[3]!.value?.invoiceId).to.equal(made[3]!.invoiceId);
    expect(lasts.filter(({ freshness }) => freshness === 'live')).to.have.length(29);
    for (const log of logs) log.stop();
  });
});
