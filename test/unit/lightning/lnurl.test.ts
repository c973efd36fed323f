// Node only: codecs compute the same in every engine.
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

  it('may be in the query of any link, under a key of any case', () => {
    for (const link of [
      `HTTPS://SHOP.EXAMPLE/TEA?LIGHTNING=${CODE.toUpperCase()}`,
      `https://shop.example/?Lightning=${CODE}&x=1`,
      `http://shop.example/?lightning=&lightning=lnbc1x&lightning=${CODE}`,
      `shop:table/7?lightning=${CODE}`,
      `SHOP://table?a=b&LIGHTNING=${CODE}`,
      `geo:1,2?q=tea&lightning=${CODE}`,
    ])
      expect(decodeLnurl(link), link).to.deep.equal({ url: URL_OF_SHOP });
    const scheme = encodeURIComponent('lnurlp://service.example/pay?id=7');
    expect(decodeLnurl(`https://shop.example/?lightning=${scheme}`).tag).to.equal('payRequest');
    for (const link of ['https://a.example/?lightning=', 'a:b?lightning=lnbc1', 'https:?lightning'])
      expect(ruleOf(() => decodeLnurl(link))).to.equal('web-address');
  });

  it('says what it is for by its scheme, or by the tag in its address', () => {
    const tagOf = (address: string) => decodeLnurl(encodeLnurl(`https://a.example/${address}`)).tag;
    for (const tag of ['withdrawRequest', 'channelRequest', 'hostedChannelRequest', 'payRequest'])
      expect(tagOf(`?x=1&tag=${tag}`)).to.equal(tag);
    expect(tagOf('?tag=payRequest&tag=login')).to.equal('login');
    expect(tagOf('?tag=')).to.equal(undefined);
    expect(decodeLnurl('lnurlp://a.example/?tag=withdrawRequest').tag).to.equal('withdrawRequest');
    expect(decodeLnurl('lnurlw://a.example/?tag=payRequest').tag).to.equal('withdrawRequest');
    expect(decodeLnurl('lnurlp:a.example/pay').url).to.equal('https://a.example/pay');
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

  it('leads to no host that is not public by the registries, in whatever form it is written', () => {
    const ipv4 = ['0.1.2.3', '127.1', '017700000001', '192.0.0.8', '192.0.2.1', '192.88.99.1'];
    ipv4.push('198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '224.0.0.1');
    ipv4.push('239.255.255.250', '240.0.0.1', '255.255.255.255', '0xa9fea9fe', '10.0.0.1.');
    const ipv6 = ['::', '::1', '::7f00:1', '::ffff:a00:1', '::ffff:10.0.0.1', '64:ff9b::a9fe:a9fe'];
    ipv6.push('64:ff9b:1::a00:1', '64:ff9b:1::808:808', '2002:7f00:1::', '2002:a9fe:a9fe::1');
    ipv6.push('2001::1', '2001:0:a00:1::', '2001:10::1', '2001:db8::1', '3fff::1', '100::1');
    ipv6.push('5f00::1', 'fc00::1', 'fd12::1', 'fe80::1', 'fec0::1', 'ff02::1', '::ffff:0:808:808');
    const names = ['redis', 'metadata', 'redis.', 'router.lan', 'nas.home.arpa', 'a.internal'];
    names.push('kubernetes.default.svc', 'api.svc.cluster.local', 'pc.home', 'x.localdomain');
    names.push('wiki.corp', 'wiki.intranet', 'A.LAN', '1.0.0.127.in-addr.arpa');
    for (const host of [...ipv4, ...ipv6.map((each) => `[${each}]`), ...names]) {
      expect(
        ruleOf(() => encodeLnurl(`https://${host}/`)),
        host,
      ).to.equal('web-address');
      expect(
        ruleOf(() => decodeLnurl(`lnurlp://${host}:8443/`)),
        host,
      ).to.equal('web-address');
    }
    const open = [
      '8.8.8.8',
      '192.0.1.1',
      '192.0.3.1',
      '198.17.255.255',
      '198.20.0.1',
      '223.255.255.1',
    ];
    open.push('[2606:4700:4700::1111]', '[2a00:1450:4001::1]', '[2001:200::1]', '[2003::1]');
    open.push('[::ffff:808:808]', '[64:ff9b::808:808]', '[2002:808:808::1]', 'lan.example');
    open.push('home.arpa.example', 'svc.example', 'redis.example', 'a.corporate');
    for (const host of open)
      expect(decodeLnurl(`lnurlp://${host}/`).url, host).to.equal(`https://${host}/`);
  });

  it('leads to public hosts whose names only begin as inner ones do', () => {
    for (const host of ['local.example', 'internal.shop.example', 'localhost.example', 'my.locals'])
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

  it('have a host of any case, in lower case from then on', () => {
    for (const text of ['tea@Pay.Example', 'tea@PAY.EXAMPLE', 'lightning:tea@pay.examplE'])
      expect(parseLightningAddress(text)).to.deep.include({
        text: 'tea@pay.example',
        domain: 'pay.example',
        url: 'https://pay.example/.well-known/lnurlp/tea',
      });
    expect(parseLightningAddress('tea@Shop.ONION').url).to.equal(
      'http://shop.onion/.well-known/lnurlp/tea',
    );
    for (const host of ['nas.home.arpa', 'router.lan', 'api.svc'])
      expect(ruleOf(() => parseLightningAddress(`tea@${host}`))).to.equal('web-address');
    expect(ruleOf(() => parseLightningAddress('tea@shop.example\u212a'))).to.equal('shape');
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

  it('may say anything after the type of an entry of its metadata', () => {
    for (const rest of ['{"a":1}', '5', 'true', 'null', '["x"]', '"a","b",{}', '[false],["ab"]']) {
      const given = `[["text/plain","tea"],["application/x",${rest}],["application/y"]]`;
      const read = readPayRequest({ ...body, metadata: given });
      expect([read.description, read.metadata], rest).to.deep.equal(['tea', given]);
    }
  });

  it('may have fractions and bounds above every amount, which are read as what lies within', () => {
    const table: readonly [least: number, most: number, within: readonly string[]][] = [
      [1000.5, 499_999_999.9, ['1001', '499999999']],
      [0.5, 1e21, ['1', '2100000000000000000']],
      [1000, Number('18446744073709551615'), ['1000', '2100000000000000000']],
      [1000, 2 ** 53, ['1000', '9007199254740992']],
      [1, JSON.parse('1e400') as number, ['1', '2100000000000000000']],
    ];
    for (const [minSendable, maxSendable, within] of table) {
      const read = readPayRequest({ ...body, minSendable, maxSendable });
      expect([read.minSendableMsat, read.maxSendableMsat]).to.deep.equal(within);
      const [least = '', most = ''] = within;
      for (const amountMsat of [least, most])
        expect(lnurlCallback(read, { amountMsat })).to.contain(`&amount=${amountMsat}`);
    }
  });

  it('becomes a callback that keeps what is in it to the byte', () => {
    const table: Readonly<Record<string, string>> = {
      '': '?amount=1000&comment=a+b',
      '?': '?amount=1000&comment=a+b',
      "?p='x'(y)&t=~x": "?p='x'(y)&t=~x&amount=1000&comment=a+b",
      '?p=a/b:c&sig=a%20b+c': '?p=a/b:c&sig=a%20b+c&amount=1000&comment=a+b',
      '?a=%2f&a=%2F&b&=c': '?a=%2f&a=%2F&b&=c&amount=1000&comment=a+b',
      '?amount=5&x=1&comment=c&amount=6': '?x=1&amount=1000&comment=a+b',
      '?amounts=5&Amount=6': '?amounts=5&Amount=6&amount=1000&comment=a+b',
      '?x=a?b#c?d': '?x=a?b&amount=1000&comment=a+b#c?d',
    };
    for (const [query, wanted] of Object.entries(table)) {
      const callback = `https://service.example/cb${query}`;
      expect(
        lnurlCallback({ ...request, callback }, { amountMsat: '1000', comment: 'a b' }),
      ).to.equal(`https://service.example/cb${wanted}`);
    }
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
      [{ minSendable: 1000.2, maxSendable: 1000.8 }, 'amount'],
      [{ minSendable: -1 }, 'amount'],
      [{ maxSendable: 0.9 }, 'amount'],
      [{ maxSendable: null }, 'amount'],
      [{ minSendable: '1000' }, 'amount'],
      [{ maxSendable: 999 }, 'amount'],
      [{ commentAllowed: 'yes' }, 'comment'],
      [{ metadata: '{' }, 'metadata'],
      [{ metadata: '[["text/plain","a"],["text/plain","b"]]' }, 'metadata'],
      [{ metadata: '[["image/png","a"]]' }, 'metadata'],
      [{ metadata: undefined }, 'metadata'],
      [{ metadata: '{"text/plain":"a"}' }, 'metadata'],
      [{ metadata: '[["text/plain"]]' }, 'metadata'],
      [{ metadata: '[["text/plain",5]]' }, 'metadata'],
      [{ metadata: '[["text/plain","a"],[5,"b"]]' }, 'metadata'],
      [{ metadata: '[["text/plain","a"],"b"]' }, 'metadata'],
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
