// Protects: what a user's test is given is what the service could have sent, and the same every time.
import { expect } from 'chai';
import {
  bankPaymentMethodStates,
  currencyExchangeQuoteStates,
  depositStates,
  invoiceStates,
  paymentStates,
  payoutOriginatorStates,
  payoutStates,
  receiveStates,
} from 'paystate/endpoints';
import * as kit from 'paystate/testing';
import { rejectDrift } from 'paystate/schemas';
import { describe, it } from '#test';
import { answering, json, openShop } from '../core/shop.ts';
import { factories, type Reading } from './kit.ts';

const readBack = ({ body, read }: Reading): Promise<unknown> => {
  const { fetch } = answering(json(body, statusOf(read)));
  const { client, run } = openShop({ fetch, drift: rejectDrift, maxAttempts: 1 });
  return run(read(client));
};

/** Operations that create respond with 201, the others with 200. */
const statusOf = (read: Reading['read']): number =>
  /invoices\.quote\(/.test(`${read}`) ? 201 : 200;

describe('factories', () => {
  it('are there for every resource', () => {
    const made = Object.keys(kit).filter((name) => /^make/.test(name));
    expect(made.filter((name) => !factories[name])).to.have.members([
      'makeDelivery',
      'makeErrorResponse',
      'makePage',
    ]);
  });

  for (const [name, made] of Object.entries(factories)) {
    it(`${name} makes what a client reads, with nothing that is unknown to it`, async () => {
      for (const index of [0, 7]) {
        const reading = made({ index });
        expect(await readBack(reading)).to.deep.equal(reading.value ?? reading.body);
      }
    });

    it(`${name} makes the same again, and shares nothing with what it made`, () => {
      const [one, other] = [made({ index: 3 }).body, made({ index: 3 }).body];
      expect(JSON.stringify(one)).to.equal(JSON.stringify(other));
      expect(sharedIn(one, other)).to.deep.equal([]);
    });
  }

  it('give another id and time to each index, and begin where they are told', () => {
    const ids = [0, 1, 2].map((index) => kit.makeInvoice({}, { index }).invoiceId);
    expect(new Set(ids).size).to.equal(3);
    const startAt = Date.UTC(2026, 5, 1, 12);
    expect(kit.makePayout({}, { index: 2, startAt }).created).to.equal('2026-06-01T12:00:02+00:00');
    for (const options of [{ index: -1 }, { index: 0.5 }, { index: 1e12 }, { startAt: Number.NaN }])
      expect(() => kit.makeInvoice({}, options), JSON.stringify(options)).to.throw(/makeInvoice: /);
  });

  it('refer to the first one of each kind', () => {
    const [method, request] = [kit.makeBankPaymentMethod(), kit.makeReceiveRequest()];
    expect(kit.makePayout({}, { index: 4 }).paymentMethodId).to.equal(method.id);
    expect(kit.makeReceive({}, { index: 4 }).receiveRequestId).to.equal(request.receiveRequestId);
    expect(kit.makeEvent({}, { index: 4 }).data.entityId).to.equal(kit.makeInvoice().invoiceId);
    expect(kit.makeInvoice().receiverId).to.equal(kit.makeAccountProfile().id);
  });
});

/** Places at which two values hold the same object. */
const sharedIn = (one: object, other: object, place = ''): readonly string[] =>
  Object.entries(one).flatMap(([name, value]) => {
    const second = (other as Record<string, unknown>)[name];
    if (typeof value !== 'object' || value === null) return [];
    return value === second
      ? [`${place}${name}`]
      : sharedIn(value as object, second as object, `${place}${name}.`);
  });

type Maker = (members?: object) => object;

const STATES: Readonly<Record<string, { readonly transitions: object }>> = {
  makeBankPaymentMethod: bankPaymentMethodStates,
  makeCurrencyExchangeQuote: currencyExchangeQuoteStates,
  makeDeposit: depositStates,
  makeInvoice: invoiceStates,
  makePayment: paymentStates,
  makePayout: payoutStates,
  makePayoutOriginator: payoutOriginatorStates,
  makeReceive: receiveStates,
};

const BTC = { amount: '0.00125', currency: 'BTC' };
const GBP = { amount: '7.99', currency: 'GBP' };

/** Members that change which others there are, or what they are. */
const CHOSEN: Readonly<Record<string, readonly object[]>> = {
  makeAccountLimits: [{ send: {}, achDeposit: {}, instant: {} }],
  makeAccountProfile: [{ canReceive: false }],
  makeBalance: [
    { currency: 'BTC', available: '0.5', pending: '0.25', reserved: '0.125' },
    { available: '-3.00' },
  ],
  makeBankPaymentMethod: [
    ...['ACH', 'US_DOMESTIC_WIRE', 'FPS', 'BSB', 'PIX'].map((transferType) => ({ transferType })),
    { bankAddress: {} },
  ],
  makeCurrencyExchangeQuote: [
    { source: GBP },
    { target: { currency: 'BTC' } },
    { source: { currency: 'USD' }, target: { currency: 'EUR' } },
    { conversionRate: { amount: '50000.00' }, created: '2026-02-01T00:00:00Z', state: 'COMPLETED' },
  ],
  makeDeposit: [{ amount: GBP }, { fee: { amount: '1.00' } }],
  makeDepositFee: [{ amount: BTC }],
  makeEvent: [
    { eventType: 'payment.updated' },
    { eventType: 'receive-request.receive-completed' },
    { eventType: 'card.created' },
  ],
  makeInvoice: [
    { amount: BTC, state: 'PAID', created: '2026-02-01T00:00:00Z' },
    { issuerId: 'somebody' },
  ],
  makeInvoiceQuote: [
    { targetAmount: BTC },
    { targetAmount: GBP, conversionRate: { amount: '40000.00' } },
    { quoteId: 'q', description: undefined, sourceAmount: { amount: '0.001' } },
    { expiration: '2026-01-05T08:00:00Z' },
  ],
  makePayment: [
    { amount: BTC, state: 'COMPLETED' },
    { state: 'COMPLETED', onchain: {}, completed: '2026-02-01T00:00:00Z' },
    { totalFee: { amount: '1.00' } },
    { paymentId: 'p', state: 'COMPLETED', lightning: { networkFee: { amount: '0.01' } } },
  ],
  makePaymentQuote: [{ amount: BTC }, { estimatedDeliveryDurationInMin: 10 }],
  makePayout: [
    { amount: GBP, fee: { amount: '0.50' } },
    { state: 'REVERSED', initiated: '2026-02-01T00:00:00Z' },
  ],
  makePayoutOriginator: [{ details: { type: 'COMPANY' } }],
  makeRate: [
    { targetCurrency: 'USD' },
    { sourceCurrency: 'EUR', targetCurrency: 'BTC' },
    { sourceCurrency: 'EUR', targetCurrency: 'USD' },
  ],
  makeReceive: [
    { type: 'LIGHTNING' },
    { type: 'ONCHAIN' },
    { p2p: {} },
    { onchain: {}, state: 'PENDING' },
    { amountReceived: BTC },
  ],
  makeReceiveRequest: [
    { bolt11: {} },
    { onchain: {} },
    { onchain: { requestedAmount: BTC } },
    { bolt11: { requestedAmount: GBP, description: undefined } },
    { receiveRequestId: 'r', created: '2026-02-01T00:00:00Z' },
  ],
};

const digestOf = async (value: unknown): Promise<string> => {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest.slice(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
};

/** Of all that each makes: as usual, in each state, and with the members above. */
const DIGESTS: Readonly<Record<string, string>> = {
  makeAccountLimits: '9a13d9a6',
  makeAccountProfile: '248986f9',
  makeBalance: '60bde00f',
  makeBankPaymentMethod: '86644060',
  makeCurrencyExchangeQuote: 'bff4afe9',
  makeDeposit: 'aa919ebf',
  makeDepositFee: '1a15809e',
  makeEvent: '7e7fde49',
  makeInvoice: '92f5f228',
  makeInvoiceQuote: '435250b3',
  makeLnurlDetails: '58da4b0b',
  makeOnchainTier: '2221c8dc',
  makePayment: '39bbf167',
  makePaymentQuote: '74ac06f9',
  makePayout: '7aaab06a',
  makePayoutOriginator: 'abc10965',
  makeRate: 'ab1b411f',
  makeReceive: 'f9ae2825',
  makeReceiveRequest: 'f8a1eabc',
  makeSubscription: 'c47eb3bd',
};

describe('what factories make', () => {
  for (const name of Object.keys(factories))
    it(`is what it was in the snapshots of a user: ${name}`, async () => {
      const make = (kit as unknown as Record<string, Maker>)[name]!;
      const states = Object.keys(STATES[name]?.transitions ?? {}).map((state) => ({ state }));
      const made = [{}, ...states, ...(CHOSEN[name] ?? [])].map((members) => make(members));
      expect(await digestOf(made), JSON.stringify(made, undefined, 1)).to.equal(DIGESTS[name]);
    });
});
