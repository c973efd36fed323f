// Node only: the sandbox computes the same in every engine.
// Protects: what the service's description says of requests and responses holds to the letter.
import { expect } from 'chai';
import { serviceCodes } from 'paystate/endpoints';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { describe, it, itLong } from '#test';
import { WAYS } from '../../codes/ways.ts';
import { openCodes } from '../../codes/world.ts';
import { type Ask, asker, euros, newInvoice, query } from './ask.ts';

const PARTY = { type: 'INDIVIDUAL', name: 'Ada' };
const PERSON = {
  ...PARTY,
  address: { country: 'DE', city: 'Berlin', postCode: '10115', line1: 'Street 1' },
};
const ACH = {
  transferType: 'ACH',
  accountNumber: '000123456789',
  routingNumber: '021000021',
  accountType: 'CHECKING',
  beneficiaries: [PARTY],
};
const HOOK = {
  webhookUrl: 'https://shop.example/hooks',
  webhookVersion: 'v1',
  secret: 'a-secret-of-some-length',
  enabled: true,
  eventTypes: ['invoice.updated'],
};

interface Shop {
  readonly sandbox: Sandbox;
  readonly ask: Ask;
  readonly cafe: Ask;
}

const open = (): Shop => {
  const accounts = [
    { handle: 'shop', balances: { EUR: '500', USD: '500', BTC: '0.5' } },
    { handle: 'cafe', defaultCurrency: 'USD' },
  ];
  const sandbox = createSandbox({ signed: false, accounts });
  const cafe = asker(sandbox, sandbox.clientOptionsFor({ account: 'cafe' }));
  return { sandbox, ask: asker(sandbox), cafe };
};

const bankMethod = async ({ ask, sandbox }: Shop): Promise<string> => {
  const { word } = await ask('POST', '/v1/payment-methods/bank', ACH);
  await sandbox.advance(3_000);
  return word('id');
};

/** The code of each field that a request breaks. */
const broken = async (asked: ReturnType<Ask>): Promise<unknown> => {
  const { status, at } = await asked;
  const errors = (at('data.validationErrors') ?? {}) as Record<string, { code: string }[]>;
  return [status, ...Object.entries(errors).map(([field, [one]]) => `${field} ${one!.code}`)];
};

describe('sandbox: words that the description does not name', () => {
  it('are refused as fee policies, wherever one is taken', async () => {
    const shop = open();
    const { ask, sandbox } = shop;
    const paymentMethodId = await bankMethod(shop);
    const amount = { amount: '5', currency: 'EUR', feePolicy: 'INCLUSIV' };
    const btcAddress = sandbox.payer.createAddress();
    const nested: readonly (readonly [string, object])[] = [
      ['/v1/payment-quotes/lightning', { lnInvoice: sandbox.payer.createBolt11(), amount }],
      [
        '/v1/payment-quotes/onchain',
        { btcAddress, sourceCurrency: 'EUR', onchainTierId: 'tier_fast', amount },
      ],
      ['/v1/currency-exchange-quotes', { sell: 'EUR', buy: 'BTC', amount }],
    ];
    for (const [path, body] of nested)
      expect(await broken(ask('POST', path, body)), path).to.deep.equal([
        400,
        'amount.feePolicy INVALID_DATA_VALUE',
      ]);
    const bare = { paymentMethodId, amount: '5', feePolicy: 'inclusive' };
    for (const path of ['/v1/payouts', '/v1/deposits', '/v1/deposits/fee'])
      expect(await broken(ask('POST', path, bare)), path).to.deep.equal([
        400,
        'feePolicy INVALID_DATA_VALUE',
      ]);
  });

  it('are refused as types of a beneficiary and of its destination', async () => {
    const { ask, sandbox } = open();
    const quote = (beneficiary: object): ReturnType<Ask> =>
      ask('POST', '/v1/payment-quotes/lightning', {
        lnInvoice: sandbox.payer.createBolt11({ sat: '21' }),
        sourceCurrency: 'BTC',
        beneficiary,
      });
    expect(await broken(quote({ type: 'PERSON' }))).to.deep.equal([
      400,
      'beneficiary.type INVALID_DATA_VALUE',
    ]);
    expect(await broken(quote({ destinationType: 'WALLET' }))).to.deep.equal([
      400,
      'beneficiary.destinationType INVALID_DATA_VALUE',
    ]);
    expect(
      (await quote({ type: 'UNKNOWN', destinationType: 'SELF_CUSTODY_WALLET' })).status,
    ).to.equal(200);
  });

  it('are refused as switches of a query', async () => {
    const { ask } = open();
    const id = await newInvoice(ask);
    expect(await broken(ask('GET', `/v1/invoices/${id}?includeTransactions=yes`))).to.deep.equal([
      400,
      'includeTransactions INVALID_DATA_VALUE',
    ]);
  });
});

