// Protects: checkouts of one invoice are one checkout.
import { expect } from 'chai';
import { createClient } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it, itLong } from '#test';
import { openShop, type Record, record, refusal } from '../state/shop.ts';
import { asked, codeOf, codesOf, openSale, phases } from './sale.ts';

const MINUTE = 60_000;

describe('two checkouts of one invoice', () => {
  itLong('show one and the same code at any time, and ask for no more codes than one', async () => {
    const shop = openShop({ signed: true });
    const { invoice, sale, log } = await openSale(shop);
    await shop.sandbox.advance(10_000);
    const other = checkout(shop.client, { invoiceId: invoice.invoiceId });
    const second = record(other);
    expect(codeOf(second.values[0])).to.deep.equal(codeOf(log.values.at(-1)));
    for (let nth = 0; nth < 300; nth++) {
      await shop.sandbox.advance(1_000);
      expect(codeOf(other.current())).to.deep.equal(codeOf(sale.current()));
    }
    expect(asked(shop, '/quote')).to.have.length(codesOf(log).length);
    log.stop();
    second.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('go on with one code when one of them is left', async () => {
    const shop = openShop({ signed: true });
    const { invoice, log } = await openSale(shop);
    const other = checkout(shop.client, { invoiceId: invoice.invoiceId });
    const second = record(other);
    await shop.sandbox.advance(5_000);
    log.stop();
    await shop.sandbox.advance(1_000);
    expect(codesOf(second)).to.have.length(1);
    const quotes = asked(shop, '/quote').length;
    const third = record(checkout(shop.client, { invoiceId: invoice.invoiceId }));
    expect(codesOf(third)).to.deep.equal(codesOf(second));
    await shop.sandbox.advance(MINUTE);
    expect(asked(shop, '/quote').length).to.be.within(quotes + 2, quotes + 3);
    second.stop();
    third.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('that fail together leave the next one alone: whoever comes later shares its code', async () => {
    let isRefused = true;
    const shop = openShop({ signed: true }, async (_url, ask) =>
      isRefused ? refusal(401, 'UNAUTHORIZED') : ask(),
    );
    const { invoices } = createClient(shop.sandbox.clientOptions);
    const amount = { amount: '12.50', currency: 'EUR' };
    const { invoiceId } = await shop.sandbox.run(invoices.create({ amount }));
    const open = () => checkout(shop.client, { invoiceId });
    const logs: Record<CheckoutView>[] = [];
    open().subscribe({
      error() {
        isRefused = false;
        logs.push(record(open()));
      },
    });
    const second = record(open());
    await shop.sandbox.advance(10_000);
    logs.push(record(open()));
    await shop.sandbox.advance(1_000);
    expect(second.ended).to.have.property('error');
    expect(logs.map((log) => phases(log).at(-1))).to.deep.equal(['awaiting', 'awaiting']);
    expect(new Set(logs.flatMap(codesOf)).size).to.equal(1);
    for (const log of logs) log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });

  it('leave nothing on the signals that they were given', async () => {
    const shop = openShop({ signed: true });
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener, signal.removeEventListener];
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add.apply(signal, given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove.apply(signal, given);
    };
    const { log } = await openSale(shop, { signal });
    expect(listeners).to.be.above(0);
    log.stop();
    await shop.sandbox.advance(0);
    expect(listeners).to.equal(0);
  });

  it('each have an end of their own: settled, never, or a signal', async () => {
    const shop = openShop({ signed: true });
    const { invoice, log } = await openSale(shop, { until: 'never' });
    const over = new AbortController();
    const { invoiceId } = invoice;
    const settled = record(checkout(shop.client, { invoiceId }));
    const aborted = record(checkout(shop.client, { invoiceId, signal: over.signal }));
    over.abort();
    expect(aborted.ended).to.equal('complete');
    await shop.sandbox.payer.pay(invoiceId);
    await shop.sandbox.advance(5_000);
    expect([settled.ended, log.ended]).to.deep.equal(['complete', undefined]);
    expect([phases(settled).at(-1), phases(log).at(-1)]).to.deep.equal(['paid', 'paid']);
    expect(phases(aborted).at(-1)).to.equal('awaiting');
    log.stop();
    await shop.sandbox.advance(0);
    expect(shop.timers()).to.equal(0);
  });
});
