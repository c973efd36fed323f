import { expect } from 'chai';
import {
  decodeLnurl,
  encodeLnurl,
  lnurlCallback,
  metadataHash,
  parseLightningAddress,
  type PayRequest,
  readPayRequest,
} from 'paystate/lightning';
import { describe, it } from '#test';
import { ruleOf } from './invoice-drafts.ts';

const URL_OF_SHOP = 'https://service.example/pay?id=7';
const CODE = 'lnurl1dp68gurn8ghj7um9wfmxjcm99ejhsctdwpkx2tmsv9un76ty85mssp76n6';

describe('LNURL', () => {
  it('is written and read back', () => {
    expect(encodeLnurl(URL_OF_SHOP)).to.equal(CODE);
    for (const form of [
      CODE,
      CODE.toUpperCase(),
      ` lightning:${CODE}`,
      `https://shop.example/?x=1&lightning=${CODE}`,
    ]) {
      expect(decodeLnurl(form)).to.deep.equal({ url: URL_OF_SHOP });
    }
  });

  it('has schemes that say what waits there', () => {
    expect(decodeLnurl('lnurlp://service.example/pay?id=7')).to.deep.equal({
      url: URL_OF_SHOP,
      tag: 'payRequest',
    });
    expect(decodeLnurl('LNURLW://service.example/').tag).to.equal('withdrawRequest');
    expect(decodeLnurl('keyauth://service.example/').tag).to.equal('login');
    expect(decodeLnurl('lnurlp://service.onion/pay').url).to.equal('http://service.onion/pay');
    expect(decodeLnurl(encodeLnurl('https://service.example/?tag=login&k1=00')).tag).to.equal(
      'login',
    );
  });

  it('never leads to clear text, secrets or the inner network', () => {
    const inner = [
      'http://service.example',
      'https://user:word@service.example',
      'ftp://service.example',
      'https://localhost/',
      'https://10.0.0.1/',
      'https://0x7f.1/',
      'https://192.168.1.1/',
      'https://169.254.169.254/',
      'https://[::1]/',
      'https://[fd00::1]/',
      'https://[::ffff:7f00:1]/',
      'https://printer.local/',
      'javascript:alert(1)',
    ];
    for (const url of inner)
      expect(
        ruleOf(() => encodeLnurl(url)),
        url,
      ).to.equal('web-address');
    for (const text of ['lnurlp://127.0.0.1/', 'lnurlp://a.example/\u0000', 'lnurlp://a b'])
      expect(ruleOf(() => decodeLnurl(text))).to.equal('web-address');
  });

  it('knows where each private network of IPv4 begins and ends', () => {
    const inner = ['172.16.0.1', '172.17.0.1', '172.19.9.9', '172.20.0.1', '172.29.0.1'];
    inner.push('172.30.0.1', '172.31.255.255', '100.64.0.1', '100.99.0.1', '100.127.0.1');
    for (const host of inner)
      expect(
        ruleOf(() => encodeLnurl(`https://${host}/`)),
        host,
      ).to.equal('web-address');
    for (const host of ['172.15.255.255', '172.32.0.1', '100.63.0.1', '100.128.0.1', '11.0.0.1'])
      expect(decodeLnurl(encodeLnurl(`https://${host}/`)).url).to.equal(`https://${host}/`);
  });

  it('leads to public hosts whose names only begin as inner ones do', () => {
    for (const host of ['local.example', 'internal.shop.example', 'localhost.example', 'mylocal'])
      expect(decodeLnurl(`lnurlp://${host}/pay`).url).to.equal(`https://${host}/pay`);
    for (const host of ['shop.internal', 'localhost.', 'printer.local.'])
      expect(ruleOf(() => decodeLnurl(`lnurlp://${host}/pay`))).to.equal('web-address');
  });

  it('names the rule that a text breaks', () => {
    const wrong = CODE.slice(0, -1) + (CODE.endsWith('q') ? 'p' : 'q');
    const table: Readonly<Record<string, string>> = {
      '': 'prefix',
      [wrong]: 'checksum',
      [`${CODE.slice(0, 10)}B${CODE.slice(11)}`]: 'case',
      'https://service.example': 'web-address',
      'lnurlx://service.example': 'prefix',
      [`lnurl1${'q'.repeat(5_000)}`]: 'too-long',
    };
    for (const [text, rule] of Object.entries(table))
      expect(
        ruleOf(() => decodeLnurl(text)),
        text.slice(0, 40),
      ).to.equal(rule);
  });
});