describe('sandbox: violations', () => {
  it('name the field as it stands in the body, and days must be in the calendar', async () => {
    const { ask } = open();
    const amount = { amount: '5', currency: 'DOGE' };
    for (const rail of ['bolt11', 'onchain'])
      expect(
        await broken(ask('POST', '/v1/receive-request', { [rail]: { amount } })),
      ).to.deep.equal([400, `${rail}.amount.currency INVALID_DATA_CURRENCY`]);
    const born = { ...PARTY, dateOfBirth: '1988-02-30' };
    expect(
      await broken(ask('POST', '/v1/payment-methods/bank', { ...ACH, beneficiaries: [born] })),
    ).to.deep.equal([400, 'beneficiaries.0.dateOfBirth INVALID_DATA_VALUE']);
    expect(
      await broken(
        ask('POST', '/v1/payout-originators', { ...PERSON, dateOfBirth: born.dateOfBirth }),
      ),
    ).to.deep.equal([400, 'dateOfBirth INVALID_DATA_VALUE']);
  });
});

describe('sandbox: times', () => {
  it('are compared as they are printed: the row itself is at its time, neither after nor before it', async () => {
    const { ask, sandbox } = open();
    for (let count = 0; count < 12; count++) {
      const created = (await ask('POST', '/v1/invoices', euros('1'))).word('created');
      await sandbox.advance(7);
      const newest = await ask('GET', '/v1/invoices?$top=1');
      const printed = newest.word('items.0.created');
      for (const text of [created, printed]) {
        const found = async (operator: string): Promise<unknown> =>
          (await ask('GET', `/v1/invoices${query({ filter: `created ${operator} ${text}` })}`)).at(
            'count',
          );
        expect(
          [await found('eq'), await found('gt'), await found('ge'), await found('lt')],
          text,
        ).to.deep.equal([1, 0, 1, count]);
      }
    }
  });

  it('have a seventh digit in the response to a creation and in deliveries, and six elsewhere', async () => {
    const delivered: string[] = [];
    const sandbox = createSandbox({
      signed: false,
      async deliver(request) {
        delivered.push(((await request.json()) as { created: string }).created);
        return new Response(null, { status: 204 });
      },
    });
    const ask = asker(sandbox);
    const [seven, six] = [
      /^2026-01-05T09:00:\d\d\.\d{7}\+00:00$/,
      /^2026-01-05T09:00:\d\d(\.\d{1,6})?\+00:00$/,
    ];
    const created: readonly (readonly [string, object])[] = [
      ['/v1/subscriptions', HOOK],
      ['/v1/invoices', euros('1')],
      ['/v1/payout-originators', PERSON],
      ['/v1/payment-methods/bank', ACH],
      ['/v1/receive-request', { onchain: {} }],
      ['/v1/currency-exchange-quotes', { sell: 'EUR', buy: 'BTC', ...euros('5') }],
    ];
    for (const [path, body] of created) {
      const { word, text, headers } = await ask('POST', path, body);
      expect(word('created'), text).to.match(seven);
      const id = word('id') ?? word('invoiceId') ?? word('receiveRequestId');
      const found = await ask('GET', headers.get('location') ?? `${path}/${id}`);
      expect(found.word('created'), found.text).to.match(six);
      expect(word('created').startsWith(found.word('created').slice(0, -6)), found.text).to.equal(
        true,
      );
    }
    const id = (await ask('GET', '/v1/invoices')).word('items.0.invoiceId');
    await ask('PATCH', `/v1/invoices/${id}/cancel`);
    await sandbox.advance(0);
    expect(delivered).to.have.length(1);
    expect(delivered[0]).to.match(seven);
    expect((await ask('GET', '/v1/events')).word('items.0.created')).to.match(six);
  });
});

