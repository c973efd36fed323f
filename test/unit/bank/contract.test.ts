import { expect } from 'chai';
import { type Client, createClient, productionRateLimits, type RateLimits } from 'paystate';
import { createSandbox } from 'paystate/sandbox';
import { type Drift, rejectDrift, reportDrift } from 'paystate/schemas';
import { describe, it, itLong } from '#test';
import { failureOf } from '../core/shop.ts';
import { systemClock } from '../core/system-clock.ts';

const money = (amount: string, currency = 'USD') => ({ amount, currency });
const RATE = { amount: '0.00002000', sourceCurrency: 'USD', targetCurrency: 'BTC' };
const QUOTE = {
  id: '6b2f4c1d-55aa-4d01-9e3b-0c1d2e3f4a5b',
  created: '2026-05-06T10:11:12.131415+00:00',
  validUntil: '2026-05-06T10:11:42.131415+00:00',
  source: money('55.00'),
  target: money('0.00108900', 'BTC'),
  fee: money('0.55'),
  conversionRate: RATE,
  state: 'NEW',
  completed: '2026-05-06T10:11:20.5+00:00',
};
const METHOD = {
  id: '2d8c5b1e-0f4a-4b69-8c7d-9e0f1a2b3c4d',
  state: 'READY',
  supportedActions: ['DEPOSIT', 'WITHDRAWAL'],
  created: '2026-02-13T07:01:02.030405+00:00',
  transferType: 'ACH',
  accountNumber: '000555666777',
  routingNumber: '120000000',
  referenceCode: 'AB12',
  accountType: 'SAVINGS',
  bankName: 'Bank of Examples',
  bankAddress: {
    country: 'US',
    state: 'CA',
    city: 'Fresno',
    postCode: '93650',
    line1: '9 Sample Ave',
  },
  currency: 'USD',
  beneficiaries: [
    {
      type: 'COMPANY',
      name: 'Specimen Inc',
      email: 'a@specimen.invalid',
      phoneNumber: '+15550100',
      url: 'https://specimen.invalid',
    },
    { type: 'INDIVIDUAL', name: 'Edith Example', dateOfBirth: '1979-11-30' },
  ],
};
const ORIGINATOR = {
  id: '8f7e6d5c-4b3a-4291-8070-6f5e4d3c2b1a',
  state: 'PENDING_REVIEW',
  created: '2026-03-03T17:18:19.2+00:00',
  details: {
    type: 'COMPANY',
    name: 'Specimen Inc',
    email: 'a@specimen.invalid',
    address: { country: 'GB', city: 'York', postCode: 'YO1 7HH', line1: '3 Stonegate' },
  },
};
const PAYOUT = {
  id: '5e4d3c2b-1a09-4f8e-9d7c-6b5a49382716',
  state: 'COMPLETED',
  created: '2026-03-04T08:00:00.0001+00:00',
  paymentMethodId: METHOD.id,
  originatorId: ORIGINATOR.id,
  amount: money('75.25'),
  fee: { ...money('0.40'), feePolicy: 'EXCLUSIVE' },
  reference: 'INV 90',
  initiated: '2026-03-04T08:01:00Z',
  completed: '2026-03-04T08:02:00.1234567+00:00',
  transactionId: 't-1',
};
const DEPOSIT = {
  id: '0f1e2d3c-4b5a-4697-8879-6a5b4c3d2e1f',
  amount: money('120.00'),
  fee: money('0.00'),
  totalAmount: money('120.00'),
  state: 'FAILED',
  failureReason: 'NO_FUNDS',
};
const ESTIMATE = {
  amount: money('120.00'),
  fee: money('0.12'),
  total: money('120.12'),
  feePercent: '0.1',
  feeFixed: '0.00',
  settledAt: '2026-05-11T00:00:00+00:00',
  settlementPeriodInDay: 5,
};
const BALANCE = {
  currency: 'USD',
  current: '77.00',
  pending: '7.00',
  reserved: '5.00',
  available: '65.00',
  outgoing: '5.00',
  total: '70.00',
};
const USED = { limit: money('900.00'), used: money('10.00') };
const LIMIT = {
  count: {
    effective: 4,
    lifetime: { limit: 90, used: 3 },
    calendarYear: { limit: 50, used: 3 },
    cycles: [{ days: 30, limit: 5, used: 1 }],
  },
  amount: {
    effective: money('800.00'),
    single: money('400.00'),
    lifetime: USED,
    calendarYear: USED,
    cycles: [{ days: 30, ...USED }],
  },
};
const LIMITS = {
  deposit: LIMIT,
  achDeposit: LIMIT,
  send: LIMIT,
  withdrawal: LIMIT,
  instant: LIMIT,
};
const PROFILE = {
  id: 'a1b2',
  handle: 'specimen',
  avatarUrl: 'https://specimen.invalid/a.png',
  description: 'Specimens',
  canReceive: true,
  currencies: [
    { currency: 'GBP', isDefaultCurrency: true, isAvailable: true, isInvoiceable: false },
  ],
};

