// Node only: test tools compute the same in every engine.
// Protects: a page and a refusal in a user's test are read by a client as those of the service.
import { expect } from 'chai';
import { isPaystateError } from 'paystate';
import { serviceCodes } from 'paystate/endpoints';
import { rejectDrift } from 'paystate/schemas';
import { makeErrorResponse, makeInvoice, makePage } from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { answering, failureOf, json, openShop } from '../core/shop.ts';

const items = [0, 1, 2].map((index) => makeInvoice({}, { index }));

describe('a page', () => {
  it('is read as a list, with its count', async () => {
    for (const [total, count] of [
      [undefined, 3],
      [3, 3],
      [250, 250],
      ['unknown', undefined],
    ] as const) {
      const { fetch } = answering(json(makePage(items, total)));
      const { client, run } = openShop({ fetch, drift: rejectDrift });
      const pages = client.invoices.list().pages()[Symbol.asyncIterator]();
      const { value } = await run(pages.next());
      expect(value).to.deep.include({ items, isCountUnknown: count === undefined });
      if (count !== undefined) expect(value?.count).to.equal(count);
    }
  });
});

describe('an error response', () => {
  itLong('of any code is the refusal that the sandbox gives for it', async () => {
    for (const [code, status] of Object.entries(serviceCodes)) {
      const { client, run, sandbox } = openShop({ maxAttempts: 1 });
      sandbox.fault({ action: { status, code } });
      const real = await failureOf(run(client.invoices.get('none')));
      const stubbed = openShop({ maxAttempts: 1, fetch: async () => makeErrorResponse(code) });
      const made = await failureOf(stubbed.run(stubbed.client.invoices.get('none')));
      const { traceId: _, retryAt: __, ...facts } = made;
      expect(facts, code).to.deep.include({ code, status, outcome: real.outcome, next: real.next });
      expect(made.traceId).to.equal('trace-of-a-test');
    }
  });

  it('says what it is given: values, broken rules, trace, headers, status', async () => {
    const validationErrors = {
      amount: [{ code: 'INVALID_DATA_REQUIRED', message: 'is required' }],
    };
    const response = makeErrorResponse('INVALID_DATA', {
      validationErrors,
      values: { limit: 5 },
      traceId: 't-1',
      status: 422,
      headers: { 'retry-after': '60' },
    });
    expect([response.status, response.headers.get('retry-after')]).to.deep.equal([422, '60']);
    const { client, run } = openShop({ maxAttempts: 1, fetch: async () => response });
    const thrown = await failureOf(run(client.invoices.get('none')));
    expect(isPaystateError(thrown)).to.equal(true);
    expect(thrown).to.deep.include({ traceId: 't-1', validationErrors, values: { limit: 5 } });
  });

  it('may have a code that is new, with a status of its own', async () => {
    const fetch = async () => makeErrorResponse('SOMETHING_NEW', { status: 409 });
    const { client, run } = openShop({ maxAttempts: 1, fetch });
    expect(await failureOf(run(client.invoices.get('none')))).to.include({
      code: 'SOMETHING_NEW',
      status: 409,
    });
  });
});
