import { expect } from 'chai';
import { paymentStates } from 'paystate/endpoints';
import { rejectDrift, reportDrift } from 'paystate/schemas';
import { describe, it, itLong } from '#test';
import { answering, failureOf, json, openShop, type Shop } from '../core/shop.ts';

const USD = (amount: string) => ({ amount, currency: 'USD' });
const BTC = (amount: string) => ({ amount, currency: 'BTC' });
const RATE = { amount: '58000.00', sourceCurrency: 'BTC', targetCurrency: 'USD' };

const LIGHTNING = {
  paymentQuoteId: '3a5b1c6e-0a2f-4d8b-9c31-e4f6a7b8c9d1',
  description: 'Tea leaves',
  validUntil: '2026-05-04T10:02:45.330017+00:00',
  conversionRate: RATE,
  amount: USD('13.00'),
  totalFee: USD('0.03'),
  lightningNetworkFee: USD('0.03'),
  totalAmount: USD('13.03'),
};
const ONCHAIN = {
  paymentQuoteId: '9e6c2d7f-1b30-4e9c-ad42-f507b8c9dae2',
  estimatedDeliveryDurationInMin: 25,
  validUntil: '2026-05-04T10:10:00.000000+00:00',
  conversionRate: RATE,
  amount: USD('210.00'),
  totalFee: USD('0.71'),
  totalAmount: USD('210.71'),
  reward: USD('0.01'),
};
const TIERS = [
  {
    id: 'tier_example_b',
    estimatedDeliveryDurationInMin: 15,
    estimatedFee: BTC('0.00001310'),
    minimumAmount: BTC('0.00040000'),
  },
];
const LNURL = {
  minSendable: 2_000,
  maxSendable: 400_000_000,
  metadata: '[["text/plain","Pay Bea"]]',
  commentAllowed: 99,
  tag: 'payRequest',
};
const PAID = {
  paymentId: 'a1c7a3b5-64f2-49d0-8b1e-2a5c9d7f6044',
  state: 'COMPLETED',
  result: 'SUCCESS',
  completed: '2026-05-04T10:02:31.907712+00:00',
  delivered: '2026-05-04T10:02:31.907712+00:00',
  conversionRate: RATE,
  amount: BTC('0.00030000'),
  totalFee: BTC('0.00000004'),
  lightningNetworkFee: BTC('0.00000004'),
  totalAmount: BTC('0.00030004'),
  reward: BTC('0.00000001'),
  lightning: { networkFee: BTC('0.00000004'), preImage: 'ab'.repeat(32) },
};
const SENT = {
  paymentId: 'b2d8b4c6-75a3-4ae1-9c2f-3b6d0e8a7155',
  state: 'PENDING',
  result: 'PENDING',
  amount: USD('210.00'),
  totalFee: USD('0.71'),
  totalAmount: USD('210.71'),
  onchain: { txnId: 'c1'.repeat(32) },
};

type Asking = (shop: Shop) => Promise<unknown>;
const quote: Asking = ({ client, run }) =>
  run(client.paymentQuotes.createLightning({ lnInvoice: 'x' }));
const find =
  ({ paymentId }: { readonly paymentId: string }): Asking =>
  ({ client, run }) =>
    run(client.payments.get(paymentId));

const SAMPLES: Readonly<Record<string, readonly [object, Asking]>> = {
  'a Lightning quote': [LIGHTNING, quote],
  'an on-chain quote': [
    ONCHAIN,
    ({ client, run }) =>
      run(
        client.paymentQuotes.createOnchain({
          btcAddress: 'x',
          sourceCurrency: 'USD',
          amount: USD('1'),
          onchainTierId: 'x',
        }),
      ),
  ],
  tiers: [
    TIERS,
    ({ client, run }) => run(client.paymentQuotes.listTiers({ btcAddress: 'x', amount: USD('1') })),
  ],
  'what an LNURL takes': [LNURL, ({ client, run }) => run(client.paymentQuotes.getLnurl('x'))],
  'a payment over Lightning': [PAID, find(PAID)],
  'a payment on the chain': [SENT, find(SENT)],
  'an executed quote': [SENT, ({ client, run }) => run(client.paymentQuotes.execute('x'))],
};

const reading = (body: unknown, ask: Asking, options: object = {}): Promise<unknown> =>
  ask(openShop({ fetch: answering(json(body)).fetch, maxAttempts: 1, ...options }));

