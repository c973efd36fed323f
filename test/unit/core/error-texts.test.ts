// Protects: what an error says in words: which operation, what happened, what to do; and that JSON keeps all of it.
import { expect } from 'chai';
import { type PaystateError, request, type RequestView } from 'paystate';
import * as endpoints from 'paystate/endpoints';
import { describe, it } from '#test';
import { answering, DRAFT, failureOf, INVOICE, json, openShop, refusal } from './shop.ts';

const messageOf = async (work: PromiseLike<unknown>): Promise<string> =>
  (await failureOf(work)).message;

describe('the message of an error', () => {
  it('names operation, field and rule where nothing was sent', async () => {
    const { client, run } = openShop();
    const draft = { amount: { amount: '12,50', currency: 'EUR' } };
    expect(await messageOf(run(client.invoices.create(draft)))).to.equal(
      'invoices.create: amount.amount must be a decimal string such as "12.50"; nothing was sent (INPUT_INVALID)',
    );
    expect(await messageOf(run(client.invoices.get('')))).to.match(
      /^invoices\.get: invoiceId must be a string of 1 to .*; nothing was sent \(INPUT_INVALID\)$/,
    );
    expect(
      await messageOf(
        run(client.paymentQuotes.createLightning({ lnInvoice: 'x' }, { idempotencyKey: '?' })),
      ),
    ).to.equal(
      'paymentQuotes.createLightning: idempotencyKey must be a UUID; nothing was sent (INPUT_INVALID)',
    );
  });

  it('names the step after a refusal, with code, status and trace', async () => {
    const { client, run } = openShop({
      fetch: answering(refusal(422, 'BALANCE_TOO_LOW')).fetch,
      maxAttempts: 1,
    });
    const error = await failureOf(run(client.paymentQuotes.execute('q')));
    expect(error.message).to.equal(
      'paymentQuotes.execute: refused; ask user (BALANCE_TOO_LOW, 422, trace trace-1)',
    );
    expect(error.operation).to.equal('paymentQuotes.execute');
  });

  it('names field and rule of what the service found wrong', async () => {
    const validationErrors = { 'amount.currency': [{ code: 'INVALID_DATA_CURRENCY' }] };
    const { client, run } = openShop({
      fetch: answering(refusal(400, 'INVALID_DATA', { validationErrors })).fetch,
    });
    expect(await messageOf(run(client.invoices.create(DRAFT)))).to.equal(
      'invoices.create: refused: amount.currency INVALID_DATA_CURRENCY; fix input (INVALID_DATA, 400, trace trace-1)',
    );
  });

  it('says so where something may be done', async () => {
    const { sandbox, client, run } = openShop();
    const { host } = new URL(String(sandbox.clientOptions.baseUrl));
    sandbox.fault({ action: { delay: 90_000 } });
    expect(await messageOf(run(client.paymentQuotes.execute('q')))).to.equal(
      `paymentQuotes.execute: no response from ${host}, may have been done; read first (TIMEOUT)`,
    );
    expect(await messageOf(run(client.invoices.get('x')))).to.equal(
      `invoices.get: no response from ${host}; retry (TIMEOUT)`,
    );
  });

  it('of a request without an operation names method and path', async () => {
    const { client, run } = openShop();
    const work = request(client, 'GET', '/v1/invoices/{id}', { params: { id: 'none' } });
    expect(await messageOf(run(work))).to.match(/^GET \/v1\/invoices\/\{id\}: refused; /);
  });
});

describe('the operation', () => {
  it('of each endpoint is the member of the client that sends it', () => {
    for (const [resource, table] of Object.entries(endpoints))
      for (const [name, row] of Object.entries(table))
        if (typeof row === 'object' && row !== null && 'method' in row)
          expect(row).to.have.property('operation', `${resource}.${name}`);
  });

  it('is what observers are told', async () => {
    const seen: RequestView[] = [];
    const { client, run } = openShop({
      fetch: answering(json(INVOICE)).fetch,
      onRequest: (view) => void seen.push(view),
      onResponse: (view) => void seen.push(view),
    });
    await run(client.invoices.get(INVOICE.invoiceId));
    expect(seen.map(({ operation }) => operation)).to.deep.equal(['invoices.get', 'invoices.get']);
  });
});

describe('an error as JSON', () => {
  it('keeps name, message, kind and facts, and no cause', async () => {
    const { sandbox, client, run } = openShop({ maxAttempts: 1 });
    sandbox.fault({ action: 'lost-before' });
    const error: PaystateError = await failureOf(run(client.invoices.get('x')));
    const { code, outcome, next, attempts, operation, message } = error;
    expect(JSON.parse(JSON.stringify({ error }))).to.deep.equal({
      error: {
        name: 'UnreachableError',
        message,
        kind: 'unreachable',
        code,
        outcome,
        next,
        attempts,
        operation,
      },
    });
  });
});

describe('a currency', () => {
  it('in small letters is not sent, and the right one is named', async () => {
    const { sandbox, client, run } = openShop();
    const draft = { amount: { amount: '1', currency: 'eur' } };
    expect(await messageOf(run(client.invoices.create(draft)))).to.contain(
      'amount.currency must be "EUR"',
    );
    expect(sandbox.log).to.have.length(0);
  });

  it('that is not known here is sent', async () => {
    const { sandbox, client, run } = openShop();
    for (const currency of ['XYZ', 'xyz'])
      await failureOf(run(client.invoices.create({ amount: { amount: '1', currency } })));
    expect(sandbox.log).to.have.length(2);
  });
});
