// Protects: a client for tests against a real account sends nothing that could spend.
import { expect } from 'chai';
import { type Client, createClient, RefusedError } from 'paystate';
import * as endpoints from 'paystate/endpoints';
import { pay } from 'paystate/flows';
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
          expect((await fetch(url, { method: written })).status, path).to.equal(403);
        expect((await fetch(new Request(url, { method }))).status, path).to.equal(403);
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

  it('cannot be told to allow what could spend', () => {
    for (const name of ['paymentQuotes.execute', 'payouts.create', 'deposits.create', 'toString'])
      expect(() => open([name as HarmlessOperation])).to.throw(/allow: may name only/);
  });
});
