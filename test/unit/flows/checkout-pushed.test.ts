// Protects: a code that the relay has pushed is shown without asking for another, checked as every code is.
import { expect } from 'chai';
import { createClient, type InvoiceQuote } from 'paystate';
import { checkout, type CheckoutView } from 'paystate/flows';
import { describe, it } from '#test';
import { codeOf, codesOf, withFields } from './sale.ts';
import { type Record, record } from '../state/shop.ts';
import { type Live, openLive } from '../relay/live-page.ts';

interface Sale extends Live {
  readonly log: Record<CheckoutView>;
  quote(): Promise<InvoiceQuote>;
  /** The room has this code, and says so; it was made `age` ago. */
  push(quote?: InvoiceQuote, age?: number, extra?: object): void;
  quotes(): number;
}

/** A checkout of a page whose room has spoken, with the room's code or without one. */
async function openCheckout(hasCode: boolean): Promise<Sale> {
  const live = await openLive({}, { signed: true });
  const { sandbox, client, invoice, lines } = live;
  live.seen.stop();
  const shop = createClient(sandbox.clientOptions);
  let seq = 0;
  const sale = {
    ...live,
    quote: () => sandbox.run(shop.invoices.quote(invoice.invoiceId)),
    push(quote?: InvoiceQuote, age = 0, extra: object = {}) {
      const sentAt = sandbox.clock.now();
      const left = Math.floor((quote?.expirationInSec ?? 0) - age / 1_000);
      const code = quote && { quote: { ...quote, expirationInSec: left }, secondsLeft: left };
      const times = { sentAt, asOf: sentAt, confirmedAt: sentAt };
      const line = lines.at(-1)!;
      seq++;
      line.pong = `e:${seq}:${sentAt}`;
      line.say({ epoch: 'e', seq, ...times, value: invoice, ...code, ...extra });
    },
    quotes: () => live.requests.filter(({ path }) => path.endsWith('/quote')).length,
  };
  await sandbox.advance(1); // the watch before it has let go
  const first = hasCode ? await sale.quote() : undefined;
  const log = record(checkout(client, { invoiceId: invoice.invoiceId }));
  await sandbox.advance(0);
  lines.at(-1)!.open();
  sale.push(first);
  await sandbox.advance(1_000);
  return { ...sale, log };
}

const shown = ({ log }: Sale) => codeOf(log.values.at(-1));

describe('a checkout whose relay pushes codes', () => {
  it('shows the code of those who came before, and asks for none', async () => {
    const sale = await openCheckout(true);
    expect(shown(sale)?.lnInvoice).to.be.a('string');
    expect(sale.quotes()).to.equal(0);
    sale.log.stop();
  });

  it('renews by what was pushed to all, and asks for none', async () => {
    const sale = await openCheckout(true);
    for (let round = 1; round <= 4; round++) {
      await sale.sandbox.advance(15_000);
      sale.push(await sale.quote());
    }
    expect(codesOf(sale.log)).to.have.length(4);
    expect(sale.quotes()).to.equal(0);
    sale.log.stop();
  });

  it('asks for one itself where none was pushed, or none that is worth showing', async () => {
    const sale = await openCheckout(false);
    expect(sale.quotes()).to.equal(1);
    const next = await sale.quote();
    await sale.sandbox.advance(23_000);
    sale.push(next, 23_000);
    await sale.sandbox.advance(5_000);
    expect(sale.quotes()).to.equal(2);
    expect(codesOf(sale.log)).not.to.include(next.lnInvoice);
    sale.log.stop();
  });

  it('shows no code that another has replaced, whatever is pushed', async () => {
    const sale = await openCheckout(true);
    const first = shown(sale)!;
    await sale.sandbox.advance(15_000);
    const earlier = await sale.quote();
    await sale.sandbox.advance(2_000);
    const later = await sale.quote();
    sale.push(later);
    await sale.sandbox.advance(10_000);
    expect(shown(sale)?.lnInvoice).to.equal(later.lnInvoice);
    sale.push({ ...earlier, expirationInSec: 600 });
    await sale.sandbox.advance(20_000);
    expect(sale.quotes()).to.equal(1);
    expect(codesOf(sale.log)).to.include.members([first.lnInvoice, later.lnInvoice]);
    expect(codesOf(sale.log)).not.to.include(earlier.lnInvoice);
    sale.log.stop();
  });

  it('counts its seconds from when the room sent it, not from when it came', async () => {
    const sale = await openCheckout(false);
    const next = await sale.quote();
    await sale.sandbox.advance(20_000);
    sale.push({ ...next, expirationInSec: 30 }, 0, { sentAt: sale.sandbox.clock.now() - 9_000 });
    await sale.sandbox.advance(8_000);
    const { expiresAt } = shown(sale)!;
    expect(shown(sale)?.lnInvoice).to.equal(next.lnInvoice);
    expect(expiresAt - sale.sandbox.clock.monotonic()).to.be.at.most(30_000 - 17_000);
    sale.log.stop();
  });

  it('shows none that does not fit its invoice, and asks for another', async () => {
    const wrong: readonly ((quote: InvoiceQuote) => unknown)[] = [
      (quote) => ({ ...quote, targetAmount: { amount: '1250', currency: 'EUR' } }),
      (quote) => withFields(quote, { amountMsat: '999000' }),
      (quote) => withFields(quote, { description: 'something else' }),
      (quote) => ({ ...quote, lnInvoice: undefined }),
      () => 7,
    ];
    for (const change of wrong) {
      const sale = await openCheckout(true);
      const next = await sale.quote();
      await sale.sandbox.advance(20_000);
      sale.push(next, 0, { quote: change(next) });
      await sale.sandbox.advance(9_000);
      expect(sale.quotes()).to.equal(1);
      expect(codesOf(sale.log)).to.have.length(2);
      expect(codesOf(sale.log)).not.to.include(next.lnInvoice);
      sale.log.stop();
    }
  });

  it('is paid, too much and late by the payments that were pushed, and reads none of them', async () => {
    const sale = await openCheckout(true);
    const { invoice, sandbox, log } = sale;
    const transaction = {
      transactionId: 't-1',
      state: 'COMPLETED',
      amountReceived: { amount: '13.00', currency: 'EUR' },
      completed: new Date(sandbox.clock.now() + 120_000).toISOString(),
    };
    sale.push(undefined, 0, { value: { ...invoice, state: 'PAID', transactions: [transaction] } });
    await sandbox.advance(1_000);
    expect(log.values.at(-1)).to.include({ phase: 'paid', over: true, late: true });
    expect(log.ended).to.equal('complete');
    const reads = sale.requests.filter(({ reason }) => reason?.includes('payments'));
    expect(reads).to.deep.equal([]);
  });
});