/** Every member of an object, one level deep, absent or null. */
const without = (sample: object, names: readonly string[]): object =>
  Object.fromEntries(Object.entries(sample).filter(([name]) => !names.includes(name)));

describe('answers about payments', () => {
  for (const [name, [sample, ask]] of Object.entries(SAMPLES)) {
    it(`${name}: passes as it is, without anything unknown`, async () => {
      expect(await reading(sample, ask, { drift: rejectDrift })).to.deep.equal(sample);
    });

    it(`${name}: keeps unknown members`, async () => {
      if (Array.isArray(sample)) return;
      const body = { ...sample, newMember: { deep: [1, null] } };
      expect(await reading(body, ask)).to.deep.equal(body);
    });
  }

  it('may lack or null what is optional', async () => {
    const optional: readonly (readonly [object, readonly string[], Asking])[] = [
      [
        LIGHTNING,
        ['description', 'validUntil', 'conversionRate', 'totalFee', 'lightningNetworkFee'],
        quote,
      ],
      [
        PAID,
        [
          'result',
          'completed',
          'delivered',
          'conversionRate',
          'totalFee',
          'lightningNetworkFee',
          'reward',
          'lightning',
        ],
        find(PAID),
      ],
    ];
    for (const [sample, names, ask] of optional)
      for (const name of names) {
        const left = without(sample, [name]);
        expect(await reading(left, ask), name).to.deep.equal(left);
        expect(await reading({ ...left, [name]: null }, ask), name).to.deep.equal({
          ...left,
          [name]: undefined,
        });
      }
    for (const name of ['paymentQuoteId', 'amount', 'totalAmount'])
      expect(await failureOf(reading(without(LIGHTNING, [name]), quote))).to.include({
        kind: 'response',
        outcome: 'unknown',
      });
  });

  itLong('pass in the forms that the service is known to have, and in new ones', async () => {
    for (const state of [...'ON_HOLD'])
      for (const completed of [
        '2026-05-04T10:02:31Z',
        '2026-05-04T10:02:31.9077121+00:00',
        '2026-05-04T10:02:31.9+02:00',
      ])
        for (const paymentId of ['7', 'pay_'.repeat(30)])
          for (const amount of ['0', '0.00000000001', '12345678901234567890'])
            expect(
              await reading(
                { ...PAID, state, completed, paymentId, amount: BTC(amount) },
                find({ paymentId }),
              ),
            ).to.deep.include({ state, completed, paymentId, amount: BTC(amount) });
    const told: string[] = [];
    await reading({ ...PAID, state: 'ON_HOLD', result: 'ODD', more: 1 }, find(PAID), {
      drift: reportDrift(({ field, kind, text }) => told.push(`${kind} ${field} ${text}`)),
    });
    expect(told).to.deep.equal([
      'unknown-value state ON_HOLD',
      'unknown-value result ODD',
      'unknown-field more more',
    ]);
  });

  it('have the life that is written down', () => {
    expect(
      Object.keys(paymentStates.transitions).map((state) => [
        paymentStates.rank(state),
        paymentStates.isSettled(state),
      ]),
    ).to.deep.equal([
      [0, false],
      [1, true],
      [1, true],
    ]);
    expect(paymentStates.canMove('COMPLETED', 'FAILED')).to.equal(false);
  });
});

