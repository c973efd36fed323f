import { expect } from 'chai';
import { createSandbox } from 'paystate/sandbox';
import { describe, it } from '#test';
import { asker, BASE, euros, newInvoice, readResponse } from './ask.ts';

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const TIME = /^2026-01-05T09:00:00(\.\d{1,7})?\+00:00$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

describe('sandbox: invoices', () => {
  it('creates one that is unpaid, with an echo of what was asked', async () => {
    const ask = asker(createSandbox());
    const answer = await ask('POST', '/v1/invoices', {
      ...euros('12.5'),
      correlationId: 'order-7',
      description: 'Größe "L"',
    });
    expect(answer.status).to.equal(201);
    expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(Object.keys(JSON.parse(answer.text) as object)).to.deep.equal([
      'invoiceId',
      'amount',
      'state',
      'created',
      'correlationId',
      'description',
      'issuerId',
      'receiverId',
    ]);
    expect(answer.at('invoiceId')).to.match(UUID);
    expect(answer.at('amount')).to.deep.equal({ amount: '12.50', currency: 'EUR' });
    expect(answer.at('state')).to.equal('UNPAID');
    expect(answer.at('created')).to.match(TIME);
    expect(answer.at('correlationId')).to.equal('order-7');
    expect(answer.at('description')).to.equal('Größe "L"');
    expect(answer.at('issuerId')).to.match(UUID).and.equal(answer.at('receiverId'));
  });

  it('leaves absent members out', async () => {
    const ask = asker(createSandbox());
    const { text } = await ask('POST', '/v1/invoices', {
      ...euros('1'),
      correlationId: null,
      description: null,
    });
    expect(text).not.to.match(/correlationId|description|payerId|transactions|null/);
  });

  it('writes amounts with the digits of their currency', async () => {
    const ask = asker(createSandbox());
    for (const [amount, currency, shown] of [
      ['1', 'EUR', '1.00'],
      ['0.5', 'BTC', '0.50000000'],
      ['2', 'USDT', '2.000000'],
      ['007.10', 'GBP', '7.10'],
    ]) {
      const answer = await ask('POST', '/v1/invoices', { amount: { amount, currency } });
      expect(answer.at('amount.amount')).to.equal(shown);
    }
  });

  it('finds one by its id, with its payments when asked', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const id = await newInvoice(ask);
    expect((await ask('GET', `/v1/invoices/${id}`)).status).to.equal(200);
    expect(
      (await ask('GET', `/v1/invoices/${id}?includeTransactions=true`)).at('transactions'),
    ).to.deep.equal([]);
    await sandbox.payer.pay(id);
    const answer = await ask('GET', `/v1/invoices/${id}?includeTransactions=true`);
    expect(answer.at('state')).to.equal('PAID');
    expect(answer.at('transactions.0.transactionId')).to.match(UUID);
    expect(answer.at('transactions.0.state')).to.equal('COMPLETED');
    expect(answer.at('transactions.0.amountReceived')).to.deep.equal({
      amount: '12.50',
      currency: 'EUR',
    });
    expect(answer.at('transactions.0.completed')).to.match(TIME);
    expect(
      (await ask('GET', `/v1/invoices/${id}?includeTransactions=false`)).at('transactions'),
    ).to.equal(undefined);
  });

  it('cancels while unpaid, and says why not later', async () => {
    const sandbox = createSandbox();
    const ask = asker(sandbox);
    const [open, paid, running] = [
      await newInvoice(ask),
      await newInvoice(ask),
      await newInvoice(ask),
    ];
    const answer = await ask('PATCH', `/v1/invoices/${open}/cancel`);
    expect([answer.status, answer.at('state')]).to.deep.equal([200, 'CANCELLED']);
    await sandbox.payer.pay(paid);
    void sandbox.payer.pay(running, { pendingFor: 1_000 });
    const codes = [];
    for (const id of [open, paid, running])
      codes.push(await ask('PATCH', `/v1/invoices/${id}/cancel`));
    await sandbox.payer.reverse(paid);
    codes.push(await ask('PATCH', `/v1/invoices/${paid}/cancel`));
    expect(codes.map((one) => [one.status, one.at('data.code')])).to.deep.equal([
      [422, 'INVALID_STATE_FOR_INVOICE_CANCELLED'],
      [422, 'INVALID_STATE_FOR_INVOICE_PAID'],
      [422, 'PROCESSING_PAYMENT'],
      [422, 'INVALID_STATE_FOR_INVOICE_REVERSED'],
    ]);
  });

  it('refuses a second one with the same correlationId, whatever its state, but only in one account', async () => {
    const sandbox = createSandbox({ accounts: [{ handle: 'a' }, { handle: 'b' }] });
    const [ask, other] = [
      asker(sandbox),
      asker(sandbox, sandbox.clientOptionsFor({ account: 'b' })),
    ];
    const id = await newInvoice(ask, { correlationId: 'x' });
    await ask('PATCH', `/v1/invoices/${id}/cancel`);
    const answer = await ask('POST', '/v1/invoices', { ...euros('99'), correlationId: 'x' });
    expect([answer.status, answer.at('data.code')]).to.deep.equal([409, 'DUPLICATE_INVOICE']);
    expect(answer.at('data.values')).to.deep.equal({ correlationId: 'x' });
    expect(
      (await other('POST', '/v1/invoices', { ...euros('1'), correlationId: 'x' })).status,
    ).to.equal(201);
    expect(
      (await ask('POST', '/v1/invoices', { ...euros('1'), correlationId: 'X' })).status,
    ).to.equal(201);
  });
});