describe('Lightning addresses', () => {
  it('lead to a well-known place', () => {
    expect(parseLightningAddress(' lightning:tea.shop+7@pay.example ')).to.deep.equal({
      text: 'tea.shop+7@pay.example',
      name: 'tea.shop+7',
      domain: 'pay.example',
      url: 'https://pay.example/.well-known/lnurlp/tea.shop+7',
    });
    expect(parseLightningAddress('tea@shop.onion').url).to.equal(
      'http://shop.onion/.well-known/lnurlp/tea',
    );
  });

  it('are refused with a reason', () => {
    expect(ruleOf(() => parseLightningAddress('Tea@Shop.example'))).to.equal('case');
    for (const text of [
      '',
      'tea',
      '@shop.example',
      'tea@',
      'tea@shop',
      'tea@shop..example',
      'tea@-shop.example',
      'tea@a@b.example',
      'tea/../x@shop.example',
      'tea@shop.example/x',
      'tea@lightning:shop.example',
      'tealightning:@shop.example',
      'tea@shop.example:8080',
      'tea@127.0.0.1',
      'té@shop.example',
      `${'a'.repeat(65)}@shop.example`,
    ]) {
      expect(
        ruleOf(() => parseLightningAddress(text)),
        text,
      ).to.equal('shape');
    }
    expect(ruleOf(() => parseLightningAddress('a'.repeat(1_000)))).to.equal('too-long');
  });
});

describe('a request to pay', () => {
  const metadata = '[["text/plain","Tea, ☕"],["image/png;base64","AAAA"]]';
  const body = {
    tag: 'payRequest',
    callback: 'https://service.example/cb?id=7',
    minSendable: 1000,
    maxSendable: 2_100_000_000_000_000,
    metadata,
    commentAllowed: 5,
  };
  const request: PayRequest = readPayRequest(body);

  it('says amounts as texts and keeps its metadata to the byte', () => {
    expect(request).to.deep.equal({
      callback: body.callback,
      minSendableMsat: '1000',
      maxSendableMsat: '2100000000000000',
      metadata,
      description: 'Tea, ☕',
      commentAllowed: 5,
    });
    expect(metadataHash(metadata)).to.equal(
      '2c0d39a833a7e768fd75b076c900702ab4064bf289d33d1fece2e1b7672687e5',
    );
  });

  it('becomes a callback within its limits only', () => {
    expect(lnurlCallback(request, { amountMsat: '21000' })).to.equal(
      'https://service.example/cb?id=7&amount=21000',
    );
    expect(lnurlCallback(request, { amountMsat: '1000', comment: 'a&b ☕' })).to.equal(
      'https://service.example/cb?id=7&amount=1000&comment=a%26b+%E2%98%95',
    );
    for (const amountMsat of ['999', '2100000000000001'])
      expect(ruleOf(() => lnurlCallback(request, { amountMsat }))).to.equal('amountMsat');
    expect(
      ruleOf(() => lnurlCallback(request, { amountMsat: '1000', comment: 'longer' })),
    ).to.equal('comment');
    expect(ruleOf(() => lnurlCallback(request, { amountMsat: '1e3' }))).to.equal('amount');
  });

  it('counts the characters of a comment, and takes as many as the receiver allows', () => {
    const write = (comment: string) => lnurlCallback(request, { amountMsat: '1000', comment });
    for (const comment of ['exact', '🍵🥐🍪🍫🧁'])
      expect(new URL(write(comment)).searchParams.get('comment')).to.equal(comment);
    for (const comment of ['6 long', '🍵🥐🍪🍫🧁🍩'])
      expect(ruleOf(() => write(comment))).to.equal('comment');
  });

  it('is refused by the name of the rule', () => {
    const table: readonly [change: object, rule: string][] = [
      [{ status: 'ERROR', reason: 'x' }, 'answer'],
      [{ tag: 'withdrawRequest' }, 'tag'],
      [{ callback: 'http://service.example' }, 'web-address'],
      [{ callback: undefined }, 'web-address'],
      [{ minSendable: 0 }, 'amount'],
      [{ minSendable: 1.5 }, 'amount'],
      [{ maxSendable: 2 ** 53 }, 'amount'],
      [{ minSendable: '1000' }, 'amount'],
      [{ maxSendable: 999 }, 'amount'],
      [{ commentAllowed: 'yes' }, 'comment'],
      [{ metadata: '{' }, 'metadata'],
      [{ metadata: '[["text/plain","a"],["text/plain","b"]]' }, 'metadata'],
      [{ metadata: '[["image/png","a"]]' }, 'metadata'],
      [{ metadata: undefined }, 'metadata'],
    ];
    for (const [change, rule] of table)
      expect(
        ruleOf(() => readPayRequest({ ...body, ...change })),
        JSON.stringify(change),
      ).to.equal(rule);
    for (const nothing of [null, undefined, 'x', []])
      expect(ruleOf(() => readPayRequest(nothing))).to.equal('tag');
  });
});
