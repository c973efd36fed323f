// Protects: what a code says beside its amount is compared before it is shown.
import { expect } from 'chai';
import type { InvoiceQuote } from 'paystate';
import { fallbackAddress } from 'paystate/lightning';
import { describe, it } from '#test';
import { openShop } from '../state/shop.ts';
import { changed, codeOf, codesOf, openSale, withFields } from './sale.ts';

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
