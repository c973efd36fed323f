import {
  bind,
  type Bound,
  connect,
  type Connection,
  type ClientOptions,
  numbersOf,
  type Settings,
} from './core/http/index.ts';

import * as accounts from './resources/accounts/index.ts';
import * as balances from './resources/balances/index.ts';
import * as bankPaymentMethods from './resources/bank-payment-methods/index.ts';
import * as deposits from './resources/deposits/index.ts';
import * as events from './resources/events/index.ts';
import * as currencyExchangeQuotes from './resources/currency-exchange-quotes/index.ts';
import * as invoices from './resources/invoices/index.ts';
import * as payoutOriginators from './resources/payout-originators/index.ts';
import * as paymentQuotes from './resources/payment-quotes/index.ts';
import * as payments from './resources/payments/index.ts';
import * as payouts from './resources/payouts/index.ts';
import * as rates from './resources/rates/index.ts';
import * as receiveRequests from './resources/receive-requests/index.ts';
import * as subscriptions from './resources/subscriptions/index.ts';

/** Options that a derived client may change. */
export type ClientOverrides = Partial<
  Pick<
    Settings,
    | 'attemptTimeout'
    | 'callTimeout'
    | 'maxAttempts'
    | 'drift'
    | 'onRequest'
    | 'onResponse'
    | 'onRetry'
  >
>;

/** All operations, by noun. Also a `Connection`, for the functions of other entries. */
export interface Client extends Connection {
  readonly accounts: Bound<typeof accounts>;
  readonly balances: Bound<typeof balances>;
  readonly bankPaymentMethods: Bound<typeof bankPaymentMethods>;
  readonly currencyExchangeQuotes: Bound<typeof currencyExchangeQuotes>;
  readonly deposits: Bound<typeof deposits>;
  readonly events: Bound<typeof events>;
  readonly invoices: Bound<typeof invoices>;
  readonly paymentQuotes: Bound<typeof paymentQuotes>;
  readonly payments: Bound<typeof payments>;
  readonly payoutOriginators: Bound<typeof payoutOriginators>;
  readonly payouts: Bound<typeof payouts>;
  readonly rates: Bound<typeof rates>;
  readonly receiveRequests: Bound<typeof receiveRequests>;
  readonly subscriptions: Bound<typeof subscriptions>;
  /** The same client with other options; both share budget and watches. */
  withOptions(options: ClientOverrides): Client;
}

/**
 * Makes a client. Nothing is sent. In a Worker make one for each request; it costs next to nothing.
 *
 * @param options `baseUrl` and an `apiKey` (servers) or a `token` (pages); everything else has a default
 * @throws InputError for a bad address, a bad key, or a key in a page
 * @example
 * const client = createClient({ baseUrl: 'https://payments.example', apiKey: 'KEY' });
 */
export function createClient(options: ClientOptions): Client {
  return clientOf(connect(options));
}

function clientOf(connection: Connection): Client {
  return Object.freeze({
    ...connection,
    accounts: bind(connection, {
      getLimits: accounts.getLimits,
      getProfile: accounts.getProfile,
      getProfileByHandle: accounts.getProfileByHandle,
    }),
    balances: bind(connection, { list: balances.list }),
    bankPaymentMethods: bind(connection, {
      create: bankPaymentMethods.create,
      get: bankPaymentMethods.get,
      list: bankPaymentMethods.list,
      remove: bankPaymentMethods.remove,
    }),
    currencyExchangeQuotes: bind(connection, {
      create: currencyExchangeQuotes.create,
      execute: currencyExchangeQuotes.execute,
      get: currencyExchangeQuotes.get,
    }),
    deposits: bind(connection, {
      create: deposits.create,
      estimateFee: deposits.estimateFee,
      get: deposits.get,
      list: deposits.list,
    }),
    events: bind(connection, { get: events.get, list: events.list }),
    invoices: bind(connection, {
      cancel: invoices.cancel,
      create: invoices.create,
      createFor: invoices.createFor,
      ensure: invoices.ensure,
      get: invoices.get,
      list: invoices.list,
      quote: invoices.quote,
    }),
    paymentQuotes: bind(connection, {
      createLightning: paymentQuotes.createLightning,
      createLnurl: paymentQuotes.createLnurl,
      createOnchain: paymentQuotes.createOnchain,
      execute: paymentQuotes.execute,
      getLnurl: paymentQuotes.getLnurl,
      listTiers: paymentQuotes.listTiers,
    }),
    payments: bind(connection, { get: payments.get }),
    payoutOriginators: bind(connection, {
      create: payoutOriginators.create,
      get: payoutOriginators.get,
      list: payoutOriginators.list,
      remove: payoutOriginators.remove,
    }),
    payouts: bind(connection, {
      create: payouts.create,
      get: payouts.get,
      initiate: payouts.initiate,
      list: payouts.list,
    }),
    rates: bind(connection, { list: rates.list }),
    receiveRequests: bind(connection, {
      create: receiveRequests.create,
      get: receiveRequests.get,
      list: receiveRequests.list,
      listAllReceives: receiveRequests.listAllReceives,
      listReceives: receiveRequests.listReceives,
    }),
    subscriptions: bind(connection, {
      create: subscriptions.create,
      get: subscriptions.get,
      list: subscriptions.list,
      remove: subscriptions.remove,
      update: subscriptions.update,
    }),
    withOptions: (options: ClientOverrides) =>
      clientOf({
        ...connection,
        settings: {
          ...connection.settings,
          ...options,
          ...numbersOf(options, connection.settings),
        },
      }),
  });
}
