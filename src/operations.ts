// Each operation as a function of a connection: what `client.invoices.create(draft)` does,
// `invoices.create(connection, draft)` does.
export * as accounts from './resources/accounts/operations.ts';
export * as balances from './resources/balances/operations.ts';
export * as bankPaymentMethods from './resources/bank-payment-methods/operations.ts';
export * as currencyExchangeQuotes from './resources/currency-exchange-quotes/operations.ts';
export * as deposits from './resources/deposits/operations.ts';
export * as events from './resources/events/operations.ts';
export * as invoices from './resources/invoices/operations.ts';
export * as paymentQuotes from './resources/payment-quotes/operations.ts';
export * as payments from './resources/payments/operations.ts';
export * as payoutOriginators from './resources/payout-originators/operations.ts';
export * as payouts from './resources/payouts/operations.ts';
export * as rates from './resources/rates/operations.ts';
export * as receiveRequests from './resources/receive-requests/operations.ts';
export * as subscriptions from './resources/subscriptions/operations.ts';
