// Each operation as a function of a connection: what `client.invoices.create(draft)` does,
// `invoices.create(connection, draft)` does.
export * as accounts from './resources/accounts.ts';
export * as balances from './resources/balances.ts';
export * as bankPaymentMethods from './resources/bank-payment-methods.ts';
export * as currencyExchangeQuotes from './resources/currency-exchange-quotes.ts';
export * as deposits from './resources/deposits.ts';
export * as events from './resources/events.ts';
export * as invoices from './resources/invoices.ts';
export * as paymentQuotes from './resources/payment-quotes.ts';
export * as payments from './resources/payments.ts';
export * as payoutOriginators from './resources/payout-originators.ts';
export * as payouts from './resources/payouts.ts';
export * as rates from './resources/rates.ts';
export * as receiveRequests from './resources/receive-requests.ts';
export * as subscriptions from './resources/subscriptions.ts';
