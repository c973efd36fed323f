// All resources, one line each, under the names of the client's members. Only for what needs all of
// them: a file that needs one imports that resource's own file, so that a bundler can leave out the
// others.
export * as accounts from './accounts/resource.ts';
export * as balances from './balances/resource.ts';
export * as bankPaymentMethods from './bank-payment-methods/resource.ts';
export * as currencyExchangeQuotes from './currency-exchange-quotes/resource.ts';
export * as deposits from './deposits/resource.ts';
export * as events from './events/resource.ts';
export * as invoices from './invoices/resource.ts';
export * as paymentQuotes from './payment-quotes/resource.ts';
export * as payments from './payments/resource.ts';
export * as payoutOriginators from './payout-originators/resource.ts';
export * as payouts from './payouts/resource.ts';
export * as rates from './rates/resource.ts';
export * as receiveRequests from './receive-requests/resource.ts';
export * as subscriptions from './subscriptions/resource.ts';