describe('sandbox: what is refused', () => {
  it('answers in the envelope of the service', async () => {
    const answer = await asker(createSandbox())('GET', `/v1/invoices/${UNKNOWN}`);
    expect(answer.status).to.equal(404);
    expect(answer.at('traceId')).to.match(/^[\da-f]{32}$/);
    expect(answer.at('data')).to.deep.equal({
      status: 404,
      code: 'NOT_FOUND',
      message: 'Resource not found.',
      values: { id: UNKNOWN },
    });
  });

  it('names each broken field in validationErrors', async () => {
    const ask = asker(createSandbox());
    const cases: readonly [unknown, string, string, object][] = [
      [{}, 'amount', 'INVALID_DATA_REQUIRED', { field: 'amount' }],
      [undefined, 'amount', 'INVALID_DATA_REQUIRED', { field: 'amount' }],
      [
        { amount: { currency: 'EUR' } },
        'amount.amount',
        'INVALID_DATA_REQUIRED',
        { field: 'amount.amount' },
      ],
      [
        { amount: { amount: 5, currency: 'EUR' } },
        'amount.amount',
        'INVALID_DATA_VALUE',
        { field: 'amount.amount' },
      ],
      [euros('1e3'), 'amount.amount', 'INVALID_DATA_VALUE', { field: 'amount.amount' }],
      [euros('-1'), 'amount.amount', 'INVALID_DATA_VALUE', { field: 'amount.amount' }],
      [euros('1.005'), 'amount.amount', 'INVALID_DATA_VALUE', { field: 'amount.amount' }],
      [
        { amount: { amount: '1', currency: 'XAU' } },
        'amount.currency',
        'INVALID_DATA_CURRENCY',
        { field: 'amount.currency', currency: 'XAU' },
      ],
      [
        { ...euros('1'), correlationId: 'c'.repeat(41) },
        'correlationId',
        'INVALID_DATA_MAXLENGTH',
        { field: 'correlationId', maxLength: 40 },
      ],
      ['not json', 'body', 'INVALID_DATA', { field: 'body' }],
      ['7', 'body', 'INVALID_DATA_VALUE', { field: 'body' }],
    ];
    for (const [body, field, code, values] of cases) {
      const answer = await ask('POST', '/v1/invoices', body);
      const label = JSON.stringify(body);
      expect([answer.status, answer.at('data.code')], label).to.deep.equal([400, 'INVALID_DATA']);
      const errors = answer.at('data.validationErrors') as Readonly<
        Record<string, readonly { code: string; message: string; values: object }[]>
      >;
      expect(Object.keys(errors), label).to.include(field);
      expect(errors[field]![0]!.code, label).to.equal(code);
      expect(errors[field]![0]!.message, label).to.be.a('string');
      expect(errors[field]![0]!.values, label).to.deep.equal(values);
    }
  });

  it('bounds amounts and currencies', async () => {
    const ask = asker(createSandbox({ accounts: [{ handle: 'a', currencies: ['EUR', 'BTC'] }] }));
    const create = (amount: string, currency: string): ReturnType<typeof ask> =>
      ask('POST', '/v1/invoices', { amount: { amount, currency } });
    const zero = await create('0.00', 'EUR');
    expect([zero.status, zero.at('data.code')]).to.deep.equal([422, 'INVALID_AMOUNT']);
    const high = await create('1000000.01', 'EUR');
    expect([high.at('data.code'), high.at('data.values')]).to.deep.equal([
      'AMOUNT_TOO_HIGH',
      { limit: { amount: '1000000.00', currency: 'EUR' } },
    ]);
    expect((await create('20.00000001', 'BTC')).at('data.values.limit.amount')).to.equal(
      '20.00000000',
    );
    const other = await create('1', 'USD');
    expect([other.status, other.at('data.code'), other.at('data.values')]).to.deep.equal([
      422,
      'USER_CURRENCY_UNAVAILABLE',
      { currency: 'USD' },
    ]);
  });

  it('tells a missing key from a missing scope', async () => {
    const sandbox = createSandbox();
    for (const headers of [
      {},
      { authorization: 'Bearer NOBODY' },
      { authorization: `${sandbox.clientOptions.apiKey}` },
    ] as Record<string, string>[]) {
      const answer = await readResponse(await sandbox.fetch(`${BASE}/v1/invoices`, { headers }));
      expect([answer.status, answer.at('data.status'), answer.at('data.code')]).to.deep.equal([
        401,
        401,
        'UNAUTHORIZED',
      ]);
    }
    const reader = asker(sandbox, sandbox.clientOptionsFor({ scopes: ['partner.invoice.read'] }));
    expect((await reader('GET', '/v1/invoices')).status).to.equal(200);
    const id = await newInvoice(asker(sandbox));
    for (const [method, path] of [
      ['POST', '/v1/invoices'],
      ['PATCH', `/v1/invoices/${id}/cancel`],
      ['POST', `/v1/invoices/${id}/quote`],
      ['GET', '/v1/events'],
    ] as const) {
      const answer = await reader(method, path);
      expect([answer.status, answer.at('data.code')], path).to.deep.equal([403, 'FORBIDDEN']);
    }
  });

  it("limits the usual key of an account by the account's own scopes", async () => {
    const ask = asker(
      createSandbox({ accounts: [{ handle: 'a', scopes: ['partner.invoice.create'] }] }),
    );
    expect((await ask('POST', '/v1/invoices', euros('1'))).status).to.equal(201);
    expect((await ask('GET', '/v1/invoices')).status).to.equal(403);
  });

  it('hides what belongs to another account', async () => {
    const sandbox = createSandbox({ accounts: [{ handle: 'a' }, { handle: 'b' }] });
    const id = await newInvoice(asker(sandbox));
    const stranger = asker(sandbox, sandbox.clientOptionsFor({ account: 'b' }));
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', '/cancel'],
      ['POST', '/quote'],
    ] as const)
      expect((await stranger(method, `/v1/invoices/${id}${path}`)).at('data.code')).to.equal(
        'NOT_FOUND',
      );
    expect((await stranger('GET', '/v1/invoices')).at('count')).to.equal(0);
    expect((await stranger('GET', '/v1/events')).at('count')).to.equal(0);
  });

  it('does not know other routes, and takes a slash at the end', async () => {
    const ask = asker(createSandbox());
    for (const [method, path] of [
      ['GET', '/v1/nothing'],
      ['DELETE', '/v1/invoices'],
      ['GET', '/'],
      ['GET', '/v2/invoices'],
      ['GET', '/v1/invoices/%E0%A4%A'],
      ['GET', '/v1/invoices/a/b'],
    ] as const) {
      const answer = await ask(method, path);
      expect([answer.status, answer.at('data.code')], path).to.deep.equal([404, 'NOT_FOUND']);
    }
    expect((await ask('GET', '/v1/invoices/')).status).to.equal(200);
  });

  it('wants JSON to be called JSON', async () => {
    const sandbox = createSandbox();
    const send = (type: string): Promise<Response> =>
      sandbox.fetch('/v1/invoices', {
        method: 'POST',
        body: JSON.stringify(euros('1')),
        headers: { authorization: `Bearer ${sandbox.clientOptions.apiKey}`, 'content-type': type },
      });
    expect((await send('text/plain')).status).to.equal(400);
    expect((await send('application/json; charset=utf-8')).status).to.equal(201);
  });
});

