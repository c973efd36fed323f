export type { AnyEndpoint, Bucket, Endpoint, Shape } from './core/http/index.ts';
export {
  decide,
  type Decision,
  decisionTable,
  type Idempotency,
  type Phase,
  serviceCodes,
} from './core/errors/index.ts';
export { eventTypes } from './resources/events.types.ts';
export { payoutReferenceLengths, payoutStates } from './resources/payouts.ts';
export type { StateMachine } from './resources/resource.ts';
export { bankPaymentMethodStates } from './resources/bank-payment-methods.ts';
export { currencyExchangeQuoteStates } from './resources/currency-exchange-quotes.ts';
export { depositStates } from './resources/deposits.ts';
export { invoiceStates } from './resources/invoices.ts';
export { paymentStates } from './resources/payments.ts';
export { payoutOriginatorStates } from './resources/payout-originators.ts';
export { receiveStates } from './resources/receive-requests.ts';
