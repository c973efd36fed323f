import { expect } from 'chai';
import { createClient, InputError } from 'paystate';
import { describe, it } from '#test';
import { answering, failureOf, INVOICE, json, openShop } from './shop.ts';

describe('baseUrl', () => {
  const urlOf = async (baseUrl: string | URL, options: object = {}): Promise<string> => {
    const wire = answering(json(INVOICE));
    const { sandbox } = openShop();
    const client = createClient({
      ...sandbox.clientOptions,
      apiKey: undefined,
      token: null,
      baseUrl,
      fetch: wire.fetch,
      ...options,
    });
    await sandbox.run(client.invoices.get(INVOICE.invoiceId));
    return wire.sent[0]!.url.replace(INVOICE.invoiceId, 'x');
  };

  it('takes https, and http on the machine itself', async () => {
    for (const [base, url] of [
      ['https://pay.example', 'https://pay.example/v1/invoices/x'],
      ['https://pay.example/', 'https://pay.example/v1/invoices/x'],
      ['https://pay.example//', 'https://pay.example/v1/invoices/x'],
      ['https://pay.example:8443/relay/', 'https://pay.example:8443/relay/v1/invoices/x'],
      ['HTTPS://PAY.example/a/../b', 'https://pay.example/b/v1/invoices/x'],
      [new URL('https://pay.example/pay'), 'https://pay.example/pay/v1/invoices/x'],
      ['http://localhost:8080', 'http://localhost:8080/v1/invoices/x'],
      ['http://127.0.0.1', 'http://127.0.0.1/v1/invoices/x'],
      ['http://127.9.9.9:1/', 'http://127.9.9.9:1/v1/invoices/x'],
      ['http://[::1]:9/', 'http://[::1]:9/v1/invoices/x'],
    ] as const)
      expect(await urlOf(base)).to.equal(url);
  });

  it('refuses everything else, without an echo', () => {
    for (const baseUrl of [
      'http://pay.example',
      'http://localhost.evil.example',
      'http://127.0.0.1.evil.example',
      'http://[::2]',
      'ftp://pay.example',
      'file:///etc',
      'javascript:alert(1)',
      'data:text/plain,x',
      'wss://pay.example',
      'https://user@pay.example',
      'https://user:S3CRET@pay.example',
      'https://pay.example?a=1',
      'https://pay.example/?',
      'https://pay.example/#',
      'https://pay.example/#x',
      'https://',
      'https://[',
      undefined as unknown as string,
    ]) {
      let thrown: unknown;
      try {
        createClient({ baseUrl, token: null });
      } catch (reason) {
        thrown = reason;
      }
      expect(thrown, `${baseUrl}`).to.be.an.instanceOf(InputError);
      expect((thrown as InputError).validationErrors).to.have.property('baseUrl');
      expect(JSON.stringify(thrown) + String(thrown)).not.to.contain('S3CRET');
    }
  });

  it('paths of single endpoints can be replaced, and stay below it', async () => {
    const paths = { '/v1/invoices/{invoiceId}': '/v9/bills/{invoiceId}/now' };
    expect(await urlOf('https://pay.example/relay', { paths })).to.equal(
      'https://pay.example/relay/v9/bills/x/now',
    );
    for (const path of [
      '/../{invoiceId}',
      '/v1/bills?{invoiceId}',
      '/v1/{other}',
      '@evil.example/{invoiceId}',
      '.evil.example/{invoiceId}',
    ]) {
      const { client, run } = openShop({ paths: { '/v1/invoices/{invoiceId}': path } });
      expect((await failureOf(run(client.invoices.get(INVOICE.invoiceId)))).kind, path).to.equal(
        'input',
      );
    }
  });
});

describe('an id in a path', () => {
  const HARMLESS = [
    'a',
    '...',
    '..a',
    '%2e%2e',
    '%2F',
    '/',
    '//evil.example',
    '\\',
    '?x=1',
    '#x',
    ';a=b',
    ':',
    '@evil.example',
    'a b',
    '%',
    '%00',
    '+',
    'é日本🎟️',
    '\u2028',
    '\u0085',
    '\'"<script>',
    '__proto__',
    'constructor',
    'null',
    'x'.repeat(2_048),
  ];
  const REFUSED = [
    '',
    '.',
    '..',
    '\0',
    'a\0b',
    '\n',
    '\r\nHost: evil.example',
    '\t',
    '\x7f',
    '\ud800',
    'a\udc00b',
    'x'.repeat(2_049),
    'x'.repeat(10_000_000),
    ...[undefined, null, 7, {}, ['a'], Symbol.iterator].map((value) => value as unknown as string),
  ];
  const verbs = ['get', 'cancel', 'quote'] as const;

  it('stays one segment, whatever it holds', async () => {
    for (const id of HARMLESS) {
      const wire = answering(json(INVOICE));
      const { client, run } = openShop({
        baseUrl: 'https://pay.example/relay',
        apiKey: undefined,
        token: 'T',
        fetch: wire.fetch,
        maxAttempts: 1,
      });
      for (const verb of verbs) await run<unknown>(client.invoices[verb](id)).catch(() => {});
      await run(client.events.get(id)).catch(() => {});
      expect(wire.sent.map(({ url }) => new URL(url).origin)).to.deep.equal(
        Array(4).fill('https://pay.example'),
      );
      const segments = wire.sent.map(({ url }) =>
        new URL(url).pathname.split('/').slice(1).map(decodeURIComponent),
      );
      expect(segments).to.deep.equal([
        ['relay', 'v1', 'invoices', id],
        ['relay', 'v1', 'invoices', id, 'cancel'],
        ['relay', 'v1', 'invoices', id, 'quote'],
        ['relay', 'v1', 'events', id],
      ]);
      expect(
        wire.sent.every(({ url }) => new URL(url).search === '' && new URL(url).hash === ''),
      ).to.equal(true);
    }
  });

  it('is refused where a URL would change it or cannot hold it', async () => {
    const { sandbox, client, run } = openShop();
    for (const id of REFUSED)
      for (const call of [
        () => client.invoices.get(id),
        () => client.invoices.cancel(id),
        () => client.invoices.quote(id),
        () => client.events.get(id),
      ]) {
        const error = await failureOf(run<unknown>(call()));
        expect([error.kind, error.outcome, error.next]).to.deep.equal([
          'input',
          'not-done',
          'fix-input',
        ]);
        expect(error.message.length).to.be.below(200);
      }
    expect(sandbox.log).to.have.length(0);
  });

  it('is found again by the service as it was written', async () => {
    const handles = HARMLESS.filter((text) => !text.includes('\\'));
    const { client, run } = openShop({}, { accounts: handles.map((handle) => ({ handle })) });
    for (const handle of handles)
      expect((await run(client.accounts.getProfileByHandle(handle))).handle).to.equal(handle);
  });
});
