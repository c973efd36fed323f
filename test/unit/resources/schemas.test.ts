import { expect } from 'chai';
import { invoiceStates } from 'paystate/endpoints';
import { type Drift, rejectDrift, reportDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { answering, DRAFT, failureOf, INVOICE, json, openShop } from '../core/shop.ts';
import { withReports } from '../state/reports.ts';

const MONEY = { amount: '42.50', currency: 'EUR' };
const FULL = {
  invoiceId: '7f3c5a90-11d2-4b6e-9c8a-2e4f6a8b0c13',
  amount: MONEY,
  state: 'PAID',
  created: '2026-03-04T09:15:27.481259+00:00',
  correlationId: 'order-4242',
  description: 'One chair',
  issuerId: 'a1',
  receiverId: 'a1',
  payerId: 'b2',
  transactions: [
    {
      transactionId: 't1',
      state: 'COMPLETED',
      amountReceived: MONEY,
      created: '2026-03-04T09:15:40Z',
      completed: '2026-03-04T09:15:44.9Z',
    },
  ],
};
const QUOTE = {
  quoteId: 'e1a9d1f4-88e0-4f63-b5b7-90d6c1e2a733',
  description: 'One chair',
  lnInvoice: 'lntb708330n1pexample',
  expiration: '2026-03-04T09:15:58.102233+00:00',
  expirationInSec: 30,
  targetAmount: MONEY,
  sourceAmount: { amount: '0.00070833', currency: 'BTC' },
  conversionRate: { amount: '60000.00', sourceCurrency: 'BTC', targetCurrency: 'EUR' },
};
const EVENT = {
  id: '11d0f2ab-7f5c-4c71-8a8f-94a8b2f0b6c1',
  eventType: 'invoice.updated',
  webhookVersion: 'v1',
  data: { entityId: '7f3c5a90', changes: ['state'] },
  created: '2026-03-04T09:15:44.9786861+00:00',
  deliverySuccess: true,
};

type Sample = 'invoice' | 'quote' | 'event';
const SAMPLES: Readonly<Record<Sample, object>> = { invoice: FULL, quote: QUOTE, event: EVENT };

const reading = (resource: Sample, body: unknown, options: object = {}): Promise<unknown> => {
  const { client, run } = openShop({
    fetch: answering(json(body)).fetch,
    maxAttempts: 1,
    ...options,
  });
  const invoiceId = (body as { readonly invoiceId?: unknown } | null)?.invoiceId;
  const id = typeof invoiceId === 'string' ? invoiceId : FULL.invoiceId; // what is asked for is answered
  return run<unknown>(
    resource === 'invoice'
      ? client.invoices.get(id)
      : resource === 'quote'
        ? client.invoices.quote('x')
        : client.events.get(EVENT.id),
  );
};

/** The sample with a value at a path such as `amount.currency`. */
const withAt = (sample: object, path: string, value: unknown): object => {
  const [name = '', ...rest] = path.split('.');
  const old = (sample as Record<string, object>)[name];
  const fresh = rest.length > 0 ? withAt(old!, rest.join('.'), value) : value;
  return Array.isArray(sample)
    ? sample.map((item, at) => (`${at}` === name ? fresh : (item as unknown)))
    : { ...sample, [name]: fresh };
};

describe('answers', () => {
  for (const resource of ['invoice', 'quote', 'event'] as const) {
    it(`${resource}: a full one passes as it is`, async () => {
      expect(await reading(resource, SAMPLES[resource])).to.deep.equal(SAMPLES[resource]);
    });

    it(`${resource}: unknown members stay where the service put them`, async () => {
      const body = { ...SAMPLES[resource], newMember: { deep: [1, { more: null }] } };
      expect(await reading(resource, body)).to.deep.equal(body);
    });
  }

  it('pass in the forms that the service is known to have', async () => {
    const required = INVOICE;
    for (const created of [
      '2026-03-04T09:15:27Z',
      '2026-03-04T09:15:27.4+00:00',
      '2026-03-04T09:15:27.481+02:00',
      '2026-03-04T09:15:27.4812593+00:00',
      'a date of tomorrow',
    ])
      for (const state of [...'ON_HOLD', ''])
        for (const invoiceId of [INVOICE.invoiceId, 'inv_01J8Z'.repeat(20), '7'])
          expect(await reading('invoice', { ...required, created, state, invoiceId })).to.include({
            created,
            state,
            invoiceId,
          });
    for (const currency of ['BTC', 'USD', 'EUR', 'USDT', 'GBP', 'AUD', 'CHF', 'JPY'])
      for (const amount of ['0', '1', '-1.50', '0.000000001', '123456789012345678901234567890'])
        expect(await reading('invoice', { ...required, amount: { amount, currency } }))
          .to.have.property('amount')
          .that.deep.equals({ amount, currency });
    for (const eventType of [
      'invoice.created',
      'receive-request.receive-completed',
      'subscription.renamed',
    ])
      expect(await reading('event', { ...EVENT, eventType, webhookVersion: 'v3' })).to.include({
        eventType,
      });
    expect(
      await reading('event', { ...EVENT, data: { entityId: 'r', receiveId: 'q', more: 1 } }),
    ).to.have.nested.property('data.more', 1);
  });

  it('null reads as absent wherever something may be absent', async () => {
    for (const [resource, names] of [
      ['invoice', ['correlationId', 'description', 'payerId', 'transactions']],
      ['quote', ['description', 'onchainAddress']],
      ['event', ['deliverySuccess']],
    ] as const) {
      const body = {
        ...SAMPLES[resource],
        ...Object.fromEntries(names.map((name) => [name, null])),
      };
      const read = (await reading(resource, body)) as Record<string, unknown>;
      for (const name of names) expect(read[name], name).to.equal(undefined);
    }
    expect(await reading('event', withAt(EVENT, 'data.changes', null))).to.have.nested.property(
      'data.changes',
      undefined,
    );
  });

  it('of a wrong type name the field, and nothing of the value', async () => {
    const wrong: readonly (readonly [Sample, string, readonly unknown[]])[] = [
      ['invoice', 'invoiceId', [undefined, null, 7, {}, []]],
      ['invoice', 'amount', [undefined, null, '12.50', 12.5]],
      ['invoice', 'amount.amount', [undefined, null, 42.5, '1e3', '1,50', ' 1', '', '0x10', 'NaN']],
      ['invoice', 'amount.currency', [undefined, 978]],
      ['invoice', 'state', [undefined, null, 1]],
      ['invoice', 'created', [undefined, null, 1_772_615_727]],
      ['invoice', 'transactions', [{}, 'none']],
      ['invoice', 'transactions.0.transactionId', [undefined, 5]],
      ['quote', 'expirationInSec', [undefined, null, '30']],
      ['quote', 'lnInvoice', [undefined, null]],
      ['quote', 'sourceAmount.amount', [0.0007]],
      ['quote', 'conversionRate', [undefined, null]],
      ['event', 'data', [undefined, null, 'x']],
      ['event', 'data.entityId', [undefined, 7]],
    ];
    for (const [resource, field, values] of wrong)
      for (const value of values) {
        const error = await failureOf(reading(resource, withAt(SAMPLES[resource], field, value)));
        expect([error.kind, error.code, error.status, error.outcome, error.next]).to.deep.equal([
          'response',
          'RESPONSE_INVALID',
          200,
          'not-done',
          'stop',
        ]);
        const [named] = Object.keys(error.validationErrors!);
        expect(named).to.match(new RegExp(`^${field}(\\.\\d+)?$`));
        expect(error.validationErrors![named!]![0]!.code).to.equal(
          value === undefined ? 'INVALID_DATA_REQUIRED' : 'INVALID_DATA_VALUE',
        );
      }
    expect(
      JSON.stringify(await failureOf(reading('invoice', withAt(FULL, 'amount.amount', 'S3CRET')))),
    ).not.to.contain('S3CRET');
    for (const body of [null, [], 'text', 7, true])
      expect((await failureOf(reading('invoice', body))).code).to.equal('RESPONSE_INVALID');
  });

  it('with members of the prototype do no harm', async () => {
    const body = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${JSON.stringify({ ...INVOICE, toString: 'x' }).slice(1)}`;
    for (const inspect of [undefined, reportDrift(() => {})]) {
      const { client, run } = openShop({
        fetch: answering(() => new Response(body)).fetch,
        drift: inspect,
      });
      expect((await run(client.invoices.get(INVOICE.invoiceId))).invoiceId).to.equal(
        INVOICE.invoiceId,
      );
    }
    expect(({} as { polluted?: unknown }).polluted).to.equal(undefined);
    const refused = `{"data":{"code":"NOT_FOUND","values":{"__proto__":{"polluted":1}},"validationErrors":{"__proto__":[{"code":"x"}]}},"__proto__":{"polluted":1}}`;
    const { client, run } = openShop({
      fetch: answering(() => new Response(refused, { status: 404 })).fetch,
    });
    const error = await failureOf(run(client.invoices.get(INVOICE.invoiceId)));
    expect([
      error.code,
      ({} as { polluted?: unknown }).polluted,
      (error as { polluted?: unknown }).polluted,
    ]).to.deep.equal(['NOT_FOUND', undefined, undefined]);
  });
});

describe('drift', () => {
  const STRANGE = {
    ...FULL,
    state: 'ON_HOLD',
    colour: 'red',
    amount: { ...MONEY, currency: 'CHF', tax: 1 },
    transactions: [{ ...FULL.transactions[0], state: 'LATE', note: '' }],
  };
  const FOUND = [
    'amount.currency unknown-value CHF',
    'amount.tax unknown-field tax',
    'colour unknown-field colour',
    'state unknown-value ON_HOLD',
    'transactions[].note unknown-field note',
    'transactions[].state unknown-value LATE',
  ];

  it('is reported once each, and the answer passes', async () => {
    const seen: Drift[] = [];
    const { client, run } = openShop({
      fetch: answering(json(STRANGE)).fetch,
      drift: reportDrift((drift) => seen.push(drift)),
    });
    for (let time = 0; time < 3; time++)
      expect((await run(client.invoices.get(FULL.invoiceId))).state).to.equal('ON_HOLD');
    expect(seen.map(({ field, kind, text }) => `${field} ${kind} ${text}`).sort()).to.deep.equal(
      FOUND,
    );
    expect(new Set(seen.map(({ path }) => path))).to.deep.equal(
      new Set(['/v1/invoices/{invoiceId}']),
    );
    await withReports(async (reports) => {
      const buggy = client.withOptions({
        drift: reportDrift(() => {
          throw new Error('in the listener');
        }),
      });
      expect((await run(buggy.invoices.get(FULL.invoiceId))).state).to.equal('ON_HOLD');
      expect(reports).to.have.length(FOUND.length);
    });
  });

  it('is cut to what can be read', async () => {
    const seen: Drift[] = [];
    await reading(
      'invoice',
      { ...FULL, ['x'.repeat(500)]: 1 },
      { drift: reportDrift((drift) => seen.push(drift)) },
    );
    expect(seen[0]!.text).to.have.length(64);
  });

  it('finds nothing in what is known, absent or null', async () => {
    const seen: Drift[] = [];
    const inspect = reportDrift((drift) => seen.push(drift));
    for (const options of [{ drift: inspect }, { drift: rejectDrift }]) {
      for (const resource of ['invoice', 'quote', 'event'] as const)
        await reading(resource, SAMPLES[resource], options);
      await reading('invoice', { ...FULL, payerId: null, transactions: null }, options);
      const { client, run } = openShop(options);
      await run(client.invoices.create(DRAFT));
      expect(await run(client.invoices.list().toArray({ limit: 5 }))).to.have.length(1);
    }
    expect(seen).to.deep.equal([]);
  });

  it('is refused where that is wanted', async () => {
    for (const [field, value] of [
      ['state', 'ON_HOLD'],
      ['colour', 'red'],
      ['amount.currency', 'CHF'],
      ['amount.tax', 1],
    ] as const) {
      const error = await failureOf(
        reading('invoice', withAt(FULL, field, value), { drift: rejectDrift }),
      );
      expect([error.kind, error.code, Object.keys(error.validationErrors!)]).to.deep.equal([
        'response',
        'RESPONSE_INVALID',
        [field],
      ]);
    }
  });

  it('an inspector that breaks leaves a typed error', async () => {
    const inspect = (): never => {
      throw new Error('S3CRET');
    };
    const error = await failureOf(reading('invoice', FULL, { drift: inspect }));
    expect([error.kind, error.code]).to.deep.equal(['response', 'RESPONSE_INVALID']);
    expect(error.message + JSON.stringify(error)).not.to.contain('S3CRET');
  });
});

describe('the life of an invoice', () => {
  it('ranks its states and knows where it rests', () => {
    expect(
      Object.keys(invoiceStates.transitions).map((state) => [
        state,
        invoiceStates.rank(state),
        invoiceStates.isSettled(state),
      ]),
    ).to.deep.equal([
      ['UNPAID', 0, false],
      ['PENDING', 1, false],
      ['CANCELLED', 2, true],
      ['PAID', 3, true],
      ['REVERSED', 4, true],
    ]);
    expect([
      invoiceStates.rank('ON_HOLD'),
      invoiceStates.isSettled('ON_HOLD'),
      invoiceStates.rank('constructor'),
    ]).to.deep.equal([undefined, false, undefined]);
    expect([
      invoiceStates.canMove('UNPAID', 'PENDING'),
      invoiceStates.canMove('PAID', 'UNPAID'),
      invoiceStates.canMove('toString', 'PAID'),
    ]).to.deep.equal([true, false, false]);
  });
});