describe('drafts of payments are checked before they are sent', () => {
  const WITH = 'lntb20u1pexample';
  const WITHOUT = 'LNTB1PEXAMPLE';
  const lightning =
    (draft: object) =>
    ({ client, run }: Shop) =>
      run(client.paymentQuotes.createLightning({ lnInvoice: WITH, ...draft }));
  const onchain =
    (draft: object) =>
    ({ client, run }: Shop) =>
      run(
        client.paymentQuotes.createOnchain({
          btcAddress: 'x',
          sourceCurrency: 'USD',
          amount: USD('1'),
          onchainTierId: 'x',
          ...draft,
        }),
      );
  const lnurl =
    (draft: object) =>
    ({ client, run }: Shop) =>
      run(
        client.paymentQuotes.createLnurl({
          lnAddressOrUrl: 'x',
          sourceCurrency: 'USD',
          amount: USD('1'),
          ...draft,
        }),
      );

  const BAD: readonly (readonly [string, string, Asking])[] = [
    ['lnInvoice', 'INVALID_DATA_MINLENGTH', lightning({ lnInvoice: '' })],
    ['lnInvoice', 'INVALID_DATA_REQUIRED', lightning({ lnInvoice: undefined })],
    ['amount', 'INVALID_DATA_VALUE', lightning({ amount: USD('1') })],
    ['amount', 'INVALID_DATA_REQUIRED', lightning({ lnInvoice: WITHOUT })],
    ['amount', 'INVALID_DATA_REQUIRED', lightning({ lnInvoice: `lightning:${WITHOUT}` })],
    ['amount.amount', 'INVALID_DATA_VALUE', lightning({ lnInvoice: WITHOUT, amount: USD('-1') })],
    [
      'amount.currency',
      'INVALID_DATA_REQUIRED',
      lightning({ lnInvoice: WITHOUT, amount: { amount: '1' } }),
    ],
    [
      'beneficiary.vaspId',
      'INVALID_DATA_MAXLENGTH',
      lightning({ beneficiary: { vaspId: 'x'.repeat(101) } }),
    ],
    [
      'beneficiary.vaspId',
      'INVALID_DATA_REQUIRED',
      lightning({ beneficiary: { destinationType: 'EXCHANGE_OR_PLATFORM' } }),
    ],
    [
      'beneficiary.vaspId',
      'INVALID_DATA_REQUIRED',
      lightning({ beneficiary: { destinationType: 'EXCHANGE_OR_PLATFORM', vaspId: '' } }),
    ],
    [
      'beneficiary.vaspName',
      'INVALID_DATA_VALUE',
      lightning({ beneficiary: { vaspId: 'a', vaspName: 'b' } }),
    ],
    [
      'beneficiary.businessName',
      'INVALID_DATA_REQUIRED',
      lightning({ beneficiary: { type: 'BUSINESS' } }),
    ],
    [
      'beneficiary.individualLastName',
      'INVALID_DATA_REQUIRED',
      lightning({ beneficiary: { type: 'INDIVIDUAL', individualFirstName: 'Ada' } }),
    ],
    ['onchainTierId', 'INVALID_DATA_REQUIRED', onchain({ onchainTierId: undefined })],
    ['btcAddress', 'INVALID_DATA_REQUIRED', onchain({ btcAddress: undefined })],
    [
      'beneficiary.individualFirstName',
      'INVALID_DATA_REQUIRED',
      onchain({ beneficiary: { type: 'INDIVIDUAL', individualLastName: 'A' } }),
    ],
    ['amount', 'INVALID_DATA_REQUIRED', lnurl({ amount: undefined })],
  ];

  for (const [at, [field, code, ask]] of BAD.entries())
    itLong(`${at + 1}. ${field}: ${code}`, async () => {
      const shop = openShop();
      const error = await failureOf(ask(shop));
      expect(error).to.include({ kind: 'input', outcome: 'not-done', next: 'fix-input' });
      expect(
        Object.entries(error.validationErrors!).map(([name, [issue]]) => [name, issue!.code]),
      ).to.deep.equal([[field, code]]);
      expect(error.idempotencyKey).to.match(/^[\da-f-]{36}$/);
      expect(shop.sandbox.log).to.deep.equal([]);
    });

  it('go out with texts of any length where the service names no bound', async () => {
    const wire = answering(json(LIGHTNING));
    await lightning({ lnInvoice: `lntb20u1${'q'.repeat(20_000)}` })(
      openShop({ fetch: wire.fetch }),
    );
    expect(wire.sent).to.have.length(1);
  });

  it('send what is complete', async () => {
    const beneficiary = {
      type: 'INDIVIDUAL',
      destinationType: 'SELF_CUSTODY_WALLET',
      individualFirstName: 'Ada',
      individualLastName: 'Sample',
    };
    const wire = answering(json(LIGHTNING));
    await lightning({
      lnInvoice: WITHOUT,
      sourceCurrency: 'USD',
      amount: { ...USD('12.00'), feePolicy: 'EXCLUSIVE' },
      beneficiary,
    })(openShop({ fetch: wire.fetch }));
    expect(JSON.parse(wire.sent[0]!.init.body as string)).to.deep.equal({
      lnInvoice: WITHOUT,
      sourceCurrency: 'USD',
      amount: { ...USD('12.00'), feePolicy: 'EXCLUSIVE' },
      beneficiary,
    });
    expect(wire.sent[0]!.headers['idempotency-key']).to.match(/^[\da-f-]{36}$/);
  });
});
