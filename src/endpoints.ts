export * as accounts from './generated/endpoints/accounts.ts';
export * as balances from './generated/endpoints/balances.ts';
export * as bankPaymentMethods from './generated/endpoints/bank-payment-methods.ts';
export * as currencyExchangeQuotes from './generated/endpoints/currency-exchange-quotes.ts';
export * as deposits from './generated/endpoints/deposits.ts';
export * as events from './generated/endpoints/events.ts';
export * as invoices from './generated/endpoints/invoices.ts';
export * as paymentQuotes from './generated/endpoints/payment-quotes.ts';
export * as payments from './generated/endpoints/payments.ts';
export * as payoutOriginators from './generated/endpoints/payout-originators.ts';
export * as payouts from './generated/endpoints/payouts.ts';
export * as rates from './generated/endpoints/rates.ts';
export * as receiveRequests from './generated/endpoints/receive-requests.ts';
export * as subscriptions from './generated/endpoints/subscriptions.ts';
export type { AnyEndpoint, Bucket, Endpoint, Shape } from './core/http/index.ts';
export {
  decide,
  type DecidedEndpoint,
  type Decision,
  decisionTable,
  type Idempotency,
  type Phase,
  serviceCodes,
} from './core/errors/index.ts';
export { bankPaymentMethodStates } from './resources/bank-payment-methods.ts';
export { currencyExchangeQuoteStates } from './resources/currency-exchange-quotes.ts';
export { depositStates } from './resources/deposits.ts';
export { invoiceStates } from './resources/invoices.ts';
export { paymentStates } from './resources/payments.ts';
export { payoutOriginatorStates } from './resources/payout-originators.ts';
export { payoutStates } from './resources/payouts.ts';
export { receiveStates } from './resources/receive-requests.ts';
export { eventTypes } from './resources/events.types.ts';
export { payoutReferenceLengths } from './resources/payouts.ts';
export type { StateMachine } from './resources/resource.ts';
