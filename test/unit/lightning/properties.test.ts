// Node only: codecs compute the same in every engine.
import { expect } from 'chai';
import fc from 'fast-check';
import * as lightning from 'paystate/lightning';
import {
  type Bolt11Draft,
  encodeBolt11,
  encodeUnsignedBolt11,
  recoverPayee,
  verifyBolt11,
} from 'paystate/lightning/signature';
import { money } from 'paystate/money';
import { describe, it } from '#test';
import { KEY, PAYEE } from './invoice-drafts.ts';

const runs = { numRuns: 100, seed: 21 };
const hexOf = (least: number, most = least) =>
  fc
    .uint8Array({ minLength: least, maxLength: most })
    .map((bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join(''));
const whole = (max: number) => fc.integer({ min: 0, max });
const hop = fc.record({
  node: hexOf(33),
  channel: fc
    .tuple(whole(0xffffff), whole(0xffffff), whole(0xffff))
    .map((parts) => parts.join('x')),
  feeBaseMsat: whole(0xffffffff).map(String),
  feeMillionths: whole(0xffffffff),
  cltvExpiryDelta: whole(0xffff),
});
const draft = fc.record({
  network: fc.constantFrom('mainnet', 'testnet', 'signet', 'regtest'),
  amountMsat: fc.option(fc.bigInt(1n, 10n ** 17n).map(String), { nil: undefined }),
  timestamp: whole(2 ** 31 - 1),
  paymentHash: hexOf(32),
  paymentSecret: hexOf(32),
  description: fc.string({ unit: 'grapheme', maxLength: 40 }),
  expirySeconds: whole(2 ** 31 - 1),
  minFinalCltvExpiryDelta: whole(2016),
  metadata: fc.option(hexOf(1, 40), { nil: undefined }),
  fallbacks: fc.array(
    fc.record({ version: fc.constantFrom(17, 18, 0, 1, 16), program: hexOf(20) }),
    { maxLength: 2 },
  ),
  routeHints: fc.array(fc.array(hop, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  features: fc
    .uniqueArray(fc.constantFrom(8, 9, 14, 15, 16, 17, 25, 49, 99, 151))
    .map((bits) => bits.toSorted((a, b) => a - b)),
});
/** Texts that are nearly right break more than noise does. */
const nearly = fc
  .tuple(
    fc.constantFrom(
      '',
      'lnbc1',
      'lnbcrt2500u1',
      'lightning:',
      'lnurl1',
      'lnurlp://',
      'bitcoin:',
      'bitcoin:?lightning=',
      'bc1q',
      'tea@',
      '1',
      '5',
      'https://a.example/?lightning=',
    ),
    fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l1'), maxLength: 200 }),
    ),
  )
  .map((parts) => parts.join(''));

const present = (given: object): object =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

describe('Lightning, whatever the texts', () => {
  it('writes invoices and reads the same back', () =>
    fc.assert(
      fc.property(draft, (given) => {
        const text = encodeUnsignedBolt11(given as Bolt11Draft);
        const read = lightning.decodeBolt11(text);
        expect(read).to.deep.include(present(given));
        expect(encodeUnsignedBolt11(read)).to.equal(text);
        expect(lightning.decodeBolt11(text.toUpperCase())).to.deep.equal(read);
      }),
      runs,
    ));

  it('signs invoices so that the payee is found', () =>
    fc.assert(
      fc.property(draft, (given) => {
        expect(recoverPayee(encodeBolt11(given as Bolt11Draft, KEY))).to.equal(PAYEE);
      }),
      { numRuns: 5, seed: 21 },
    ));

  it('sees any one wrong letter', () =>
    fc.assert(
      fc.property(draft, fc.nat(), fc.nat(), (given, place, letter) => {
        const text = encodeUnsignedBolt11(given as Bolt11Draft);
        const from = text.lastIndexOf('1') + 1;
        const at = from + (place % (text.length - from));
        const other = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'[letter % 32] as string;
        if (other === text[at]) return;
        expect(() =>
          lightning.decodeBolt11(text.slice(0, at) + other + text.slice(at + 1)),
        ).to.throw('checksum');
      }),
      runs,
    ));

  it('writes addresses, LNURLs and links and reads the same back', () =>
    fc.assert(
      fc.property(
        fc.constantFrom(17, 18, 0, 1, 16),
        hexOf(20),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.bigInt(0n, 2_100_000_000_000_000n),
        (version, program, label, sat) => {
          const address = lightning.fallbackAddress({ version, program }, 'testnet');
          expect(lightning.decodeAddress(address).text).to.equal(address);
          const url = `https://service.example/${encodeURIComponent(label)}`;
          expect(lightning.decodeLnurl(lightning.encodeLnurl(url)).url).to.equal(url);
          const amount = money(
            `${sat / 100_000_000n}.${(sat % 100_000_000n).toString().padStart(8, '0')}`,
            'BTC',
          );
          const uri = { address, amount, ...(label && { label }) };
          expect(lightning.parseBitcoinUri(lightning.bitcoinUri(uri))).to.deep.equal(uri);
        },
      ),
      runs,
    ));

  it('answers any text with data or a typed error', () => {
    const {
      decodeBolt11,
      decodeAddress,
      decodeLnurl,
      parseLightningAddress,
      parseBitcoinUri,
      bolt11Link,
      readPayRequest,
    } = lightning;
    const readers = [
      decodeBolt11,
      decodeAddress,
      decodeLnurl,
      parseLightningAddress,
      parseBitcoinUri,
      bolt11Link,
      readPayRequest,
      verifyBolt11,
    ];
    fc.assert(
      fc.property(
        fc.oneof({ weight: 9, arbitrary: nearly }, { weight: 1, arbitrary: fc.anything() }),
        (text) => {
          for (const read of readers) {
            try {
              read(text as string);
            } catch (error) {
              expect((error as { kind?: string }).kind, `${read.name}: ${String(error)}`).to.equal(
                'input',
              );
            }
          }
          expect(lightning.parseDestination(text as string)).to.have.property('kind');
        },
      ),
      { numRuns: 400, seed: 21 },
    );
  });

  it('refuses huge texts by their size', () => {
    for (const seed of ['1', 'q', ' ', 'lnbc1', 'bitcoin:', 'a@', '%', '=&']) {
      const huge = seed.repeat(100_000 / seed.length);
      expect(lightning.parseDestination(huge)).to.have.property('kind', 'refused');
      for (const read of [
        lightning.decodeBolt11,
        lightning.decodeAddress,
        lightning.decodeLnurl,
        lightning.parseLightningAddress,
        lightning.parseBitcoinUri,
      ]) {
        expect(() => read(huge)).to.throw(/characters/);
      }
    }
  });
});