describe('sandbox: fetch', () => {
  it('takes texts, URLs and requests with bodies of every kind, in the order in which they came', async () => {
    const sandbox = createSandbox();
    const headers = {
      authorization: `Bearer ${sandbox.clientOptions.apiKey}`,
      'content-type': 'application/json',
    };
    const body = (name: string): string => JSON.stringify({ ...euros('1'), correlationId: name });
    const url = `${BASE}/v1/invoices`;
    const answers = await Promise.all(
      [
        sandbox.fetch(new Request(url, { method: 'POST', headers, body: body('a') })),
        sandbox.fetch(new URL(url), {
          method: 'post',
          headers,
          body: new TextEncoder().encode(body('b')),
        }),
        sandbox.fetch('http://127.0.0.1:8080/v1/invoices', {
          method: 'POST',
          headers,
          body: body('c'),
        }),
      ].map(async (response) => readResponse(await response)),
    );
    expect(answers.map((answer) => answer.status)).to.deep.equal([201, 201, 201]);
    const list = await asker(sandbox)('GET', '/v1/invoices?$orderby=created');
    expect([0, 1, 2].map((place) => list.at(`items.${place}.correlationId`))).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
  });

  it('is reached by its connections under its own address only', async () => {
    const sandbox = createSandbox();
    let thrown: unknown;
    await sandbox.clientOptions.fetch!('https://elsewhere.example/v1/invoices', {}).catch(
      (error: unknown) => {
        thrown = error;
      },
    );
    expect(thrown).to.be.an.instanceOf(TypeError);
    expect(sandbox.log).to.have.length(0);
  });

  it('obeys the signal', async () => {
    const sandbox = createSandbox();
    sandbox.fault({ action: { delay: 5_000 } });
    const stop = new AbortController();
    const asked = sandbox.fetch('/v1/invoices', { signal: stop.signal }).then(
      () => 'answered',
      (reason: unknown) => reason,
    );
    stop.abort('enough');
    expect(await asked).to.equal('enough');
    expect(
      await sandbox
        .fetch('/v1/invoices', { signal: stop.signal })
        .catch((reason: unknown) => reason),
    ).to.equal('enough');
    expect(sandbox.log).to.have.length(1);
  });

  it('writes down every request', async () => {
    const sandbox = createSandbox();
    await asker(sandbox)('GET', '/v1/events?$top=1');
    expect(sandbox.log).to.deep.equal([
      {
        call: 1,
        at: 1_767_603_600_000,
        method: 'GET',
        path: '/v1/events',
        query: '?$top=1',
        address: '203.0.113.1',
        bucket: 'others',
        status: 200,
        behaviours: [
          'lists.count',
          'events.unsubscribed',
          'events.verdict',
          'times.digits',
          'events.filters',
          'lists.top',
          'events.order',
          'events.history',
          'events.all',
          'events.count',
          'events.success',
        ],
      },
    ]);
  });
});
