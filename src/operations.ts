// Exports each operation as a function that takes a connection. For example,
// `invoices.create(connection, draft)` does the same as `client.invoices.create(draft)`.
export * as accounts from './generated/operations/accounts.ts';
export * as balances from './generated/operations/balances.ts';
export * as bankPaymentMethods from './generated/operations/bank-payment-methods.ts';
export * as currencyExchangeQuotes from './generated/operations/currency-exchange-quotes.ts';
export * as deposits from './generated/operations/deposits.ts';
export * as events from './generated/operations/events.ts';
export * as invoices from './generated/operations/invoices.ts';
export * as paymentQuotes from './generated/operations/payment-quotes.ts';
export * as payments from './generated/operations/payments.ts';
export * as payoutOriginators from './generated/operations/payout-originators.ts';
export * as payouts from './generated/operations/payouts.ts';
export * as rates from './generated/operations/rates.ts';
export * as receiveRequests from './generated/operations/receive-requests.ts';
export * as subscriptions from './generated/operations/subscriptions.ts';
