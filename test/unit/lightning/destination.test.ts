// Node only: codecs compute the same in every engine.
import { expect } from 'chai';
import {
  type Destination,
  encodeLnurl,
  fallbackAddress,
  isPreimageOf,
  parseDestination,
  type RefusalReason,
} from 'paystate/lightning';
import { encodeUnsignedBolt11 } from 'paystate/lightning/signature';
import { describe, it } from '#test';
import { NOW, TEA } from './invoice-drafts.ts';

const invoice = encodeUnsignedBolt11(TEA);
const mainnetInvoice = encodeUnsignedBolt11({ ...TEA, network: 'mainnet' });
const openInvoice = encodeUnsignedBolt11({ ...TEA, amountMsat: undefined });
const address = fallbackAddress({ version: 1, program: '5a'.repeat(32) }, 'regtest');
const lnurl = encodeLnurl('https://service.example/pay');
/** An invoice over 21,000,001 bitcoin; the SDK would not write it. */
const OVER_ALL_BITCOIN = [
  'lnbcrt210000011pj48ugqsp5xvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvenxvespp5',
  'yg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3qdqqxqzrcqqqqqqqqqqqqqqqqqqqq',
  'qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq',
  'qqqq98gdun',
].join('');
const here = { network: 'regtest', now: NOW * 1000 } as const;

const reasonFor = (
  text: string,
  options: Parameters<typeof parseDestination>[1] = here,
): RefusalReason | undefined => {
  const found = parseDestination(text, options);
  return found.kind === 'refused' ? found.reason : undefined;
};