describe('sandbox: every refusal', () => {
  it('has the envelope: unknown paths and methods, other content types, and lines that are too long', async () => {
    const { ask, sandbox } = open();
    const text = await sandbox.fetch('/v1/invoices', {
      method: 'POST',
      body: '{}',
      headers: {
        authorization: `Bearer ${sandbox.clientOptions.apiKey}`,
        'content-type': 'text/plain',
      },
    });
    const envelope = (await text.json()) as { traceId: string; data: object };
    expect([text.status, envelope.data]).to.deep.equal([
      400,
      {
        status: 400,
        code: 'INVALID_DATA',
        message: 'One or more validation errors occurred',
        validationErrors: {
          body: [
            {
              code: 'INVALID_DATA',
              message: 'body must be application/json',
              values: { field: 'body' },
            },
          ],
        },
      },
    ]);
    for (const [method, path, status, code] of [
      ['GET', '/v1/nothing', 404, 'NOT_FOUND'],
      ['DELETE', '/v1/invoices', 404, 'NOT_FOUND'],
      ['GET', '/v2/invoices', 404, 'NOT_FOUND'],
      ['GET', '/v1/invoices/%E0%A4%A', 404, 'NOT_FOUND'],
      [
        'GET',
        `/v1/invoices${query({ filter: `state eq '${'x'.repeat(9_000)}'` })}`,
        400,
        'INVALID_DATA_QUERY',
      ],
    ] as const) {
      const answer = await ask(method, path);
      expect([answer.status, answer.at('data.status'), answer.at('data.code')], path).to.deep.equal(
        [status, status, code],
      );
      expect(answer.at('traceId'), path).to.match(/^[\da-f]{32}$/);
      expect(answer.at('data.message'), path).to.be.a('string');
    }
  });

  itLong('says what the table of codes says', async () => {
    const said = new Map<string, unknown>();
    for (const code of Object.keys(serviceCodes) as (keyof typeof WAYS)[]) {
      const way = WAYS[code];
      if (!('why' in way)) said.set(code, (await way.ask(openCodes(way.world))).at('data.message'));
    }
    const isText = (text: unknown, code: string): boolean =>
      typeof text === 'string' && text !== code;
    expect([...said].filter(([code, text]) => !isText(text, code))).to.deep.equal([]);
    expect([...said].filter(([, text]) => String(text).endsWith('.'))).to.deep.equal([
      ['NOT_FOUND', 'Resource not found.'],
    ]);
    expect(said.get('BALANCE_TOO_LOW')).to.equal('Insufficient funds');
    expect(said.get('DUPLICATE_DEPOSIT')).to.equal('A deposit for the idempotency key exists');
  });

  it('names the id that was not found, of a path and of a body', async () => {
    const shop = open();
    const { ask } = shop;
    const id = '00000000-0000-4000-8000-000000000000';
    for (const path of [
      'invoices',
      'payments',
      'events',
      'payouts',
      'deposits',
      'subscriptions',
      'receive-requests',
      'payment-methods/bank',
      'payout-originators',
      'currency-exchange-quotes',
    ])
      expect((await ask('GET', `/v1/${path}/${id}`)).at('data'), path).to.deep.equal({
        status: 404,
        code: 'NOT_FOUND',
        message: 'Resource not found.',
        values: { id },
      });
    const named = await ask('POST', '/v1/payouts', { paymentMethodId: id, amount: '5' });
    expect(named.at('data')).to.deep.equal({
      status: 404,
      code: 'NOT_FOUND',
      message: 'Resource not found.',
      values: { id },
    });
  });
});

