// Node only: test tools compute the same in every engine.
// Protects: a client for tests against a real account sends nothing that could spend.
import { expect } from 'chai';
import { allowSecretInBrowser, type Client, createClient, RefusedError, request } from 'paystate';
import * as endpoints from 'paystate/endpoints';
import { deposit, exchange, pay } from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { type HarmlessOperation, readOnly } from 'paystate/testing';
import { describe, it } from '#test';
import { failureOf } from '../core/shop.ts';

const amount = { amount: '5.00', currency: 'EUR' };

function open(allow: readonly HarmlessOperation[] = []): { sandbox: Sandbox; client: Client } {
  const sandbox = createSandbox();
  return { sandbox, client: createClient(readOnly(sandbox.clientOptions, { allow })) };
}

/** Every operation of the service, with its method and a path that fits it. */
const rows = Object.values(endpoints)
  .flatMap((entry) => (typeof entry === 'object' ? Object.values(entry as object) : []))
  .filter((row): row is endpoints.AnyEndpoint => Object(row).operation !== undefined);

describe('readOnly', () => {
  it('is made of options: a client in their place would go on spending', () => {
    const { client } = open();
    expect(() => readOnly(client as never)).to.throw(
      'options: must be options for createClient, not a client',
    );
  });

  it('lets reads through', async () => {
    const { sandbox, client } = open();
    expect((await client.balances.list()).length).to.be.above(0);
    expect(await client.invoices.list().count()).to.equal(0);
    expect(sandbox.log).to.have.length(2);
  });

  it('sends no operation of the service that is not a read, by any path of it', async () => {
    const { sandbox } = open();
    const { fetch } = readOnly(sandbox.clientOptions);
    expect(rows.length).to.be.above(40);
    for (const prefix of ['', '/proxy/of/the/shop'])
      for (const { method, path } of rows) {
        if (method === 'GET') continue;
        const url = `https://sandbox.invalid${prefix}${path.replace(/\{\w+\}/g, 'x')}`;
        for (const written of [method, method.toLowerCase()])
          expect((await fetch(url, { method: written })).status, path).to.equal(405);
        expect((await fetch(new Request(url, { method }))).status, path).to.equal(405);
      }
    expect(sandbox.log).to.deep.equal([]);
  });

  it('refuses with an error that says that nothing was done', async () => {
    const { sandbox, client } = open();
    const failure = await failureOf(client.invoices.create({ amount }));
    expect(failure).to.be.instanceOf(RefusedError);
    expect(failure).to.include({ code: 'READ_ONLY', outcome: 'not-done' });
    const to = sandbox.payer.createBolt11({ sat: '2100' });
    const common = { journal: memoryStore(), sourceCurrency: 'EUR', maxFee: 'any' } as const;
    const result = await pay(client, { intent: 'a', to, maxTotal: 'any', ...common }).result;
    expect(result.phase).to.equal('refused');
    expect(sandbox.log).to.deep.equal([]);
  });

  it('lets through what is allowed by name, and nothing beyond it', async () => {
    const allow = ['invoices.create', 'invoices.quote', 'paymentQuotes.createLightning'] as const;
    const { sandbox, client } = open(allow);
    const { invoiceId } = await client.invoices.create({ amount });
    await client.invoices.quote(invoiceId);
    const lnInvoice = sandbox.payer.createBolt11({ sat: '2100' });
    const quote = await client.paymentQuotes.createLightning({ lnInvoice, sourceCurrency: 'EUR' });
    const before = sandbox.log.length;
    for (const call of [
      client.invoices.cancel(invoiceId).then(() => {}),
      client.paymentQuotes.execute(quote.paymentQuoteId).then(() => {}),
    ])
      expect(await failureOf(call)).to.include({ code: 'READ_ONLY' });
    expect(sandbox.log).to.have.length(before);
    expect(sandbox.settlements('').length).to.equal(0);
  });

  it('takes a request of another library for what it is', async () => {
    const { sandbox } = open();
    const { fetch } = readOnly(sandbox.clientOptions);
    const url = 'https://sandbox.invalid/v1/payouts';
    const foreign = { url, method: 'POST', headers: new Headers(), toString: () => url };
    expect((await fetch(foreign as unknown as string, {})).status).to.equal(405);
    expect(sandbox.log).to.deep.equal([]);
  });

  it('refuses headers by which a read is taken for a command, and a command for another', async () => {
    const { sandbox } = open();
    const { fetch } = readOnly(sandbox.clientOptions, { allow: ['invoices.create'] });
    for (const name of ['X-HTTP-Method-Override', 'x-http-method', 'X-Method-Override'])
      for (const method of ['GET', 'POST']) {
        const headers = { [name]: 'PATCH' };
        const url = 'https://sandbox.invalid/v1/invoices';
        expect((await fetch(url, { method, headers })).status, name).to.equal(405);
        const request = new Request(url, { method, headers }) as unknown as string;
        expect((await fetch(request, {})).status, name).to.equal(405);
      }
    expect(sandbox.log).to.deep.equal([]);
  });

  it('allows only the path of the operation, after that of the base URL', async () => {
    const sent: string[] = [];
    const wire = async (...[url]: [string, RequestInit?]): Promise<Response> => {
      sent.push(url);
      return new Response('{}');
    };
    const options = { baseUrl: 'https://shop.example/pay/', apiKey: 'KEY', fetch: wire };
    const { fetch } = readOnly(options, { allow: ['invoices.create', 'invoices.createFor'] });
    const statusOf = async (path: string): Promise<number> =>
      (await fetch(`https://shop.example${path}`, { method: 'POST' })).status;
    for (const path of [
      '/v1/invoices', // not below the base
      '/pay/v1/payouts/v1/invoices',
      '/pay/v1/payouts;/v1/invoices',
      '/pay/v1/invoices/',
      '/pay/v1/invoices/handle/..%2F..%2Fdeposits',
      '/pay/v1/invoices/handle/..%5C..%5Cdeposits',
      '/pay/v1/invoices/handle/%2e%2e',
      '/pay/v1/invoices/handle/%',
      '/pay/v1/invoices/handle/',
    ])
      expect(await statusOf(path), path).to.equal(405);
    expect(sent).to.deep.equal([]);
    for (const path of ['/pay/v1/invoices', '/pay/v1/invoices/handle/ada%20l'])
      expect(await statusOf(path), path).to.equal(200);
    const client = createClient({
      ...readOnly(options, { allow: ['invoices.createFor'] }),
      [allowSecretInBrowser]: true,
    });
    await failureOf(client.invoices.createFor('../../deposits', { amount }).then(() => {}));
    expect(sent).to.have.length(2);
  });

  it('follows no redirect of a command that is allowed', async () => {
    const redirects: (string | undefined)[] = [];
    const wire = async (_url: string, { redirect }: RequestInit = {}): Promise<Response> => {
      redirects.push(redirect);
      return new Response('{}');
    };
    const options = { baseUrl: 'https://shop.example', apiKey: 'KEY', fetch: wire };
    const { fetch } = readOnly(options, { allow: ['invoices.create'] });
    const url = 'https://shop.example/v1/invoices';
    await fetch(url, { method: 'POST', redirect: 'follow' });
    await fetch(new Request(url, { method: 'POST' }) as unknown as string, {});
    expect(redirects).to.deep.equal(['manual', 'manual']);
  });

  it('holds for children, raw requests and every flow', async () => {
    const { sandbox, client } = open();
    const child = client.withOptions({ maxAttempts: 1 });
    expect(() => client.withOptions({ fetch: sandbox.fetch } as never)).to.throw(/fetch/);
    const refused = { code: 'READ_ONLY', outcome: 'not-done' };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'delete', 'Patch'] as const) {
      const call = request(child, method as 'POST', '/v1/payouts');
      const failure = await failureOf(call.then(() => {}));
      expect(failure.outcome, method).to.equal('not-done');
      expect(failure.code, method).to.match(/^(READ_ONLY|INPUT_INVALID)$/);
    }
    expect(await failureOf(child.payouts.initiate('a-payout').then(() => {}))).to.include(refused);
    const journal = memoryStore();
    const runs = [
      exchange(child, { intent: 'e', sell: 'EUR', buy: 'USD', amount, journal }),
      deposit(child, {
        intent: 'd',
        bankPaymentMethodId: 'a-bank',
        amount: '5.00',
        feePolicy: 'EXCLUSIVE',
        maxFee: 'any',
        journal,
      }),
    ];
    for (const { result } of runs) expect((await result).phase).to.equal('refused');
    expect(sandbox.log.filter(({ method }) => method !== 'GET')).to.deep.equal([]);
  });

  it('works with a login, whose own requests it does not see', async () => {
    const sandbox = createSandbox();
    const { apiKey, ...rest } = sandbox.clientOptions;
    const client = createClient(readOnly({ ...rest, token: async () => apiKey }));
    expect((await client.balances.list()).length).to.be.above(0);
    expect(await failureOf(client.invoices.create({ amount }))).to.include({ code: 'READ_ONLY' });
  });

  it('says that an operation is not allowed, not that a scope is missing', async () => {
    const { client } = open();
    const { next, neededScope, message } = await failureOf(client.invoices.create({ amount }));
    expect([next, neededScope]).to.deep.equal(['ask-user', undefined]);
    expect(message).to.match(/^invoices\.create: .*READ_ONLY/);
  });

  it('cannot be told to allow what could spend', () => {
    for (const allow of ['invoices.create', null, {}])
      expect(() => readOnly(createSandbox().clientOptions, { allow } as never)).to.throw(
        /^allow: must be an array/,
      );
    for (const name of ['paymentQuotes.execute', 'payouts.create', 'deposits.create', 'toString'])
      expect(() => open([name as HarmlessOperation])).to.throw(/allow: may only list/);
  });
});
