// Node only: codecs compute the same in every engine.
import { expect } from 'chai';
import { decodeBolt11 } from 'paystate/lightning';
import {
  type Bolt11Draft,
  encodeBolt11,
  encodeUnsignedBolt11,
  recoverPayee,
  verifyBolt11,
} from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { HOP, KEY, PAYEE, ruleOf, TEA } from './invoice-drafts.ts';
import { taken, written } from './invoice-parts.ts';

// Written once by this package and kept: the same draft and key must give these letters on every runtime, for ever.
const KEPT =
  'lnbcrt2500u1pj48ugqsp5xvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvespp5yg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3qdqhfahx2grsda6zqmmxyp6x2cgxqzrc9qrsgqdam5kwkvff2f3dkc59c2lwpvj0kwlj6jc50ktvyfs4zsnh4v0x54yqxcg6y2zpjdvhkxmpw5t3xeg6qca34w9nkts95r40w5hda0z4cqgr04gz';

/** The number of points of the curve secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const otherHalf = (s: bigint): bigint => ORDER - s;
const same = (s: bigint): bigint => s;

/** An invoice with another S in its signature, and with these bits of its flag turned over. */
function resigned(text: string, change: (s: bigint) => bigint, flips: bigint): string {
  const { signature, ...others } = taken(text);
  const whole = signature.reduce((sum, word) => sum * 32n + BigInt(word), 0n);
  const [rs, flag] = [whole >> 8n, whole & 255n];
  const [r, s] = [rs >> 256n, BigInt.asUintN(256, rs)];
  const altered = (((r << 256n) | change(s)) << 8n) | (flag ^ flips);
  const words = signature.map((_, at) => Number((altered >> BigInt(5 * (103 - at))) & 31n));
  return written({ ...others, signature: words });
}

describe('signing an invoice', () => {
  it('gives the same text every time and everywhere', () => {
    expect(encodeBolt11(TEA, KEY)).to.equal(KEPT);
    expect(encodeBolt11(TEA, new Uint8Array(32).fill(0x11))).to.equal(KEPT);
  });

  it('can be proved', () => {
    expect(recoverPayee(KEPT)).to.equal(PAYEE);
    expect(verifyBolt11(KEPT.toUpperCase())).to.deep.equal({ ...decodeBolt11(KEPT), payee: PAYEE });
    expect(decodeBolt11(KEPT)).not.to.have.property('payee');
  });

  it('names the payee only if it is the one who signs', () => {
    const named = encodeBolt11({ ...TEA, payee: PAYEE }, KEY);
    expect(verifyBolt11(named).payee).to.equal(PAYEE);
    expect(ruleOf(() => encodeBolt11({ ...TEA, payee: HOP.node }, KEY))).to.equal('signature');
  });

  it('with the other half of S proves no payee that is named, as anybody can write it', () => {
    const named = encodeBolt11({ ...TEA, payee: PAYEE }, KEY);
    expect(ruleOf(() => verifyBolt11(resigned(named, otherHalf, 1n)))).to.equal('signature');
    expect(recoverPayee(resigned(KEPT, otherHalf, 1n))).to.equal(PAYEE);
    expect(recoverPayee(resigned(KEPT, otherHalf, 0n))).not.to.equal(PAYEE);
  });

  it('needs the right flag only where no payee is named', () => {
    const named = encodeBolt11({ ...TEA, payee: PAYEE }, KEY);
    expect(recoverPayee(resigned(named, same, 1n))).to.equal(PAYEE);
    expect(recoverPayee(resigned(KEPT, same, 1n))).not.to.equal(PAYEE);
  });

  it('belongs to one invoice only', () => {
    const other = encodeUnsignedBolt11({ ...TEA, description: 'One pot of gin', payee: PAYEE });
    expect(ruleOf(() => verifyBolt11(other))).to.equal('signature');
  });

  it('is absent from invoices for simulation, and their readers can tell', () => {
    const unsigned = encodeUnsignedBolt11(TEA);
    expect(decodeBolt11(unsigned).description).to.equal('One pot of tea');
    expect(ruleOf(() => verifyBolt11(unsigned))).to.equal('signature');
    expect(ruleOf(() => recoverPayee(unsigned))).to.equal('signature');
    expect(unsigned.slice(0, 150)).to.equal(KEPT.slice(0, 150));
  });
});

describe('a draft that cannot be written', () => {
  const wrong: Readonly<Record<string, Partial<Record<keyof Bolt11Draft, unknown>>>> = {
    paymentHash: { paymentHash: 'zz' },
    paymentSecret: { paymentSecret: '33' },
    description: { descriptionHash: '22'.repeat(32) },
    network: { network: 'moon' },
    timestamp: { timestamp: 1.5 },
    expirySeconds: { expirySeconds: -1 },
    metadata: { metadata: 'abc' },
    routeHints: { routeHints: [[{ ...HOP, channel: '1x2' }]] },
    features: { features: [-1] },
    invoice: { metadata: 'ab'.repeat(640) },
    fallbacks: { fallbacks: [{ version: 20, program: '' }] },
    amount: { amountMsat: '0' },
  };

  it('is refused by the name of its member', () => {
    for (const [name, change] of Object.entries(wrong)) {
      expect(
        ruleOf(() => encodeUnsignedBolt11({ ...TEA, ...change } as Bolt11Draft)),
        name,
      ).to.equal(name);
    }
    for (const node of [HOP.node.slice(2), `${HOP.node}00`])
      expect(
        ruleOf(() => encodeUnsignedBolt11({ ...TEA, routeHints: [[{ ...HOP, node }]] })),
      ).to.equal('routeHints');
  });

  it('is refused for a key that is none, without a word of it', () => {
    for (const key of [
      '00'.repeat(32),
      'ff'.repeat(32),
      `${KEY}11`,
      'secret',
      new Uint8Array(31),
      null,
    ]) {
      expect(ruleOf(() => encodeBolt11(TEA, key as string))).to.equal('privateKey');
    }
    try {
      encodeBolt11(TEA, 'not-hex-but-secret');
    } catch (error) {
      expect(JSON.stringify([String(error), error])).not.to.contain('not-hex-but-secret');
    }
  });
});