describe('sandbox: responses', () => {
  it('say after a creation where the new resource is', async () => {
    const shop = open();
    const { ask } = shop;
    const paymentMethodId = await bankMethod(shop);
    const bodies: readonly (readonly [string, object])[] = [
      ['/v1/invoices', euros('1')],
      ['/v1/invoices/handle/cafe', euros('1')],
      ['/v1/payment-methods/bank', ACH],
      ['/v1/payout-originators', PERSON],
      ['/v1/payouts', { paymentMethodId, amount: '5' }],
      ['/v1/receive-request', { onchain: {} }],
      ['/v1/receive-requests', { onchain: {} }],
      ['/v1/subscriptions', HOOK],
    ];
    for (const [path, body] of bodies) {
      const { status, headers, text } = await ask('POST', path, body);
      expect(status, text).to.equal(201);
      const found = await ask('GET', headers.get('location') ?? '/v1/nowhere');
      expect(found.status, `${path} ${headers.get('location')}`).to.equal(200);
      const without = (json: string): object => ({ ...(JSON.parse(json) as object), created: '' });
      expect(without(found.text)).to.deep.equal(without(text));
    }
    expect((await ask('GET', '/v1/invoices')).headers.get('location')).to.equal(null);
  });

  it('say of an event whether its webhooks arrived, with true or false, while attempts go on too', async () => {
    let status = 500;
    const sandbox = createSandbox({
      signed: false,
      deliver: async () => new Response(null, { status }),
    });
    const ask = asker(sandbox);
    await ask('POST', '/v1/subscriptions', { ...HOOK, eventTypes: ['invoice.created'] });
    await newInvoice(ask);
    const success = async (): Promise<unknown> =>
      (await ask('GET', '/v1/events')).at('items.0.deliverySuccess');
    const before = await success();
    await sandbox.advance(1_000);
    const failing = await success();
    status = 204;
    await sandbox.advance(3_000);
    expect([before, failing, await success()]).to.deep.equal([false, false, true]);
  });

  it('say nothing of a completion where a payment has failed', async () => {
    const { ask, sandbox } = open();
    sandbox.fault({ subject: 'payment', state: 'FAILED', delay: 1_000 });
    const quote = await ask('POST', '/v1/payment-quotes/lightning', {
      lnInvoice: sandbox.payer.createBolt11({ sat: '21' }),
      sourceCurrency: 'BTC',
    });
    const { word } = await ask(
      'PATCH',
      `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`,
    );
    await sandbox.advance(1_000);
    const { at, text } = await ask('GET', `/v1/payments/${word('paymentId')}`);
    expect(at('state')).to.equal('FAILED');
    expect(text).not.to.match(/"(completed|delivered)"/);
  });
});

describe('sandbox: payments to a Lightning address', () => {
  const draft = (more: object = {}): object => ({
    lnAddressOrUrl: 'cafe@sandbox.invalid',
    sourceCurrency: 'EUR',
    amount: { amount: '5.00', currency: 'EUR', ...more },
  });
  const path = '/v1/payment-quotes/lightning/lnurl';

  it('have no fee policy', async () => {
    const { ask } = open();
    expect(await broken(ask('POST', path, draft({ feePolicy: 'INCLUSIVE' })))).to.deep.equal([
      400,
      'amount.feePolicy INVALID_DATA_VALUE',
    ]);
  });

  it('leave nothing with the receiver until they are executed, and then a paid invoice', async () => {
    const { ask, cafe } = open();
    const count = async (): Promise<unknown> => [
      (await cafe('GET', '/v1/invoices')).at('count'),
      (await cafe('GET', '/v1/events')).at('count'),
    ];
    const refused = await ask('POST', path, {
      ...draft(),
      amount: { amount: '501', currency: 'EUR' },
    });
    expect([refused.at('data.code'), await count()]).to.deep.equal(['BALANCE_TOO_LOW', [0, 0]]);
    const quote = await ask('POST', path, { ...draft(), description: '☕'.repeat(200) });
    expect([quote.status, await count()], quote.text).to.deep.equal([200, [0, 0]]);
    const paid = await ask('PATCH', `/v1/payment-quotes/${quote.word('paymentQuoteId')}/execute`);
    expect([paid.status, paid.at('state')], paid.text).to.deep.equal([200, 'COMPLETED']);
    expect(paid.at('lightning.preImage')).to.match(/^[\da-f]{64}$/);
    const invoice = await cafe('GET', '/v1/invoices');
    expect([invoice.at('count'), invoice.at('items.0.state')]).to.deep.equal([1, 'PAID']);
    expect(invoice.at('items.0.amount')).to.deep.equal({ amount: '5.00', currency: 'EUR' });
  });

  it('count the characters of a comment, not the halves of an emoji', async () => {
    const { ask } = open();
    const quote = (length: number): ReturnType<Ask> =>
      ask('POST', path, { ...draft(), description: '🍵'.repeat(length) });
    expect((await quote(200)).status).to.equal(200);
    expect(await broken(quote(201))).to.deep.equal([400, 'description INVALID_DATA_MAXLENGTH']);
  });
});

