// Every factory, with the operation whose response it makes.
import type { Client } from 'paystate';
import * as kit from 'paystate/testing';
import type { MakeOptions } from 'paystate/testing';

/** A value and how a client reads it, when it is the body of each response. */
export interface Reading {
  readonly body: object;
  read(client: Client): PromiseLike<unknown>;
  /** What the operation gives of that body. */
  readonly value?: unknown;
}

const ID = 'the-id-of-a-draft';
const KEY = { idempotencyKey: '3f0d7c1e-2b44-4d0e-8a6c-0f9b7e6d5c41' };
const MONEY = { amount: '5.00', currency: 'EUR' };

const paged = (item: object, read: (client: Client) => PromiseLike<unknown>): Reading => ({
  body: kit.makePage([item]),
  read,
  value: [item],
});

type Made = (options: MakeOptions) => Reading;

/** By the name of each factory of a resource. */
export const factories: Readonly<Record<string, Made>> = {
  makeAccountLimits() {
    return { body: kit.makeAccountLimits(), read: ({ accounts }) => accounts.getLimits() };
  },
  makeAccountProfile(options) {
    const body = kit.makeAccountProfile({}, options);
    return { body, read: ({ accounts }) => accounts.getProfile(body.id!) };
  },
  makeBalance() {
    return { body: [kit.makeBalance()], read: ({ balances }) => balances.list() };
  },
  makeBankPaymentMethod(options) {
    const body = kit.makeBankPaymentMethod({}, options);
    return { body, read: ({ bankPaymentMethods }) => bankPaymentMethods.get(body.id) };
  },
  makeCurrencyExchangeQuote(options) {
    const body = kit.makeCurrencyExchangeQuote({}, options);
    return { body, read: ({ currencyExchangeQuotes }) => currencyExchangeQuotes.get(body.id) };
  },
  makeDeposit(options) {
    const body = kit.makeDeposit({}, options);
    return { body, read: ({ deposits }) => deposits.get(body.id) };
  },
  makeDepositFee() {
    const draft = { paymentMethodId: ID, amount: '50.00' };
    return { body: kit.makeDepositFee(), read: ({ deposits }) => deposits.estimateFee(draft) };
  },
  makeEvent(options) {
    const body = kit.makeEvent({}, options);
    return { body, read: ({ events }) => events.get(body.id) };
  },
  makeInvoice(options) {
    const body = kit.makeInvoice({}, options);
    return { body, read: ({ invoices }) => invoices.get(body.invoiceId) };
  },
  makeInvoiceQuote(options) {
    return {
      body: kit.makeInvoiceQuote({}, options),
      read: ({ invoices }) => invoices.quote(ID),
    };
  },
  makeLnurlDetails() {
    return {
      body: kit.makeLnurlDetails(),
      read: ({ paymentQuotes }) => paymentQuotes.getLnurl('ada@wallet.example'),
    };
  },
  makeOnchainTier(options) {
    return {
      body: [kit.makeOnchainTier({}, options)],
      read: ({ paymentQuotes }) => paymentQuotes.listTiers({ btcAddress: ID, amount: MONEY }),
    };
  },
  makePayment(options) {
    const body = kit.makePayment({}, options);
    return { body, read: ({ payments }) => payments.get(body.paymentId) };
  },
  makePaymentQuote(options) {
    return {
      body: kit.makePaymentQuote({}, options),
      read: ({ paymentQuotes }) => paymentQuotes.createLightning({ lnInvoice: ID }, KEY),
    };
  },
  makePayout(options) {
    const body = kit.makePayout({}, options);
    return { body, read: ({ payouts }) => payouts.get(body.id) };
  },
  makePayoutOriginator(options) {
    const body = kit.makePayoutOriginator({}, options);
    return { body, read: ({ payoutOriginators }) => payoutOriginators.get(body.id) };
  },
  makeRate() {
    return { body: [kit.makeRate()], read: ({ rates }) => rates.list() };
  },
  makeReceive(options) {
    const body = kit.makeReceive({}, options);
    return paged(body, ({ receiveRequests }) =>
      receiveRequests.listReceives(body.receiveRequestId).toArray({ limit: 9 }),
    );
  },
  makeReceiveRequest(options) {
    const body = kit.makeReceiveRequest({}, options);
    return { body, read: ({ receiveRequests }) => receiveRequests.get(body.receiveRequestId) };
  },
  makeSubscription(options) {
    const body = kit.makeSubscription({}, options);
    return { body, read: ({ subscriptions }) => subscriptions.get(body.id) };
  },
};
