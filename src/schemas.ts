export * from './resources/accounts.schemas.ts';
export * from './resources/balances.schemas.ts';
export * from './resources/bank-payment-methods.schemas.ts';
export * from './resources/currency-exchange-quotes.schemas.ts';
export * from './resources/deposits.schemas.ts';
export * from './resources/events.schemas.ts';
export * from './resources/invoices.schemas.ts';
export * from './resources/payment-quotes.schemas.ts';
export * from './resources/payments.schemas.ts';
export * from './resources/payout-originators.schemas.ts';
export * from './resources/payouts.schemas.ts';
export * from './resources/rates.schemas.ts';
export * from './resources/receive-requests.schemas.ts';
export * from './resources/subscriptions.schemas.ts';
export {
  type CountedDrift,
  type Drift,
  type DriftReporter,
  rejectDrift,
  reportDrift,
} from './resources/drift.ts';
export * from './resources/amounts.schemas.ts';
