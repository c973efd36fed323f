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

  it('names the network that it is of', () => {
    const found = parseDestination(mainnetInvoice, here);
    expect(found).to.deep.equal({
      kind: 'refused',
      reason: 'wrong-network',
      advice: 'This invoice belongs to mainnet, but payments here are on regtest.',
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