interface Contract {
  readonly sample: object;
  ask(client: Client, id: string): PromiseLike<unknown>;
  /** Paths of members that may be absent or null. */
  readonly optional: readonly string[];
  /** Paths of texts with known values. */
  readonly open: readonly string[];
  /** Paths of members without which it cannot be read. */
  readonly required: readonly string[];
}

const CONTRACTS: Readonly<Record<string, Contract>> = {
  'exchange quote': {
    sample: QUOTE,
    ask: (client, id) => client.currencyExchangeQuotes.get(id),
    optional: ['fee', 'completed'],
    open: ['state', 'source.currency', 'conversionRate.targetCurrency'],
    required: [
      'id',
      'created',
      'validUntil',
      'source',
      'source.amount',
      'target',
      'conversionRate',
      'conversionRate.amount',
      'state',
    ],
  },
  'bank method': {
    sample: METHOD,
    ask: (client, id) => client.bankPaymentMethods.get(id),
    optional: [
      'referenceCode',
      'accountType',
      'bankName',
      'bankAddress',
      'bankAddress.state',
      'beneficiaries.0.email',
      'beneficiaries.0.phoneNumber',
      'beneficiaries.0.url',
      'beneficiaries.1.dateOfBirth',
    ],
    open: [
      'state',
      'transferType',
      'accountType',
      'currency',
      'supportedActions.0',
      'beneficiaries.1.type',
    ],
    required: [
      'id',
      'state',
      'supportedActions',
      'created',
      'transferType',
      'accountNumber',
      'currency',
      'beneficiaries',
      'beneficiaries.0.name',
    ],
  },
  originator: {
    sample: ORIGINATOR,
    ask: (client, id) => client.payoutOriginators.get(id),
    optional: ['details.email', 'details.address'],
    open: ['state', 'details.type'],
    required: ['id', 'state', 'created', 'details', 'details.name'],
  },
  payout: {
    sample: PAYOUT,
    ask: (client, id) => client.payouts.get(id),
    optional: [
      'originatorId',
      'fee',
      'fee.feePolicy',
      'reference',
      'initiated',
      'completed',
      'transactionId',
    ],
    open: ['state', 'amount.currency', 'fee.feePolicy'],
    required: ['id', 'state', 'created', 'paymentMethodId', 'amount', 'fee.amount'],
  },
  deposit: {
    sample: DEPOSIT,
    ask: (client, id) => client.deposits.get(id),
    optional: ['failureReason'],
    open: ['state', 'fee.currency'],
    required: ['id', 'amount', 'fee', 'totalAmount', 'state'],
  },
  'deposit fee': {
    sample: ESTIMATE,
    ask: (client) => client.deposits.estimateFee({ paymentMethodId: 'x', amount: '120.00' }),
    optional: ['feePercent', 'feeFixed', 'settledAt', 'settlementPeriodInDay'],
    open: ['total.currency'],
    required: ['amount', 'fee', 'total'],
  },
  balances: {
    sample: [BALANCE, { ...BALANCE, currency: 'BTC', available: '0.0123' }],
    ask: (client) => client.balances.list(),
    optional: ['0.outgoing', '1.total', '0.available'],
    open: ['0.currency'],
    required: ['0.currency', '0.current', '1.pending', '1.reserved'],
  },
  rates: {
    sample: [RATE, { ...RATE, sourceCurrency: 'EUR' }],
    ask: (client) => client.rates.list(),
    optional: [],
    open: ['0.sourceCurrency', '1.targetCurrency'],
    required: ['0.amount', '1.sourceCurrency'],
  },
  limits: {
    sample: LIMITS,
    ask: (client) => client.accounts.getLimits(),
    open: ['deposit.amount.effective.currency'],
    required: ['send.count.effective', 'send.amount.effective', 'instant.count.cycles.0.days'],
    optional: [
      'deposit',
      'achDeposit',
      'send',
      'withdrawal',
      'instant',
      'deposit.count',
      'deposit.amount',
      'send.count.lifetime',
      'send.count.cycles',
      'send.amount.single',
      'send.amount.calendarYear.used',
      'withdrawal.amount.cycles.0.limit',
    ],
  },
  profile: {
    sample: PROFILE,
    ask: (client) => client.accounts.getProfileByHandle('specimen'),
    optional: ['id', 'avatarUrl', 'description'],
    open: ['currencies.0.currency'],
    required: ['handle', 'canReceive', 'currencies', 'currencies.0.isInvoiceable'],
  },
};

