export * as accounts from './resources/accounts/endpoints.ts';
export * as balances from './resources/balances/endpoints.ts';
export * as bankPaymentMethods from './resources/bank-payment-methods/endpoints.ts';
export * as currencyExchangeQuotes from './resources/currency-exchange-quotes/endpoints.ts';
export * as deposits from './resources/deposits/endpoints.ts';
export * as events from './resources/events/endpoints.ts';
export * as invoices from './resources/invoices/endpoints.ts';
export * as paymentQuotes from './resources/payment-quotes/endpoints.ts';
export * as payments from './resources/payments/endpoints.ts';
export * as payoutOriginators from './resources/payout-originators/endpoints.ts';
export * as payouts from './resources/payouts/endpoints.ts';
export * as rates from './resources/rates/endpoints.ts';
export * as receiveRequests from './resources/receive-requests/endpoints.ts';
export * as subscriptions from './resources/subscriptions/endpoints.ts';
export type { AnyEndpoint, Bucket, Endpoint, Shape } from './core/http/index.ts';
export {
  decide,
  type Decision,
  decisionTable,
  type Idempotency,
  type Phase,
  serviceCodes,
} from './core/errors/index.ts';
export { eventTypes } from './resources/events/types.ts';
export { payoutReferenceLengths } from './resources/payouts/reference-lengths.ts';
export type { StateMachine } from './resources/state-machine.ts';
export { bankPaymentMethodStates } from './resources/bank-payment-methods/states.ts';
export { currencyExchangeQuoteStates } from './resources/currency-exchange-quotes/states.ts';
export { depositStates } from './resources/deposits/states.ts';
export { invoiceStates } from './resources/invoices/states.ts';
export { paymentStates } from './resources/payments/states.ts';
export { payoutOriginatorStates } from './resources/payout-originators/states.ts';
export { payoutStates } from './resources/payouts/states.ts';
export { receiveStates } from './resources/receive-requests/states.ts';
