// Protects: BOLT11 texts are read and written as two packages do that wallets rely on, in both directions.
import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBolt11 } from 'paystate/lightning';
import { encodeBolt11, verifyBolt11 } from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { bolt11, lightBolt11 } from '../peers/peers.mjs';

const hexOf = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((bytes) => Buffer.from(bytes).toString('hex'));
const key = hexOf(32).filter((hex) => /^[0-7].*[1-9]/.test(hex));
const description = fc
  .string({ maxLength: 200, unit: 'grapheme' })
  .filter((text) => text.length > 0 && Buffer.byteLength(text) <= 639);

const draft = fc.record(
  {
    network: fc.constantFrom('mainnet' as const, 'testnet' as const, 'regtest' as const),
    amountMsat: fc.bigInt({ min: 1n, max: 10n ** 17n }).map(String),
    timestamp: fc.integer({ min: 1_000_000_000, max: 2 ** 34 }),
    paymentHash: hexOf(32),
    paymentSecret: hexOf(32),
    description,
    expirySeconds: fc.integer({ min: 1, max: 10_000_000 }),
    minFinalCltvExpiryDelta: fc.integer({ min: 1, max: 5_000 }),
    metadata: hexOf(20),
  },
  { requiredKeys: ['network', 'timestamp', 'paymentHash', 'paymentSecret', 'description'] },
);

const NETWORKS = { mainnet: 'bc', testnet: 'tb', regtest: 'bcrt' };

describe('BOLT11', () => {
  it('what is written here is read by others as it was meant', () => {
    fc.assert(
      fc.property(draft, key, (given, secret) => {
        const text = encodeBolt11(given, secret);
        const { sections } = lightBolt11.decode(text);
        const said = Object.fromEntries(sections.map(({ name, value }) => [name, value]));
        expect(said['payment_hash']).to.equal(given.paymentHash);
        expect(said['payment_secret']).to.equal(given.paymentSecret);
        expect(said['timestamp']).to.equal(given.timestamp);
        expect(said['amount']).to.equal(given.amountMsat);
        expect(said['description']).to.equal(given.description);
        expect((said['coin_network'] as { bech32: string }).bech32).to.equal(
          NETWORKS[given.network],
        );
        expect(said['expiry']).to.equal(
          given.expirySeconds === 3_600 ? undefined : given.expirySeconds,
        );
        expect(said['min_final_cltv_expiry']).to.equal(
          given.minFinalCltvExpiryDelta === 18 ? undefined : given.minFinalCltvExpiryDelta,
        );
        const other = bolt11.decode(text);
        expect(other['payeeNodeKey']).to.equal(verifyBolt11(text).payee);
        expect(other['millisatoshis'] ?? undefined).to.equal(given.amountMsat);
      }),
      { numRuns: 200 },
    );
  });

  it('what others write is read here as it was meant', () => {
    fc.assert(
      fc.property(draft, key, (given, secret) => {
        const tags = [
          { tagName: 'payment_hash', data: given.paymentHash },
          { tagName: 'payment_secret', data: given.paymentSecret },
          { tagName: 'description', data: given.description },
          ...(given.expirySeconds ? [{ tagName: 'expire_time', data: given.expirySeconds }] : []),
          {
            tagName: 'feature_bits',
            data: {
              word_length: 4,
              var_onion_optin: { required: false, supported: true },
              payment_secret: { required: false, supported: true },
            },
          },
        ];
        const unsigned = bolt11.encode({
          network: {
            bech32: NETWORKS[given.network],
            pubKeyHash: 0,
            scriptHash: 5,
            validWitnessVersions: [0, 1],
          },
          timestamp: given.timestamp,
          ...(given.amountMsat && { millisatoshis: given.amountMsat }),
          tags,
        });
        const { paymentRequest } = bolt11.sign(unsigned, secret);
        const read = decodeBolt11(paymentRequest);
        expect(read).to.deep.include({
          network: given.network,
          timestamp: given.timestamp,
          paymentHash: given.paymentHash,
          paymentSecret: given.paymentSecret,
          description: given.description,
          expirySeconds: given.expirySeconds ?? 3_600,
        });
        expect(read.amountMsat).to.equal(given.amountMsat);
        expect(verifyBolt11(paymentRequest).payee).to.equal(
          bolt11.decode(paymentRequest)['payeeNodeKey'],
        );
      }),
      { numRuns: 200 },
    );
  });

  it('a text with a slip is refused by both', () => {
    const letters = fc.constantFrom(...'qpzry9x8gf2tvdw0s3jn54khce6mua7l');
    fc.assert(
      fc.property(draft, key, fc.nat(), letters, (given, secret, at, letter) => {
        const text = encodeBolt11(given, secret);
        const place = 8 + (at % (text.length - 8));
        if (text[place] === letter) return;
        const wrong = text.slice(0, place) + letter + text.slice(place + 1);
        for (const read of [decodeBolt11, lightBolt11.decode, bolt11.decode])
          expect(() => read(wrong)).to.throw();
      }),
      { numRuns: 300 },
    );
  });
});
