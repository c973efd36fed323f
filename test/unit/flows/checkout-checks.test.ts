// Protects: what a code says beside its amount is compared before it is shown.
import { expect } from 'chai';
import type { InvoiceQuote } from 'paystate';
import { checkout } from 'paystate/flows';
import { decodeBolt11, fallbackAddress } from 'paystate/lightning';
import { fromMsat } from 'paystate/money';
import { describe, it, itLong } from '#test';
import { type Answers, openShop, record, refusal } from '../state/shop.ts';
import { asked, changed, codeOf, codesOf, openSale, phases, withFields } from './sale.ts';

const hex = (bytes: ArrayBuffer) =>
  [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

describe('the network of a code', () => {
  for (const [network, phase] of [
    ['testnet', 'awaiting'],
    ['mainnet', 'unsafe'],
    ['regtest', 'unsafe'],
    [undefined, 'awaiting'],
  ] as const)
    it(`is compared with that of the client, ${network}, from the first code on`, async () => {
      const shop = openShop({ signed: true }, undefined, { network }); // the sandbox is on testnet
      const { log } = await openSale(shop);
      expect(log.values.at(-1)!.phase).to.equal(phase);
      if (phase === 'unsafe')
        expect(log.values.at(-1)).to.include({ problem: 'QUOTE_NETWORK_DIFFERS' });
      log.stop();
    });
});

describe('the rate of a code', () => {
  /** A quote whose code and amount ask for this part of what they should. */
  const percent = (part: bigint) =>
    changed('quote', (quote: InvoiceQuote) => {
      const satoshi = (BigInt(decodeBolt11(quote.lnInvoice).amountMsat!) * part) / 100_000n;
      const msat = `${satoshi}000`;
      return { ...withFields(quote, { amountMsat: msat }), sourceAmount: fromMsat(msat) };
    });
  const open = async (answers: Answers, currency: 'EUR' | 'BTC') => {
    const shop = openShop({ signed: true }, answers);
    const amount = { amount: currency === 'BTC' ? '0.001' : '12.50', currency } as const;
    const { invoiceId } = await shop.sandbox.run(shop.client.invoices.create({ amount }));
    const sale = checkout(shop.client, { invoiceId });
    const log = record(sale);
    await shop.sandbox.advance(3_000);
    log.stop();
    return { shop, view: log.values.at(-1)!, reason: sale.status().reason, codes: codesOf(log) };
  };

  it('is compared with the ticker: a hundred times the satoshi for the same euro are not shown', async () => {
    const { view, codes } = await open(percent(10_000n), 'EUR');
    expect(view).to.include({ phase: 'unsafe', problem: 'QUOTE_RATE_DIFFERS' });
    expect(codes).to.deep.equal([]);
  });

  for (const [what, part, phase] of [
    ['holds what the service charges', 104n, 'awaiting'],
    ['is too high', 107n, 'unsafe'],
    ['is too low', 93n, 'unsafe'],
  ] as const)
    it(`may be a little off the ticker's, and no more: ${what}`, async () => {
      expect((await open(percent(part), 'EUR')).view.phase).to.equal(phase);
    });

  for (const [what, answer] of [
    ['is refused', () => refusal(403, 'FORBIDDEN')],
    ['cannot be reached', () => Promise.reject(new TypeError('fetch failed'))],
    ['has no such currency', () => new Response('[]')],
  ] as const)
    it(`is not compared where the ticker ${what}: the code is shown, and its status says so`, async () => {
      const shop = openShop({ signed: true }, async (url, ask) =>
        url.endsWith('/ticker') ? answer() : ask(),
      );
      const { sale, log } = await openSale(shop);
      await shop.sandbox.advance(2_000);
      expect(log.values.at(-1)!.phase).to.equal('awaiting');
      expect(sale.status().reason).to.match(/the rate was not checked/);
      log.stop();
    });

  itLong(
    'costs one request a minute for all checkouts of a client, and none for an amount in bitcoin',
    async () => {
      const shop = openShop({ signed: true });
      const sales = [await openSale(shop), await openSale(shop)];
      expect(sales[0]!.sale.status().reason).not.to.match(/not compared/);
      await shop.sandbox.advance(10 * 60_000);
      const ticker = shop.requests.filter(({ path }) => path.endsWith('/ticker'));
      expect(ticker.length).to.be.within(2, 11);
      for (const { log } of sales) log.stop();
      const bitcoin = await open((_url, ask) => ask(), 'BTC');
      expect(bitcoin.view.phase).to.equal('awaiting');
      expect(bitcoin.shop.requests.some(({ path }) => path.endsWith('/ticker'))).to.equal(false);
    },
  );
});

describe('retry() of a checkout that is unsafe', () => {
  /** Quotes of which these ask for the wrong price, counted from 0. */
  const shopWith = (isWrong: (nth: number) => boolean) => {
    let nth = 0;
    return openShop(
      { signed: true },
      changed('quote', (quote: InvoiceQuote) =>
        isWrong(nth++) ? { ...quote, targetAmount: { amount: '1.00', currency: 'EUR' } } : quote,
      ),
    );
  };

  it('reads the invoice and shows another code, never the one that was unsafe', async () => {
    const shop = shopWith((nth) => nth === 0);
    const { sale, log } = await openSale(shop);
    expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'QUOTE_PRICE_DIFFERS' });
    const [reads, quotes] = [asked(shop, '{invoiceId}').length, asked(shop, '/quote').length];
    sale.retry();
    expect(phases(log).at(-1)).to.equal('renewing');
    await shop.sandbox.advance(2_000);
    expect(phases(log).at(-1)).to.equal('awaiting');
    expect(asked(shop, '{invoiceId}').length).to.be.above(reads);
    expect(asked(shop, '/quote').length).to.equal(quotes + 1);
    expect(codesOf(log)).to.have.length(1);
    log.stop();
  });

  it('checks the next code like every code, and asks once for each retry', async () => {
    const shop = shopWith(() => true);
    const { sale, log } = await openSale(shop);
    for (let count = 2; count < 5; count++) {
      sale.retry();
      sale.retry(); // it is renewing now
      await shop.sandbox.advance(2_000);
      expect(phases(log).at(-1)).to.equal('unsafe');
      expect(asked(shop, '/quote')).to.have.length(count);
    }
    expect(codesOf(log)).to.deep.equal([]);
    log.stop();
  });

  it('shows that the invoice was paid meanwhile, and asks for no code then', async () => {
    const shop = shopWith((nth) => nth > 0);
    const { invoice, sale, log } = await openSale(shop);
    await shop.sandbox.advance(30_000);
    expect(phases(log).at(-1)).to.equal('unsafe');
    const quotes = asked(shop, '/quote').length;
    await shop.sandbox.payer.pay(invoice.invoiceId);
    sale.retry();
    await shop.sandbox.advance(5_000);
    expect(log.values.at(-1)).to.include({ phase: 'paid' });
    expect(asked(shop, '/quote')).to.have.length(quotes);
    log.stop();
  });
});

