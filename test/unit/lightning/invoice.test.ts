// Node only: codecs compute the same in every engine.
import { expect } from 'chai';
import { bolt11Link, bolt11QrText, decodeBolt11, isBolt11Expired } from 'paystate/lightning';
import { encodeUnsignedBolt11 } from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { HOP, NOW, ruleOf, TEA } from './invoice-drafts.ts';

const text = encodeUnsignedBolt11(TEA);
const changed = (at: number, letter: string): string =>
  text.slice(0, at) + letter + text.slice(at + 1);

describe('reading an invoice', () => {
  it('says everything it says', () => {
    expect(decodeBolt11(text)).to.deep.equal({
      text,
      network: 'regtest',
      amountMsat: '250000000',
      timestamp: NOW,
      expirySeconds: 120,
      expiresAt: (NOW + 120) * 1000,
      paymentHash: TEA.paymentHash,
      paymentSecret: TEA.paymentSecret,
      description: 'One pot of tea',
      minFinalCltvExpiryDelta: 18,
      fallbacks: [],
      routeHints: [],
      features: [8, 14],
    });
  });

  it('is plain data', () => {
    expect(JSON.parse(JSON.stringify(decodeBolt11(text)))).to.deep.equal(decodeBolt11(text));
  });

  it('fills in what an invoice may leave out', () => {
    const bare = decodeBolt11(
      encodeUnsignedBolt11({ ...TEA, amountMsat: undefined, expirySeconds: undefined }),
    );
    expect(bare).not.to.have.property('amountMsat');
    expect(bare.expirySeconds).to.equal(3600);
    expect(bare.expiresAt).to.equal((NOW + 3600) * 1000);
  });

  it('reads all fields and all networks', () => {
    const full = {
      ...TEA,
      description: undefined,
      descriptionHash: 'ab'.repeat(32),
      metadata: '01fafaf0',
      minFinalCltvExpiryDelta: 40,
      payee: HOP.node,
      fallbacks: [
        { version: 17, program: '04'.repeat(20) },
        { version: 0, program: '05'.repeat(32) },
        { version: 1, program: '06'.repeat(32) },
      ],
      routeHints: [[HOP], [HOP, HOP]],
      features: [8, 14, 17, 99],
    };
    for (const network of ['mainnet', 'testnet', 'signet', 'regtest'] as const) {
      const { description: _, ...wanted } = { ...full, network };
      expect(decodeBolt11(encodeUnsignedBolt11({ ...full, network }))).to.deep.include(wanted);
    }
  });

  it('reads amounts in every unit, as texts', () => {
    for (const msat of [
      '1',
      '10',
      '100',
      '12345',
      '100000000',
      '99999999999',
      '100000000000',
      '2100000000000000000'.slice(0, 18),
    ]) {
      expect(decodeBolt11(encodeUnsignedBolt11({ ...TEA, amountMsat: msat })).amountMsat).to.equal(
        msat,
      );
    }
  });

  it('takes either case, a scheme and blanks', () => {
    for (const form of [
      text.toUpperCase(),
      ` ${text}\n`,
      `lightning:${text}`,
      `LIGHTNING:${text.toUpperCase()}`,
      `lightning://${text}`,
    ]) {
      expect(decodeBolt11(form).text).to.equal(text);
    }
  });

  it('names the rule that a text breaks', () => {
    const table: Readonly<Record<string, string>> = {
      [changed(60, text[60] === 'q' ? 'p' : 'q')]: 'checksum',
      [changed(60, 'b')]: 'character',
      [changed(60, 'é')]: 'character',
      [changed(8, '\u212a')]: 'character',
      [changed(60, 'Q')]: 'case',
      [text.slice(0, -1)]: 'checksum',
      [text.slice(text.lastIndexOf('1') + 1)]: 'shape',
      lnbc1: 'shape',
      '': 'shape',
      bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4: 'prefix',
      [`${text}${'q'.repeat(9_000)}`]: 'too-long',
    };
    for (const [given, rule] of Object.entries(table))
      expect(
        ruleOf(() => decodeBolt11(given)),
        given.slice(0, 20),
      ).to.equal(rule);
    for (const value of [null, undefined, 1, {}])
      expect(ruleOf(() => decodeBolt11(value as never))).to.equal('type');
  });

  it('refuses a demand that nobody here understands, and takes an offer of the same', () => {
    expect(
      ruleOf(() => decodeBolt11(encodeUnsignedBolt11({ ...TEA, features: [8, 14, 100] }))),
    ).to.equal('feature');
    expect(
      decodeBolt11(encodeUnsignedBolt11({ ...TEA, features: [8, 14, 101] })).features,
    ).to.deep.equal([8, 14, 101]);
  });

  it('caps an absurd expiry at the last day there is', () => {
    const { expiresAt } = decodeBolt11(
      encodeUnsignedBolt11({ ...TEA, expirySeconds: Number.MAX_SAFE_INTEGER - 1 }),
    );
    expect(new Date(expiresAt).toISOString()).to.equal('+275760-09-13T00:00:00.000Z');
  });

  it('ends on the second', () => {
    const invoice = decodeBolt11(text);
    expect(isBolt11Expired(invoice, invoice.expiresAt - 1)).to.equal(false);
    expect(isBolt11Expired(invoice, invoice.expiresAt)).to.equal(true);
  });
});

describe('showing an invoice', () => {
  it('is lower case in links and upper case in codes', () => {
    for (const form of [text, text.toUpperCase(), `lightning:${text}`]) {
      expect(bolt11Link(form)).to.equal(`lightning:${text}`);
      expect(bolt11QrText(form)).to.equal(text.toUpperCase());
    }
  });

  it('is refused for other texts', () => {
    for (const other of ['', 'javascript:alert(1)', 'lnbc1"><b>', 'satoshi@bitcoin.org']) {
      expect(ruleOf(() => bolt11Link(other))).to.equal('shape');
      expect(ruleOf(() => bolt11QrText(other))).to.equal('shape');
    }
  });
});
