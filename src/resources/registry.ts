// All resources, under their names on the client. Only code that uses all resources imports this
// file. Other code imports individual resource files, so bundlers can omit the rest.
export * as accounts from './accounts.ts';
export * as balances from './balances.ts';
export * as bankPaymentMethods from './bank-payment-methods.ts';
export * as currencyExchangeQuotes from './currency-exchange-quotes.ts';
export * as deposits from './deposits.ts';
export * as events from './events.ts';
export * as invoices from './invoices.ts';
export * as paymentQuotes from './payment-quotes.ts';
export * as payments from './payments.ts';
export * as payoutOriginators from './payout-originators.ts';
export * as payouts from './payouts.ts';
export * as rates from './rates.ts';
export * as receiveRequests from './receive-requests.ts';
export * as subscriptions from './subscriptions.ts';
