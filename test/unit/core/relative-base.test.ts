// Protects: a client of the page's own relay can be made anywhere, as modules do that a server renders too.
import { expect } from 'chai';
import { type ClientOptions, createClient, InputError } from 'paystate';
import { describe, it } from '#test';
import { answering, failureOf, INVOICE, json, openShop } from './shop.ts';

const page = (globalThis as { document?: { baseURI: string } }).document?.baseURI;

describe('a relative baseUrl', () => {
  it('is resolved at the first call: without a page that is an InputError, and nothing is sent', async () => {
    const wire = answering(json(INVOICE));
    const { client, run } = openShop({ baseUrl: '/pay', fetch: wire.fetch });
    if (page) {
      await run(client.invoices.get(INVOICE.invoiceId));
      const { href } = new URL(`/pay/v1/invoices/${INVOICE.invoiceId}`, page);
      expect(wire.sent[0]!.url).to.equal(href);
      return;
    }
    const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
    expect(error.validationErrors).to.have.property('baseUrl');
    expect(wire.sent).to.have.length(0);
    expect(() => client.withOptions({ maxAttempts: 1 })).not.to.throw();
  });

  const itWithoutPage: typeof it = page ? () => {} : it;
  itWithoutPage('goes to the page that is there when it is needed, and stays there', async () => {
    const wire = answering(json(INVOICE));
    const { client, run } = openShop({ baseUrl: '/pay', fetch: wire.fetch });
    const global = globalThis as { document?: object };
    global.document = { baseURI: 'https://shop.example/cart/' };
    try {
      await run(client.invoices.get(INVOICE.invoiceId));
    } finally {
      delete global.document;
    }
    await run(client.invoices.get(INVOICE.invoiceId));
    const url = `https://shop.example/pay/v1/invoices/${INVOICE.invoiceId}`;
    expect(wire.sent.map((one) => one.url)).to.deep.equal([url, url]);
  });

  it('that leads to another host is refused at once', () => {
    for (const baseUrl of ['//evil.example', '\\\\evil.example', '/\\evil.example', 'pay', '?x'])
      if (!page)
        expect(() => createClient({ baseUrl, apiKey: 'KEY' }), baseUrl).to.throw(InputError);
  });
});

describe('a client that is made wrongly in plain JavaScript', () => {
  it('is an InputError', () => {
    for (const options of [undefined, null, {}, 'https://pay.example', { apiKey: 'KEY' }])
      expect(() => createClient(options as unknown as ClientOptions)).to.throw(InputError);
  });
});

describe('the fetch of a sandbox', () => {
  it('takes a text, a URL and a Request, also where a client gets it', async () => {
    const { sandbox, run } = openShop();
    const { fetch, baseUrl, apiKey } = sandbox.clientOptions;
    const url = `${baseUrl}/v1/balances`;
    const headers = { authorization: `Bearer ${apiKey}` };
    for (const send of [fetch, sandbox.fetch])
      for (const [input, init] of [
        [url, { headers }],
        [new URL(url), { headers }],
        [new Request(url, { headers }), undefined],
      ] as const)
        expect((await run(send(input, init))).status).to.equal(200);
  });
});
