// Node only: test tools compute the same in every engine.
// Protects: what is chosen is what comes out, the rest fits it, and what cannot be is refused by name.
import { expect } from 'chai';
import { InputError, type Invoice } from 'paystate';
import { decodeBolt11, isPreimageOf, parseBitcoinUri } from 'paystate/lightning';
import { verifyBolt11 } from 'paystate/lightning/signature';
import * as kit from 'paystate/testing';
import { describe, it, itLong } from '#test';
import { factories } from './kit.ts';

const refusalOf = (make: () => unknown): InputError => {
  try {
    make();
  } catch (thrown) {
    if (thrown instanceof InputError) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
};

describe('chosen members', () => {
  it('stand in the value, deep ones beside the usual', () => {
    const invoice = kit.makeInvoice({ state: 'PAID', amount: { currency: 'USD' } });
    expect(invoice).to.deep.include({
      state: 'PAID',
      amount: { amount: '12.50', currency: 'USD' },
    });
    expect(invoice.transactions?.[0]?.amountReceived).to.deep.equal(invoice.amount);
    const { details } = kit.makePayoutOriginator({ details: { address: { city: 'York' } } });
    expect([details.name, details.address?.city]).to.deep.equal(['Ada Example', 'York']);
  });

  it('that are undefined leave an optional member out', () => {
    const members = { correlationId: undefined, transactions: undefined } as const;
    expect(kit.makeInvoice({ state: 'PAID', ...members })).not.to.have.any.keys(
      'correlationId',
      'transactions',
    );
    expect(kit.makeReceiveRequest({ bolt11: {} })).not.to.have.property('onchain');
  });

  it('bring what belongs to them where the usual value has none of it', () => {
    const { bankAddress } = kit.makeBankPaymentMethod({ bankAddress: { city: 'York' } });
    expect(bankAddress).to.include({ city: 'York', country: 'DE' });
    const onchain = kit.makePayment({ state: 'COMPLETED', onchain: {} });
    expect(onchain).not.to.have.any.keys('lightning', 'lightningNetworkFee');
    expect(onchain.onchain?.txnId).to.match(/^[0-9a-f]{64}$/);
    expect(kit.makeAccountLimits({ send: {} }).send?.amount?.effective.currency).to.equal('EUR');
    expect(kit.makeReceive({ p2p: {} })).to.deep.include({
      type: 'P2P',
      amountReceived: { amount: '5.00', currency: 'EUR' },
      amountCredited: { amount: '5.00', currency: 'EUR' },
    });
  });

  it('that are new to this version pass as they are: members, states, types, currencies', () => {
    const invoice = kit.makeInvoice({ state: 'FROZEN', ...{ loyalty: { points: 3 } } });
    expect(invoice).to.deep.include({ state: 'FROZEN', loyalty: { points: 3 } });
    expect(kit.makePayment({ state: 'HELD', completed: '2026-01-05T09:00:00Z' }).state).to.equal(
      'HELD',
    );
    expect(kit.makeEvent({ eventType: 'card.updated' }).data.changes).to.deep.equal(['state']);
    expect(kit.makeBalance({ currency: 'CHF' }).current).to.equal('100.00');
    expect(kit.makeBankPaymentMethod({ transferType: 'PIX', currency: 'BRL' }).currency).to.equal(
      'BRL',
    );
    expect(kit.makeInvoice({ description: null as never }).description).to.equal(null);
  });

  it('take other values with them: sums, times, rates, what follows from a type', () => {
    const payment = kit.makePayment({ amount: { amount: '0.0002', currency: 'BTC' } });
    expect([payment.totalFee, payment.totalAmount.amount]).to.deep.equal([
      { amount: '0.00000020', currency: 'BTC' },
      '0.00020020',
    ]);
    expect(payment).not.to.have.property('conversionRate');
    const payout = kit.makePayout({ state: 'COMPLETED', created: '2026-03-01T00:00:00Z' });
    expect([payout.initiated, payout.completed]).to.deep.equal([
      '2026-03-01T00:00:01+00:00',
      '2026-03-01T00:00:03+00:00',
    ]);
    const exchange = kit.makeCurrencyExchangeQuote({ source: { amount: '0.5' } });
    expect(exchange.target).to.deep.equal({ amount: '30000.00', currency: 'EUR' });
    expect(kit.makeBalance({ reserved: '5.00' })).to.include({
      current: '105.00',
      total: '105.00',
    });
    expect(kit.makeAccountProfile({ canReceive: false }).currencies[0]?.isInvoiceable).to.equal(
      false,
    );
  });
});

describe('times', () => {
  const TIME = /^\d{4}-\d\d-\d\dT/;
  const timesIn = (value: object): readonly string[] =>
    Object.entries(value).flatMap(([name, one]) =>
      typeof one === 'string' && TIME.test(one) ? [name] : [],
    );

  it('of every value are refused by name where they are none', () => {
    const states: Readonly<Record<string, string>> = {
      makeCurrencyExchangeQuote: 'COMPLETED',
      makePayment: 'COMPLETED',
      makePayout: 'COMPLETED',
      makeReceive: 'COMPLETED',
    };
    const refused = new Set<string>();
    for (const name of Object.keys(factories)) {
      const make = (kit as unknown as Record<string, (members: object) => object>)[name]!;
      const usual = { ...(states[name] && { state: states[name] }) };
      for (const member of timesIn(make(usual))) {
        const thrown = refusalOf(() => make({ ...usual, [member]: 'yesterday' }));
        expect(Object.keys(thrown.validationErrors ?? {}), `${name} ${member}`).to.include(member);
        refused.add(member);
      }
    }
    expect([...refused]).to.include.members([
      ...['created', 'initiated', 'completed', 'delivered', 'validUntil', 'expiration'],
    ]);
    const { bolt11 } = kit.makeReceiveRequest();
    const late = refusalOf(() =>
      kit.makeReceiveRequest({ bolt11: { ...bolt11, expires: 'tomorrow' } }),
    );
    expect(Object.keys(late.validationErrors ?? {})).to.deep.equal(['bolt11.expires']);
  });

  it('may be the same instant, and in another order of the states they may not', () => {
    const at = '2026-03-01T00:00:00Z';
    const payout = { state: 'COMPLETED', created: at, initiated: at, completed: at } as const;
    expect(kit.makePayout(payout)).to.include(payout);
    const { validationErrors } = refusalOf(() =>
      kit.makePayout({ ...payout, completed: '2026-02-28T23:59:59.9999999Z' }),
    );
    expect(validationErrors?.['completed']?.[0]?.message).to.include(
      'must not be before initiated',
    );
  });
});

describe('texts of Lightning and the chain', () => {
  it('of a quote of an invoice are signed, for its amount, its time and its description', () => {
    const quote = kit.makeInvoiceQuote({
      targetAmount: { amount: '3.00', currency: 'EUR' },
      expirationInSec: 60,
      description: 'Tea for two',
    });
    expect(verifyBolt11(quote.lnInvoice)).to.include({
      network: 'testnet',
      amountMsat: '5000000',
      description: 'Tea for two',
      expiresAt: Date.parse(quote.expiration),
    });
    expect(quote.sourceAmount).to.deep.equal({ amount: '0.00005000', currency: 'BTC' });
    const late = kit.makeInvoiceQuote({ expiration: '2026-01-05T09:10:00+00:00' });
    expect(late.expirationInSec).to.equal(600);
  });

  it('of a request and its receives fit each other', () => {
    const { bolt11, onchain } = kit.makeReceiveRequest();
    const decoded = decodeBolt11(bolt11!.invoice);
    expect(decoded.paymentHash).to.equal(bolt11!.paymentHash);
    expect(parseBitcoinUri(onchain!.addressUri)).to.deep.include({
      address: onchain!.address,
      amount: { amount: onchain!.btcAmount, currency: 'BTC' },
    });
    const asked = { amount: '0.00125', currency: 'BTC' };
    const bitcoin = kit.makeReceiveRequest({ bolt11: { requestedAmount: asked } }).bolt11!;
    expect(bitcoin.btcAmount).to.equal('0.00125');
    expect(decodeBolt11(bitcoin.invoice).amountMsat).to.equal('125000000');
    const { lightning } = kit.makeReceive();
    expect(lightning!.invoice).to.equal(bolt11!.invoice);
    expect(isPreimageOf(lightning!.preimage, decoded.paymentHash)).to.equal(true);
    expect(kit.makeReceive({ state: 'PENDING' }).onchain?.address).to.equal(onchain!.address);
  });
});

const COMPLETED = '2026-01-05T09:00:09+00:00';
const DONE = {
  transactionId: 't',
  state: 'COMPLETED',
  amountReceived: { amount: '1.00', currency: 'EUR' },
} as const;
const USD = { amount: '1.00', currency: 'USD' };

/** What cannot be, and the member that is named. */
const impossible: readonly (readonly [string, () => unknown])[] = [
  ['amount.amount', () => kit.makeInvoice({ amount: { amount: 12.5 as never } })],
  ['amount', () => kit.makeInvoice({ amount: null as never })],
  ['issuerId', () => kit.makeInvoice({ issuerId: undefined as never })],
  ['created', () => kit.makeInvoice({ created: 'yesterday' })],
  ['transactions', () => kit.makeInvoice({ state: 'PAID', transactions: [] })],
  ['transactions', () => kit.makeInvoice({ state: 'UNPAID', transactions: [DONE] })],
  [
    'transactions.0.completed',
    () =>
      kit.makeInvoice({
        state: 'PENDING',
        transactions: [{ ...DONE, state: 'PENDING', completed: COMPLETED }],
      }),
  ],
  ['completed', () => kit.makePayment({ completed: COMPLETED })],
  ['delivered', () => kit.makePayment({ state: 'PENDING', delivered: COMPLETED })],
  ['lightning.preImage', () => kit.makePayment({ state: 'FAILED', lightning: { preImage: 'a' } })],
  ['totalAmount', () => kit.makePayment({ totalAmount: { amount: '12.50' } })],
  ['totalAmount', () => kit.makePayment({ totalFee: USD })],
  ['totalAmount', () => kit.makePaymentQuote({ totalAmount: { amount: '1.00' } })],
  ['maxSendable', () => kit.makeLnurlDetails({ maxSendable: 1 })],
  ['initiated', () => kit.makePayout({ initiated: COMPLETED })],
  ['completed', () => kit.makePayout({ state: 'INITIATED', completed: COMPLETED })],
  ['completed', () => kit.makePayout({ state: 'COMPLETED', completed: '2026-01-05T08:00:00Z' })],
  ['initiated', () => kit.makePayout({ state: 'FAILED', initiated: '2020-01-01T00:00:00Z' })],
  ['failureReason', () => kit.makeDeposit({ failureReason: 'why' })],
  ['totalAmount', () => kit.makeDeposit({ totalAmount: { amount: '50.00' } })],
  ['total', () => kit.makeDepositFee({ total: { amount: '50.00' } })],
  ['completed', () => kit.makeCurrencyExchangeQuote({ completed: COMPLETED })],
  [
    'target.currency',
    () =>
      kit.makeCurrencyExchangeQuote({ target: { currency: 'BTC' }, source: { currency: 'BTC' } }),
  ],
  ['currency', () => kit.makeBankPaymentMethod({ currency: 'USD' })],
  [
    'details.dateOfBirth',
    () => kit.makePayoutOriginator({ details: { type: 'COMPANY', dateOfBirth: '1990-01-01' } }),
  ],
  ['amountCredited', () => kit.makeReceive({ state: 'PENDING', amountCredited: USD })],
  [
    'onchain',
    () => kit.makeReceive({ type: 'LIGHTNING', onchain: { address: 'a', transactionId: 't' } }),
  ],
  ['data.receiveId', () => kit.makeEvent({ data: { receiveId: 'r' } })],
  ['current', () => kit.makeBalance({ current: '1.00' })],
  [
    'currencies',
    () =>
      kit.makeAccountProfile({
        currencies: [1, 2].map(() => ({
          currency: 'EUR',
          isDefaultCurrency: true,
          isAvailable: true,
          isInvoiceable: true,
        })),
      }),
  ],
  ['amount', () => kit.makeRate({ amount: '0.00' })],
  ['eventTypes', () => kit.makeSubscription({ eventTypes: 'invoice.updated' as never })],
  ['total', () => kit.makePage([kit.makeInvoice()], 0)],
  ['status', () => kit.makeErrorResponse('SOMETHING_NEW')],
  ['status', () => kit.makeErrorResponse('NOT_FOUND', { status: 200 })],
];

/** What no member of a value can be, and what some can. */
const ODD: readonly unknown[] = [null, 7, '', 'x', '-1', {}, [], [null], true, Symbol('odd')];

const nested = (inner: unknown, name: string): unknown => ({ [name]: inner });

const pathsOf = (value: object): readonly (readonly string[])[] =>
  Object.entries(value).flatMap(([name, one]) => [
    [name],
    ...(typeof one === 'object' && !Array.isArray(one)
      ? pathsOf(one as object).map((path) => [name, ...path])
      : []),
  ]);

describe('members that cannot be', () => {
  it('are refused with the function, the member and what to do', () => {
    for (const [field, make] of impossible) {
      const { code, outcome, next, message, validationErrors } = refusalOf(make);
      expect([code, outcome, next]).to.deep.equal(['INPUT_INVALID', 'not-done', 'fix-input']);
      expect(Object.keys(validationErrors ?? {}), message).to.include(field);
      expect(message).to.match(/^make[A-Z]\w+: .*\(INPUT_INVALID\)$/);
    }
  });

  itLong('are refused whatever stands in them, and never with another error', () => {
    const makers = Object.entries(kit).filter(([name]) => factories[name]) as readonly (readonly [
      string,
      (members: unknown, options?: unknown) => object,
    ])[];
    let refused = 0;
    const attempt = (what: string, make: () => unknown): void => {
      try {
        make();
      } catch (thrown) {
        expect(thrown, what).to.be.instanceOf(InputError);
        refused++;
      }
    };
    for (const [name, make] of makers) {
      for (const odd of ODD) {
        attempt(name, () => make(odd));
        attempt(name, () => make({}, odd));
      }
      for (const path of pathsOf(make({})))
        for (const odd of ODD)
          attempt(`${name} ${path.join('.')}`, () => make(path.reduceRight(nested, odd)));
    }
    expect(refused).to.be.above(500);
  });

  it('do not compile where they are misspelt or of another type', () => {
    // @ts-expect-error: no member of this name
    expect(kit.makeInvoice({ stat: 'PAID' })).to.include({ stat: 'PAID', state: 'UNPAID' });
    // @ts-expect-error: an amount is a text
    expect(() => kit.makeInvoice({ amount: { amount: 5 } })).to.throw(InputError);
    // @ts-expect-error: what is required cannot be left out
    expect(() => kit.makeInvoice({ invoiceId: undefined })).to.throw(InputError);
  });

  it('can still be had on purpose, by a spread', () => {
    const wrong: Invoice = { ...kit.makeInvoice(), state: 'PAID', transactions: [] };
    expect(wrong.transactions).to.deep.equal([]);
  });
});
