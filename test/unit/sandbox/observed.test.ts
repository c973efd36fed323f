// Node only: the sandbox computes the same in every engine.
// Protects: where recordings and foreign clients show what the service does, the sandbox does the same.
import { expect } from 'chai';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { type Ask, asker, BASE, euros, newInvoice, query } from './ask.ts';

const HASH = 'ab'.repeat(32);

/** A request with a receive, and what a filter of its receives can name. */
const received = async (
  sandbox: Sandbox,
): Promise<{ readonly ask: Ask; readonly of: Readonly<Record<string, string>> }> => {
  const ask = asker(sandbox);
  const [made] = await Promise.all(
    [1, 2].map(async () => {
      const request = await ask('POST', '/v1/receive-request', { bolt11: {}, onchain: {} });
      const bolt11Invoice = request.word('bolt11.invoice');
      await sandbox.payer.pay(bolt11Invoice, { amount: '0.00001000' });
      return {
        receiveRequestId: request.word('receiveRequestId'),
        onchainAddress: request.word('onchain.address'),
        bolt11Invoice,
        paymentHash: request.word('bolt11.paymentHash'),
      };
    }),
  );
  const mine = `/v1/receive-requests/${made!.receiveRequestId}/receives`;
  return { ask, of: { ...made!, receiveId: (await ask('GET', mine)).word('items.0.receiveId') } };
};

describe('sandbox: what foreign clients of the service show', () => {
  it('is $filter of receives, by whatever identifies one', async () => {
    const { ask, of } = await received(createSandbox({ signed: false }));
    expect((await ask('GET', '/v1/receive-requests/receives')).at('count')).to.equal(2);
    for (const list of ['', `/${of['receiveRequestId']}`])
      for (const [name, value] of Object.entries(of)) {
        const filter = query({ filter: `${name} eq '${value}'` });
        const { status, at } = await ask('GET', `/v1/receive-requests${list}/receives${filter}`);
        expect([status, at('count'), at('items.0.receiveId')], name).to.deep.equal([
          200,
          1,
          of['receiveId'],
        ]);
      }
    const other = query({ filter: `paymentHash eq '${HASH}'` });
    expect((await ask('GET', `/v1/receive-requests/receives${other}`)).at('items')).to.deep.equal(
      [],
    );
    const wrong = query({ filter: `state eq 'COMPLETED'` });
    expect((await ask('GET', `/v1/receive-requests/receives${wrong}`)).status).to.equal(400);
  });

  it('may be otherwise: $filter of receives is refused if assumed', async () => {
    const assume = { 'receives.odata': 'refused' } as const;
    const { ask, of } = await received(createSandbox({ signed: false, assume }));
    const filter = query({ filter: `receiveId eq '${of['receiveId']}'` });
    const refused = await ask('GET', `/v1/receive-requests/receives${filter}`);
    expect([refused.status, refused.at('data.code')]).to.deep.equal([400, 'INVALID_DATA_QUERY']);
  });

  it('is a payment read by an id of no form: INVALID_DATA, or NOT_FOUND if assumed', async () => {
    const sandbox = createSandbox();
    const read = (): ReturnType<Ask> => asker(sandbox)('GET', `/v1/payments/${HASH}`);
    expect((await read()).at('data')).to.deep.equal({
      status: 400,
      code: 'INVALID_DATA',
      message: 'One or more validation errors occurred',
      validationErrors: { paymentId: [{ code: 'INVALID_DATA', message: 'is not valid.' }] },
    });
    sandbox.assume({ 'payments.id': 'not-found' });
    expect((await read()).status).to.equal(404);
  });

  it('is another resource read by an id of no form: NOT_FOUND', async () => {
    const ask = asker(createSandbox());
    expect((await ask('GET', `/v1/invoices/${HASH}`)).status).to.equal(404);
    expect((await ask('PATCH', `/v1/payment-quotes/${HASH}/execute`)).status).to.equal(404);
  });
});

describe('sandbox: what recordings of the service show', () => {
  it('is a Location with its whole address, which of a quote is its own', async () => {
    const ask = asker(createSandbox());
    const made = await ask('POST', '/v1/invoices', euros('1'));
    const id = made.word('invoiceId');
    expect(made.headers.get('location')).to.equal(`${BASE}/v1/invoices/${id}`);
    const quoted = await ask('POST', `/v1/invoices/${id}/quote`);
    const quote = `${BASE}/v1/quotes/${quoted.word('quoteId')}`;
    expect(quoted.headers.get('location')).to.equal(quote);
  });

  it('is not assumed: lists and events are newest first, also in strict mode', async () => {
    const { behaviours } = createSandbox();
    for (const id of ['lists.order', 'events.order', 'responses.location'])
      expect(behaviours.public, id).to.have.property(id);
  });
});

