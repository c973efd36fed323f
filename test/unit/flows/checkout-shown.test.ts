// Protects: what a checkout shows where the service says what nobody expects, and what it says of codes that it has checked.
import { expect } from 'chai';
import type { InvoiceQuote } from 'paystate';
import { countdown } from 'paystate/flows';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeUnsignedBolt11 } from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { openShop } from '../state/shop.ts';
import { changed, codesOf, openSale, phases } from './sale.ts';

const MINUTE = 60_000;

describe('a checkout', () => {
  it('of an invoice in a state that is new shows no code, and says that it does not know', async () => {
    const shop = openShop(
      { signed: true },
      changed('invoice', (invoice: object) => ({ ...invoice, state: 'FROZEN' })),
    );
    const { log } = await openSale(shop);
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)!.phase).to.equal('unknown');
    expect(codesOf(log)).to.deep.equal([]);
    log.stop();
  });

  it('does not show a later code whose signature names nobody', async () => {
    let nth = 0;
    const broken = (quote: InvoiceQuote) => {
      if (++nth < 2) return quote;
      const { payee: _, ...said } = decodeBolt11(quote.lnInvoice);
      const draft = { ...said, fallbacks: [], routeHints: [], features: undefined };
      return { ...quote, lnInvoice: encodeUnsignedBolt11(draft) };
    };
    const shop = openShop({ signed: true }, changed('quote', broken));
    const { log } = await openSale(shop);
    const [first] = codesOf(log);
    await shop.sandbox.advance(2 * MINUTE);
    expect(log.values.at(-1)).to.deep.include({ phase: 'unsafe', problem: 'QUOTE_UNREADABLE' });
    expect(codesOf(log)).to.deep.equal([first]);
    log.stop();
  });

  it('says nothing of signatures where those of its codes were compared', async () => {
    const shop = openShop({ signed: true });
    const { sale, log } = await openSale(shop);
    await shop.sandbox.advance(2 * MINUTE);
    expect(codesOf(log).length).to.be.above(1);
    expect(phases(log).at(-1)).to.equal('awaiting');
    expect(sale.status().reason).not.to.match(/signature/);
    log.stop();
  });
});

describe('a countdown', () => {
  it('that nobody listens to says what is left, and never less than nothing', async () => {
    const { client, sandbox } = openShop();
    const watch = countdown(client, { expiresAt: sandbox.clock.monotonic() + 3_500 });
    expect([watch.current(), watch.status().reason]).to.deep.equal([3, 'counting down']);
    await sandbox.advance(10_000);
    expect(watch.current()).to.equal(0);
  });
});
