// Made from each operations.ts by `npm run interfaces`: change functions and comments there.
import type { Unbound } from './core/http/index.ts';
import type { Accounts } from './resources/accounts/interface.ts';
import * as accounts from './resources/accounts/operations.ts';
import type { Balances } from './resources/balances/interface.ts';
import * as balances from './resources/balances/operations.ts';
import type { BankPaymentMethods } from './resources/bank-payment-methods/interface.ts';
import * as bankPaymentMethods from './resources/bank-payment-methods/operations.ts';
import type { CurrencyExchangeQuotes } from './resources/currency-exchange-quotes/interface.ts';
import * as currencyExchangeQuotes from './resources/currency-exchange-quotes/operations.ts';
import type { Deposits } from './resources/deposits/interface.ts';
import * as deposits from './resources/deposits/operations.ts';
import type { Events } from './resources/events/interface.ts';
import * as events from './resources/events/operations.ts';
import type { Invoices } from './resources/invoices/interface.ts';
import * as invoices from './resources/invoices/operations.ts';
import type { PaymentQuotes } from './resources/payment-quotes/interface.ts';
import * as paymentQuotes from './resources/payment-quotes/operations.ts';
import type { Payments } from './resources/payments/interface.ts';
import * as payments from './resources/payments/operations.ts';
import type { PayoutOriginators } from './resources/payout-originators/interface.ts';
import * as payoutOriginators from './resources/payout-originators/operations.ts';
import type { Payouts } from './resources/payouts/interface.ts';
import * as payouts from './resources/payouts/operations.ts';
import type { Rates } from './resources/rates/interface.ts';
import * as rates from './resources/rates/operations.ts';
import type { ReceiveRequests } from './resources/receive-requests/interface.ts';
import * as receiveRequests from './resources/receive-requests/operations.ts';
import type { Subscriptions } from './resources/subscriptions/interface.ts';
import * as subscriptions from './resources/subscriptions/operations.ts';

/**
 * The resources of a client. They and their operations are plain members: a test can replace
 * them.
 */
export interface Resources {
  /** Limits of the account, and the profiles that accounts show to others. */
  accounts: Accounts;
  /** What the account has of each of its currencies. */
  balances: Balances;
  /** Bank accounts: where deposits come from and payouts go. */
  bankPaymentMethods: BankPaymentMethods;
  /** Exchanges between two currencies of the account. */
  currencyExchangeQuotes: CurrencyExchangeQuotes;
  /** Money drawn from a bank account. */
  deposits: Deposits;
  /** The events of the last 30 days. */
  events: Events;
  /** Invoices: amounts that others pay to the account. */
  invoices: Invoices;
  /** Terms of payments to Lightning and on-chain destinations, and their execution. */
  paymentQuotes: PaymentQuotes;
  /** Payments that were executed. */
  payments: Payments;
  /** Persons and companies on whose behalf payouts are sent. */
  payoutOriginators: PayoutOriginators;
  /** Money sent to a bank account. */
  payouts: Payouts;
  /** The exchange rates of this moment. */
  rates: Rates;
  /** Standing ways to be paid by anyone, and what was received by them. */
  receiveRequests: ReceiveRequests;
  /** Where the service sends webhooks, and for which events. */
  subscriptions: Subscriptions;
}

/** Their operations, as functions of a connection. */
export const operations: Unbound<Resources> = {
  accounts: {
    getLimits: accounts.getLimits,
    getProfile: accounts.getProfile,
    getProfileByHandle: accounts.getProfileByHandle,
  },
  balances: { list: balances.list },
  bankPaymentMethods: {
    create: bankPaymentMethods.create,
    get: bankPaymentMethods.get,
    list: bankPaymentMethods.list,
    remove: bankPaymentMethods.remove,
  },
  currencyExchangeQuotes: {
    create: currencyExchangeQuotes.create,
    get: currencyExchangeQuotes.get,
    execute: currencyExchangeQuotes.execute,
  },
  deposits: {
    create: deposits.create,
    get: deposits.get,
    list: deposits.list,
    estimateFee: deposits.estimateFee,
  },
  events: { list: events.list, get: events.get },
  invoices: {
    create: invoices.create,
    createFor: invoices.createFor,
    ensure: invoices.ensure,
    get: invoices.get,
    list: invoices.list,
    cancel: invoices.cancel,
    quote: invoices.quote,
  },
  paymentQuotes: {
    createLightning: paymentQuotes.createLightning,
    createLnurl: paymentQuotes.createLnurl,
    createOnchain: paymentQuotes.createOnchain,
    getLnurl: paymentQuotes.getLnurl,
    listTiers: paymentQuotes.listTiers,
    execute: paymentQuotes.execute,
  },
  payments: { get: payments.get },
  payoutOriginators: {
    create: payoutOriginators.create,
    get: payoutOriginators.get,
    list: payoutOriginators.list,
    remove: payoutOriginators.remove,
  },
  payouts: {
    create: payouts.create,
    get: payouts.get,
    list: payouts.list,
    initiate: payouts.initiate,
  },
  rates: { list: rates.list },
  receiveRequests: {
    create: receiveRequests.create,
    get: receiveRequests.get,
    list: receiveRequests.list,
    listReceives: receiveRequests.listReceives,
    listAllReceives: receiveRequests.listAllReceives,
  },
  subscriptions: {
    create: subscriptions.create,
    get: subscriptions.get,
    list: subscriptions.list,
    update: subscriptions.update,
    remove: subscriptions.remove,
  },
};