describe('one box for everything', () => {
  it('tells what was pasted', () => {
    const table: Readonly<Record<string, Destination['kind']>> = {
      [invoice]: 'bolt11',
      [invoice.toUpperCase()]: 'bolt11',
      [` lightning:${invoice}\n`]: 'bolt11',
      [lnurl]: 'lnurl',
      [`LIGHTNING:${lnurl.toUpperCase()}`]: 'lnurl',
      'lnurlp://service.example/pay': 'lnurl',
      'tea@shop.example': 'lightning-address',
      'lightning:tea@shop.example': 'lightning-address',
      'lnbc1@shop.example': 'lightning-address',
      [address]: 'address',
      [address.toUpperCase()]: 'address',
      [`bitcoin:${address}`]: 'unified',
      [`BITCOIN:${address.toUpperCase()}?LIGHTNING=${invoice.toUpperCase()}`]: 'unified',
      'bitcoin:?lightning=tea%40shop.example': 'unified',
      'tea@Shop.Example': 'lightning-address',
      'bitcoin:?lightning=tea%40SHOP.EXAMPLE': 'unified',
      [`HTTPS://SHOP.EXAMPLE/?LIGHTNING=${lnurl.toUpperCase()}`]: 'lnurl',
      [`shop:table/7?lightning=${lnurl}`]: 'lnurl',
    };
    for (const [text, kind] of Object.entries(table))
      expect(parseDestination(text, here), text.slice(0, 60)).to.have.property('kind', kind);
  });

  it('finds every way in a link, and one amount', () => {
    const found = parseDestination(
      `bitcoin:${address}?amount=0.00250&label=Tea&lightning=${invoice}`,
      here,
    );
    expect(found).to.deep.include({
      kind: 'unified',
      label: 'Tea',
      amount: { amount: '0.00250', currency: 'BTC' },
    });
    expect(found).to.have.nested.property('lightning.bolt11.text', invoice);
    expect(found).to.have.nested.property('addresses[0].text', address);
    expect(parseDestination(`bitcoin:${address}?lightning=${invoice}`, here)).to.have.deep.property(
      'amount',
      {
        amount: '0.00250000',
        currency: 'BTC',
      },
    );
    expect(
      parseDestination(`bitcoin:${address}?amount=1&lightning=${openInvoice}`, here),
    ).to.have.nested.property('amount.amount', '1');
  });

  it('takes one of the alternatives of a link, and says why not the others', () => {
    const query = `lightning=&lightning=${mainnetInvoice}&lightning=${invoice}&lightning=tea@shop.example`;
    const found = parseDestination(
      `bitcoin:${address}?${query}&sp=sp1x&sp=sp1y&bcrt=${address}&bcrt=${address}x&bc=${address}`,
      here,
    );
    if (found.kind !== 'unified') throw new Error(found.kind);
    const summary = found.alternatives.map(({ key, status, reason, taken }) =>
      [key, status, ...(reason ? [reason] : []), ...(taken ? ['taken'] : [])].join(' '),
    );
    expect(summary).to.deep.equal([
      'address payable',
      'lightning broken wrong-network',
      'lightning payable taken',
      'lightning payable',
      'sp unsupported unsupported',
      'sp unsupported unsupported',
      'bcrt payable',
      'bcrt broken unreadable',
      'bc broken unreadable',
    ]);
    expect(found.lightning).to.have.nested.property('bolt11.text', invoice);
    expect(found.addresses.map(({ text }) => text)).to.deep.equal([address, address]);
    for (const { taken, advice } of found.alternatives)
      expect(advice === undefined).to.equal(taken);
  });

  it('takes what is left of a link, and says all where nothing is', () => {
    const later = { ...here, now: (NOW + 120) * 1000 };
    const left = parseDestination(`bitcoin:${address}?lightning=${invoice}`, later);
    expect(left).to.have.nested.property('alternatives[0].taken', true);
    expect(left).to.have.nested.property('alternatives[1].reason', 'expired');
    expect(left).not.to.have.property('amount', '0.0025');
    const none = parseDestination(`bitcoin:?lno=lno1x&lightning=${invoice}`, later);
    expect(none).to.deep.include({ kind: 'refused', reason: 'expired' });
    expect(none).to.have.property('alternatives').with.lengthOf(2);
  });

  it('compares the amounts of a link to the satoshi, rounded up or down', () => {
    const of = (msat: string) => encodeUnsignedBolt11({ ...TEA, amountMsat: msat });
    const isOne = (query: string) =>
      parseDestination(`bitcoin:${address}?${query}`, here).kind === 'unified';
    const table: readonly [query: string, fits: boolean][] = [
      [`amount=0.000025&lightning=${of('2500500')}`, true],
      [`amount=0.00002501&lightning=${of('2500500')}`, true],
      [`amount=0.00000001&lightning=${of('499')}`, true],
      [`amount=0&lightning=${of('499')}`, true],
      [`amount=.00002500&lightning=${of('2500000')}`, true],
      [`amount=0.00002502&lightning=${of('2500500')}`, false],
      [`amount=0.00002499&lightning=${of('2500500')}`, false],
      [`amount=0.00002501&lightning=${of('2500000')}`, false],
      [`lightning=${of('2500500')}&lightning=${of('2500000')}`, true],
      [`lightning=${of('2500500')}&lightning=${of('2500501')}`, false],
      [`lightning=${of('2500500')}&lightning=${of('2500500')}`, true],
    ];
    for (const [query, fits] of table) expect(isOne(query), query.slice(0, 40)).to.equal(fits);
  });

  it('says in words why not', () => {
    const table: Readonly<Record<string, RefusalReason>> = {
      '': 'empty',
      ' \n': 'empty',
      hello: 'unknown',
      [`${invoice}x`]: 'unreadable',
      'Tea@Shop.example': 'unreadable',
      'https://service.example': 'unreadable',
      lno1qcp4256ypq: 'unsupported',
      'bitcoin:?lno=lno1x': 'unsupported',
      'lnurlw://service.example/': 'unsupported',
      [encodeLnurl('https://service.example/?tag=withdrawRequest')]: 'unsupported',
      [`bitcoin:?lightning=${encodeLnurl('https://a.example/?tag=channelRequest')}`]: 'unsupported',
      'bitcoin:?pay=PM8Tx': 'unsupported',
      'bitcoin:?ark=tark1x&sp=sp1x': 'unsupported',
      'bitcoin:?r=https%3A%2F%2Fshop.example': 'unsupported',
      [`bitcoin:${address}?amount=21000001`]: 'unreadable',
      [OVER_ALL_BITCOIN]: 'unreadable',
      [`bitcoin:?lightning=${invoice}x&lno=lno1x`]: 'unreadable',
      [`https://shop.example/?lightning=${invoice}`]: 'unreadable',
      [`bitcoin:${address}?req-x=1`]: 'unreadable',
      [`bitcoin:${address}?amount=0.003&lightning=${invoice}`]: 'contradicts-itself',
      ['x'.repeat(20_000)]: 'too-long',
      [`bitcoin:?lightning=${address}`]: 'unreadable',
    };
    for (const [text, reason] of Object.entries(table))
      expect(reasonFor(text), text.slice(0, 60)).to.equal(reason);
    for (const none of [null, undefined, 5, {}])
      expect(reasonFor(none as never)).to.equal('unknown');
  });

  it('speaks to payers: subject, cause and step, and no name of an option', () => {
    const long = 'x'.repeat(20_000);
    const texts = ['', 'hello', long, `${invoice}x`, invoice.slice(0, 30), `${address}x`, 'lno1x'];
    texts.push('Tea@shop.example', 'tea@', 'tea@router.lan', 'https://a.example', 'lnurl1x');
    texts.push(
      'lnurlw://a.example',
      'lnurlp://10.0.0.1',
      'lnurlp://a b',
      mainnetInvoice,
      'bitcoin:',
    );
    texts.push(
      'lnurlp://a:b@c.example',
      `https://a.example/?lightning=${invoice}`,
      'ab'.repeat(32),
    );
    for (const query of ['1e3', '0.000000001', '1,5', '', '21000001', '-1'].map(
      (one) => `amount=${one}`,
    ))
      texts.push(`bitcoin:${address}?${query}`);
    for (const query of [
      'label=a&label=b',
      'req-x=1',
      'label=%',
      'lightning=',
      'amount=1&lightning=x',
    ])
      texts.push(`bitcoin:?${query}`, `bitcoin:${address}?${query}`);
    texts.push(`bitcoin:${address}?amount=1&lightning=${invoice}`, `bitcoin:?lightning=${address}`);
    texts.push(`bitcoin:${address}?lightning=${openInvoice}&bc=x&sp=y`, `bitcoin:?${long}`);
    const advices = texts.flatMap((text) => {
      const found = parseDestination(text, { ...here, now: (NOW + 120) * 1000 });
      const others = 'alternatives' in found ? (found.alternatives ?? []) : [];
      return [found, ...others].flatMap((one) => ('advice' in one ? (one.advice ?? []) : []));
    });
    expect(advices.length).to.be.at.least(40);
    for (const advice of advices) {
      expect(advice).to.match(/^(This|The|Paste) .*[^.]\.$/);
      expect(advice).to.match(/ask for|[Pp]aste|another/);
      expect(advice).not.to.match(
        /[a-z][A-Z]|rounding|digits|InputError|undefined|\bis not an? (\w+)\b.*This \1/,
      );
    }
  });

  it('names the network that it is of', () => {
    const found = parseDestination(mainnetInvoice, here);
    expect(found).to.deep.equal({
      kind: 'refused',
      reason: 'wrong-network',
      advice:
        'This invoice is for mainnet, but payments here are on regtest: ask for one on that network.',
      networks: ['mainnet'],
    });
    expect(reasonFor(address, { network: 'mainnet' })).to.equal('wrong-network');
    expect(reasonFor(`bitcoin:${address}?lightning=${mainnetInvoice}`, {})).to.equal(
      'contradicts-itself',
    );
    expect(reasonFor(mainnetInvoice, {})).to.equal(undefined);
  });

  it('refuses what has expired, once it is told the time', () => {
    expect(reasonFor(invoice, { now: (NOW + 120) * 1000 })).to.equal('expired');
    expect(reasonFor(`bitcoin:?lightning=${invoice}`, { now: (NOW + 120) * 1000 })).to.equal(
      'expired',
    );
    expect(reasonFor(invoice, { now: (NOW + 120) * 1000 - 1 })).to.equal(undefined);
  });

  it('refuses secrets without keeping a letter of them', () => {
    const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
    const secrets = [
      `5${'J'.repeat(50)}`,
      `L${'x'.repeat(51)}`,
      `xprv${'9'.repeat(107)}`,
      words,
      words.toUpperCase(),
      words.replaceAll(' ', '\n'),
      'ab'.repeat(32),
      `nsec1${'q'.repeat(58)}`,
    ];
    for (const secret of secrets) {
      for (const text of [secret, ` ${secret} `, `lightning:${secret}`]) {
        const found = parseDestination(text, here);
        expect(found).to.have.property('reason', 'private-key');
        expect(JSON.stringify(found)).not.to.contain(secret);
      }
    }
    expect(reasonFor(`bitcoin:L${'x'.repeat(51)}?amount=1`)).to.equal('private-key');
    expect(reasonFor(`bitcoin:${address}?lightning=L${'x'.repeat(51)}`)).to.equal('private-key');
  });
});

describe('proof of payment', () => {
  const hash = '66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925';

  it('is the preimage of the hash and nothing else', () => {
    expect(isPreimageOf('00'.repeat(32), hash)).to.equal(true);
    expect(isPreimageOf('00'.repeat(32), hash.toUpperCase())).to.equal(true);
    for (const other of [`${'00'.repeat(31)}01`, '00'.repeat(31), '', hash, 'zz'.repeat(32), null])
      expect(isPreimageOf(other as string, hash)).to.equal(false);
    expect(isPreimageOf('00'.repeat(32), undefined as never)).to.equal(false);
  });
});