describe('the description of a code', () => {
  for (const [hashed, phase] of [
    ['A shirt, blue', 'awaiting'],
    ['A shirt, red', 'unsafe'],
  ] as const)
    it(`may be a hash of that of the invoice, and of no other: ${hashed}`, async () => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(hashed));
      const shop = openShop(
        { signed: true },
        changed('quote', (quote: InvoiceQuote) => ({
          ...withFields(quote, { description: undefined, descriptionHash: hex(digest) }),
          description: 'A shirt, blue',
        })),
      );
      const { log } = await openSale(shop);
      expect(log.values.at(-1)!.phase).to.equal(phase);
      if (phase === 'unsafe')
        expect(log.values.at(-1)).to.include({ problem: 'QUOTE_DESCRIPTION_DIFFERS' });
      log.stop();
    });
});

describe('an on-chain address of a quote', () => {
  const program = '751e76e8199196d454941c45d1b3a323f1433bd6';
  const fallback = { version: 0, program };
  const address = fallbackAddress(fallback, 'testnet');
  const other = fallbackAddress({ version: 0, program: '00'.repeat(20) }, 'testnet');
  const open = (fields: object, changes: object, includeOnchain: boolean) =>
    openSale(
      openShop(
        { signed: true },
        changed('quote', (quote: InvoiceQuote) => ({ ...withFields(quote, fields), ...changes })),
      ),
      { includeOnchain },
    );

  it('is not shown where the signed code does not hold it; the code is', async () => {
    for (const include of [true, false]) {
      const { log } = await open({}, { onchainAddress: address }, include);
      expect(codeOf(log.values.at(-1))).to.not.have.property('onchain');
      expect(codesOf(log)).to.have.length(1);
      log.stop();
    }
  });

  it('makes a code unsafe that holds it too, unless that is asked for', async () => {
    const both = { onchainAddress: address };
    const { log } = await open({ fallbacks: [fallback] }, both, false);
    expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'QUOTE_HAS_ONCHAIN' });
    expect(codesOf(log)).to.deep.equal([]);
    log.stop();
    for (const quoted of [both, {}, { onchainAddress: address.toUpperCase() }]) {
      const asked = await open({ fallbacks: [fallback] }, quoted, true);
      expect(codeOf(asked.log.values.at(-1))).to.include({ onchain: address });
      asked.log.stop();
    }
  });

  for (const [what, fallbacks, changes] of [
    ['the quote names another one', [fallback], { onchainAddress: other }],
    ['it holds two', [fallback, { ...fallback, version: 1 }], {}],
    ['it is of a kind that is not compared', [{ ...fallback, version: 17 }], {}],
  ] as const)
    it(`makes a code unsafe also where that is asked for: ${what}`, async () => {
      const { log } = await open({ fallbacks }, changes, true);
      expect(log.values.at(-1)).to.include({ phase: 'unsafe', problem: 'QUOTE_ONCHAIN_DIFFERS' });
      expect(codesOf(log)).to.deep.equal([]);
      log.stop();
    });
});