describe('sandbox: refusals', () => {
  it('have the status of their code', async () => {
    const sandbox = createSandbox();
    const { fetch, apiKey } = sandbox.clientOptions;
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'text/plain' };
    const text = await fetch!(`${BASE}/v1/invoices`, { method: 'POST', body: 'amount=5', headers });
    const { data } = (await text.json()) as { data: { status: number; code: string } };
    expect([text.status, data.status, data.code]).to.deep.equal([400, 400, 'INVALID_DATA']);
    const long = await asker(sandbox)('GET', `/v1/invoices?$filter=${'x'.repeat(9_000)}`);
    expect([long.status, long.at('data.code')]).to.deep.equal([400, 'INVALID_DATA_QUERY']);
  });

  it('of a broken BOLT11 text do not ask for an amount', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const lnInvoice = sandbox.payer.createBolt11();
    const last = lnInvoice.at(-1) === 'q' ? 'p' : 'q';
    for (const broken of [lnInvoice.slice(0, -1) + last, lnInvoice.slice(0, 40), 'lntb1broken']) {
      const { at } = await ask('POST', '/v1/payment-quotes/lightning', { lnInvoice: broken });
      expect([at('data.code'), at('data.values')], broken).to.deep.equal([
        'INVALID_LN_INVOICE',
        { activeNetwork: 'testnet' },
      ]);
    }
    const { at } = await ask('POST', '/v1/payment-quotes/lightning', { lnInvoice });
    expect(at('data.validationErrors.amount.0.code')).to.equal('INVALID_DATA_REQUIRED');
    const more = await ask('POST', '/v1/payment-quotes/lightning', {
      lnInvoice: 'lntb1broken',
      sourceCurrency: 5,
    });
    expect(more.at('data.code')).to.equal('INVALID_DATA');
  });

  it('can have what the service says in its development mode', async () => {
    const sandbox = createSandbox();
    const debug = { full: 'Error: no tea\n    at brew', body: '{}' };
    sandbox.fault({ action: { status: 422, code: 'UNPROCESSABLE_ENTITY', debug } });
    const { at } = await asker(sandbox)('GET', '/v1/balances');
    expect([at('debug'), at('data.code')]).to.deep.equal([debug, 'UNPROCESSABLE_ENTITY']);
    expect(() =>
      sandbox.fault({ action: { status: 422, debug: { stack: '' } as never } }),
    ).to.throw('stack');
  });
});

describe('sandbox: amounts and orders at their edge', () => {
  it('leave a quote at least one satoshi, however it is rounded', async () => {
    for (const value of ['up', 'nearest', 'down'] as const) {
      const sandbox = createSandbox({ assume: { 'invoice-quotes.rounding': value } });
      const ask = asker(sandbox);
      const amount = { amount: '0.000001', currency: 'USDT' };
      const id = await newInvoice(ask, { amount });
      const { status, at } = await ask('POST', `/v1/invoices/${id}/quote`);
      expect([status, at('sourceAmount.amount')], value).to.deep.equal([201, '0.00000001']);
      await sandbox.payer.pay(id);
      expect((await ask('GET', `/v1/invoices/${id}`)).at('state'), value).to.equal('PAID');
    }
  });

  itLong('turn the ties of lists that take no order too', async () => {
    const sandbox = createSandbox({ signed: false });
    const ask = asker(sandbox);
    for (
      let made = 0;
      made < 600;
      made++ // a full millisecond makes ties
    )
      await ask('POST', '/v1/receive-request', { onchain: {} });
    const idsNow = async (): Promise<string> => {
      const { at } = await ask('GET', '/v1/receive-requests?$top=5');
      const items = at('items') as readonly { created: string; receiveRequestId: string }[];
      expect(new Set(items.map(({ created }) => created)).size).to.equal(1);
      return items.map(({ receiveRequestId }) => receiveRequestId).join(' ');
    };
    expect(await idsNow()).to.equal(await idsNow());
    sandbox.fault({ action: 'unstable-ties' });
    const orders = new Set<string>();
    for (let round = 0; round < 10; round++) orders.add(await idsNow());
    expect(orders.size).to.be.above(2);
  });
});
