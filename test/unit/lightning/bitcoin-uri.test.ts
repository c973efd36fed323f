// Node only: codecs compute the same in every engine.
import { expect } from 'chai';
import {
  type BitcoinUri,
  bitcoinUri,
  bitcoinUriQrText,
  fallbackAddress,
  parseBitcoinUri,
} from 'paystate/lightning';
import { encodeUnsignedBolt11 } from 'paystate/lightning/signature';
import { money } from 'paystate/money';
import { describe, it } from '#test';
import { ruleOf, TEA } from './invoice-drafts.ts';

const segwit = fallbackAddress({ version: 0, program: '5a'.repeat(20) }, 'regtest');
const base58 = fallbackAddress({ version: 17, program: '5a'.repeat(20) }, 'regtest');
const invoice = encodeUnsignedBolt11(TEA);

describe('bitcoin: links', () => {
  it('keep the amount as it is written', () => {
    for (const amount of ['0', '0.00012', '20.30', '0.200000', '21000000']) {
      expect(parseBitcoinUri(`bitcoin:${segwit}?amount=${amount}`).amount).to.deep.equal({
        amount,
        currency: 'BTC',
      });
    }
  });

  it('may leave out the digits on one side of the point', () => {
    for (const [written, amount] of Object.entries({
      '.5': '0.5',
      '5.': '5',
      '0.': '0',
      '.10': '0.10',
    }))
      expect(parseBitcoinUri(`bitcoin:${segwit}?amount=${written}`).amount).to.deep.equal({
        amount,
        currency: 'BTC',
      });
  });

  it('may repeat what names a destination, and what they do not know', () => {
    const query = `lightning=&LIGHTNING=${invoice}&lightning=b&sp=sp1x&sp=sp1y&lno=&utm=a&utm=a`;
    expect(parseBitcoinUri(`bitcoin:${segwit}?${query}`)).to.deep.equal({
      address: segwit,
      lightning: invoice,
      silentPayment: 'sp1x',
      other: { utm: 'a' },
    });
  });

  it('may require what is known', () => {
    const query = `REQ-AMOUNT=0.1&req-label=Tea&req-message=One&req-lightning=${invoice}&req-bcrt=${segwit}`;
    expect(parseBitcoinUri(`bitcoin:?${query}`)).to.deep.equal({
      addresses: [segwit],
      amount: money('0.1', 'BTC'),
      label: 'Tea',
      message: 'One',
      lightning: invoice,
    });
  });

  it('are written and read back', () => {
    const uri: BitcoinUri = {
      address: segwit,
      amount: money('0.0025', 'BTC'),
      label: 'Tea & cake = 100 %',
      message: 'Grüße, ⚡?#',
      lightning: invoice,
      offer: 'lno1x',
      silentPayment: 'sp1x',
    };
    expect(parseBitcoinUri(bitcoinUri(uri))).to.deep.equal(uri);
    expect(parseBitcoinUri(bitcoinUri({ lightning: invoice }))).to.deep.equal({
      lightning: invoice,
    });
  });

  it('are lower case, and upper case in codes only where that changes nothing', () => {
    expect(
      bitcoinUri({ address: segwit.toUpperCase(), lightning: invoice.toUpperCase() }),
    ).to.equal(`bitcoin:${segwit}?lightning=${invoice}`);
    expect(bitcoinUriQrText({ address: segwit, lightning: invoice })).to.equal(
      `BITCOIN:${segwit.toUpperCase()}?lightning=${invoice.toUpperCase()}`,
    );
    expect(bitcoinUriQrText({ address: base58, label: 'Tea' })).to.equal(
      `BITCOIN:${base58}?label=Tea`,
    );
    expect(bitcoinUriQrText({ lightning: 'tea@shop.example' })).to.equal(
      'BITCOIN:?lightning=tea%40shop.example',
    );
  });

  it('have keys of any case and carry what they do not know', () => {
    expect(
      parseBitcoinUri(`BITCOIN:${segwit}?AMOUNT=1&Label=x&foo=bar&__proto__=y`),
    ).to.deep.include({
      label: 'x',
      amount: money('1', 'BTC'),
    });
    const { other } = parseBitcoinUri(`bitcoin:${segwit}?foo=bar&__proto__=y&pj=https://a.example`);
    expect(JSON.stringify(other)).to.equal(
      '{"foo":"bar","__proto__":"y","pj":"https://a.example"}',
    );
    expect(({} as { y?: unknown }).y).to.equal(undefined);
  });

  it('may name addresses by network, each under its own prefix', () => {
    expect(parseBitcoinUri(`bitcoin:?bcrt=${segwit}&bcrt=${segwit}`).addresses).to.deep.equal([
      segwit,
      segwit,
    ]);
    expect(ruleOf(() => parseBitcoinUri(`bitcoin:?bc=${segwit}`))).to.equal('network');
  });

  it('know the keys of networks by the whole key', () => {
    const keys = ['xbc', 'bcx', 'tbsx', 'xtb', 'bcrtx'];
    const uri = `bitcoin:${segwit}?${keys.map((key) => `${key}=1`).join('&')}`;
    expect(parseBitcoinUri(uri).other).to.deep.equal(
      Object.fromEntries(keys.map((key) => [key, '1'])),
    );
  });

  it('may have a question mark in a value, and a key without one', () => {
    const { message, label } = parseBitcoinUri(`bitcoin:${segwit}?message=tea?or?cake&label`);
    expect([message, label]).to.deep.equal(['tea?or?cake', '']);
  });

  it('name the rule that they break', () => {
    const table: Readonly<Record<string, string>> = {
      [segwit]: 'scheme',
      [`litecoin:${segwit}`]: 'scheme',
      'bitcoin:': 'empty',
      'bitcoin:?amount=1': 'empty',
      [`bitcoin:${segwit}?amount=1&amount=1`]: 'twice',
      [`bitcoin:${segwit}?label=a&LABEL=a`]: 'twice',
      [`bitcoin:${segwit}?req-magic=1`]: 'required',
      [`bitcoin:${segwit}?label=%E0%A4%A`]: 'encoding',
      [`bitcoin:${segwit}?amount=1e3`]: 'amount',
      [`bitcoin:${segwit}?amount=0.000000001`]: 'amount',
      [`bitcoin:${segwit}?amount=21000000.00000001`]: 'amount',
      [`bitcoin:${segwit}?amount=.`]: 'amount',
      [`bitcoin:${segwit}?amount=`]: 'amount',
      [`bitcoin:${segwit}?amount=1,5`]: 'amount',
      [`bitcoin:${segwit}?amount=1.2.3`]: 'amount',
      [`bitcoin:${segwit}?amount=1&req-amount=1`]: 'twice',
      [`bitcoin:${segwit}?message=a&req-message=b`]: 'twice',
      [`bitcoin:${segwit}?pop=a:b&pop=a:b`]: 'twice',
      [`bitcoin:${segwit}?req-pop=a:b`]: 'required',
      [`bitcoin:${segwit}?req-pay=x`]: 'required',
      [`bitcoin:${segwit}?req-`]: 'required',
      'bitcoin:?lightning=&lightning': 'empty',
      [`bitcoin:${segwit}?amount=-1`]: 'amount',
      'bitcoin:<b>': 'shape',
      [`bitcoin:${'ab'.repeat(32)}`]: 'private-key',
      [`bitcoin:${'1'.repeat(16_000)}`]: 'too-long',
      [`bitcoin:${segwit}?${'a=1&'.repeat(70)}`]: 'too-long',
    };
    for (const [text, rule] of Object.entries(table))
      expect(
        ruleOf(() => parseBitcoinUri(text)),
        text.slice(0, 70),
      ).to.equal(rule);
    expect(ruleOf(() => bitcoinUri({}))).to.equal('empty');
    expect(
      ruleOf(() => bitcoinUri({ address: segwit, amount: money('0.000000001', 'BTC') })),
    ).to.equal('amount');
    const dollars = money('1', 'USD') as unknown as BitcoinUri['amount'];
    expect(ruleOf(() => bitcoinUri({ address: segwit, amount: dollars }))).to.equal('currency');
  });
});