describe('sandbox: what a test does by hand', () => {
  it('leaves a paid invoice with its transaction and its posting', async () => {
    const { ask, sandbox } = open();
    const id = await newInvoice(ask);
    const transactions = async (): Promise<readonly { state: string }[]> =>
      (await ask('GET', `/v1/invoices/${id}?includeTransactions=true`)).at('transactions') as never;
    sandbox.move('invoice', id, 'PENDING');
    expect((await transactions()).map(({ state }) => state)).to.deep.equal(['PENDING']);
    sandbox.move('invoice', id, 'UNPAID');
    expect(await transactions()).to.deep.equal([]);
    sandbox.move('invoice', id, 'CANCELLED');
    sandbox.move('invoice', id, 'PAID');
    expect((await transactions()).map(({ state }) => state)).to.deep.equal(['COMPLETED']);
    expect(
      sandbox.ledger.postings.filter(({ entityId }) => entityId === id).map(({ why }) => why),
    ).to.deep.equal(['invoice PAID', 'invoice PAID']);
  });

  it('is one payment, also where one is under way', async () => {
    const { ask, sandbox } = open();
    const id = await newInvoice(ask);
    const paying = sandbox.payer.pay(id, { pendingFor: 5_000 });
    sandbox.move('invoice', id, 'PAID');
    await sandbox.advance(10_000);
    await paying;
    const { at } = await ask('GET', `/v1/invoices/${id}?includeTransactions=true`);
    expect([at('state'), at('transactions.length'), at('transactions.0.state')]).to.deep.equal([
      'PAID',
      1,
      'COMPLETED',
    ]);
  });
});

describe('sandbox: ids', () => {
  it('are the same in capital letters: in paths, bodies and filters', async () => {
    const shop = open();
    const { ask } = shop;
    const id = await newInvoice(ask);
    const method = await bankMethod(shop);
    for (const path of [
      `/v1/invoices/${id.toUpperCase()}`,
      `/v1/payment-methods/bank/${method.toUpperCase()}`,
    ])
      expect((await ask('GET', path)).status, path).to.equal(200);
    expect((await ask('POST', `/v1/invoices/${id.toUpperCase()}/quote`)).status).to.equal(201);
    const payout = { paymentMethodId: method.toUpperCase(), amount: '5' };
    expect((await ask('POST', '/v1/payouts', payout)).at('paymentMethodId')).to.equal(method);
    expect(
      (
        await ask('GET', `/v1/invoices${query({ filter: `invoiceId eq '${id.toUpperCase()}'` })}`)
      ).at('count'),
    ).to.equal(1);
  });
});

describe('sandbox: tiers', () => {
  it('are not listed for amounts that cannot be carried', async () => {
    const { ask, sandbox } = open();
    const tiers = async (amount: string, currency = 'BTC'): Promise<unknown> => {
      const btcAddress = sandbox.payer.createAddress();
      const { status, at } = await ask('POST', '/v1/payment-quotes/onchain/tiers', {
        btcAddress,
        amount: { amount, currency },
      });
      return at('data.code') ?? status;
    };
    expect([
      await tiers('0.001'),
      await tiers('25', 'EUR'),
      await tiers('0'),
      await tiers('0.000000001'),
      await tiers('0.00000545'),
      await tiers('21'),
    ]).to.deep.equal([
      200,
      200,
      'INVALID_AMOUNT',
      'INVALID_DATA',
      'AMOUNT_TOO_LOW',
      'AMOUNT_TOO_HIGH',
    ]);
  });
});

describe('sandbox: rates', () => {
  it('have four digits, and eight where they lead to bitcoin', async () => {
    const { ask } = open();
    const { text } = await ask('GET', '/v1/rates/ticker');
    const rates = JSON.parse(text) as readonly { amount: string; targetCurrency: string }[];
    expect(rates).to.have.length(30);
    for (const { amount, targetCurrency } of rates)
      expect(amount, targetCurrency).to.match(
        targetCurrency === 'BTC' ? /^\d+\.\d{8}$/ : /^\d+\.\d{4}$/,
      );
  });

  it('are the prices behind every conversion: what is exchanged is what they say, to their last digit', async () => {
    const { ask } = open();
    for (const [sell, buy] of [
      ['EUR', 'BTC'],
      ['BTC', 'EUR'],
      ['EUR', 'USD'],
    ] as const) {
      const { at, word } = await ask('POST', '/v1/currency-exchange-quotes', {
        sell,
        buy,
        amount: { amount: '0.1', currency: sell },
      });
      const digits = buy === 'BTC' ? 8 : 4;
      expect(word('conversionRate.amount').split('.')[1]).to.have.length(digits);
      const [rate, target] = [+word('conversionRate.amount'), +word('target.amount')];
      const step = 0.1 * 10 ** -digits + (buy === 'BTC' ? 1e-8 : 1e-2);
      expect(Math.abs(target - 0.1 * rate), JSON.stringify(at('target'))).to.be.at.most(step);
    }
  });
});