/** A client whose service answers this, in real time: nothing of it waits. */
const clientOf = (body: () => unknown, options: object = {}): Client =>
  createClient({
    ...createSandbox().clientOptions,
    clock: systemClock,
    maxAttempts: 1,
    fetch: async () => new Response(JSON.stringify(body())),
    ...options,
  });

/** The rows of a list that could not be read. */
interface Unreadable {
  readonly unreadable?: readonly unknown[];
}

const readingOf = async (
  { ask }: Contract,
  body: unknown,
  options: object = {},
): Promise<unknown> =>
  ask(
    clientOf(() => body, options),
    idOf(body),
  );

/** The id that is asked for is the one that is answered, where that is one. */
const idOf = (body: unknown): string => {
  const { id } = body as { readonly id?: unknown };
  return typeof id === 'string' ? id : 'x';
};

/** The sample with a value at a path such as `amount.currency`. */
const withAt = (sample: object, path: string, value: unknown): object => {
  const [name = '', ...rest] = path.split('.');
  const fresh =
    rest.length > 0
      ? withAt((sample as Record<string, object>)[name]!, rest.join('.'), value)
      : value;
  return Array.isArray(sample)
    ? sample.map((item, at) => (`${at}` === name ? fresh : (item as unknown)))
    : { ...sample, [name]: fresh };
};

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((held, name) => (held as Record<string, unknown>)?.[name], value);

const ROOMY: RateLimits = Object.fromEntries(
  Object.entries(productionRateLimits).map(([group, limit]) => [
    group,
    { ...limit, limit: 1_000_000 },
  ]),
) as unknown as RateLimits;

/** Small repeatable chance. */
const dice = (seed: number) => (below: number) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) % below;
};

for (const [name, contract] of Object.entries(CONTRACTS))
  describe(`the contract of ${name}`, () => {
    const { sample, optional, open, required } = contract;

    it('reads a full answer as it is, and finds nothing new in it', async () => {
      expect(await readingOf(contract, sample, { drift: rejectDrift })).to.deep.equal(sample);
    });

    it('reads null as absent', async () => {
      for (const path of optional)
        expect(at(await readingOf(contract, withAt(sample, path, null)), path), path).to.equal(
          undefined,
        );
    });

    it('cannot do without what is required', async () => {
      for (const path of required)
        for (const value of [undefined, null, 5.5, { deep: 1 }]) {
          if (typeof at(sample, path) === 'number' && value === 5.5) continue;
          const reading = readingOf(contract, withAt(sample, path, value));
          if (Array.isArray(sample)) {
            const { length, unreadable } = (await reading) as readonly unknown[] & Unreadable;
            expect([length, unreadable?.length], path).to.deep.equal([sample.length - 1, 1]);
            continue;
          }
          const error = await failureOf(reading);
          expect(
            [
              error.code,
              Object.keys(error.validationErrors!).some((field) => field.startsWith(path)),
            ],
            path,
          ).to.deep.equal(['RESPONSE_INVALID', true]);
        }
    });

    itLong('lets 1,000 legal changes pass, and tells of each news once', async () => {
      const roll = dice(7);
      const news = new Set<string>();
      const heard: Drift[] = [];
      let body: unknown;
      const client = clientOf(() => body, {
        drift: reportDrift((drift) => void heard.push(drift)),
        rateLimits: ROOMY,
      });
      const mutations: readonly ((held: object) => object)[] = [
        (held) =>
          optional.length > 0 ? withAt(held, optional[roll(optional.length)]!, null) : held,
        (held) => {
          const word = `NEW_WORD_${roll(5)}`;
          const path = open[roll(open.length)]!;
          news.add(`${path.replace(/\.?\d+/g, '[]')} ${word}`);
          return withAt(held, path, word);
        },
        (held) => {
          if (Array.isArray(held)) return held;
          const member = `newMember${roll(5)}`;
          news.add(`${member} ${member}`);
          return { ...held, [member]: [{ deep: roll(9) }, null] };
        },
        (held) => ('id' in held ? { ...held, id: 'x_'.repeat(1 + roll(200)) } : held),
        (held) =>
          'created' in held
            ? { ...held, created: `2026-05-06T10:11:12.${'1234567'.slice(0, 1 + roll(7))}+00:00` }
            : held,
      ];
      for (let round = 0; round < 1_000; round++) {
        body = mutations[roll(mutations.length)]!(sample);
        await contract.ask(client, idOf(body));
      }
      expect(heard.map(({ field, text }) => `${field} ${text}`).sort()).to.deep.equal(
        [...news].sort(),
      );
    });
  });
