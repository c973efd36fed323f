export { type Drift, refuseDrift, reportDrift } from './resources/drift.ts';
export { AccountLimitsSchema, AccountProfileSchema } from './resources/accounts/schemas.ts';
export {
  ConversionRateSchema,
  CurrencySchema,
  MoneyDraftSchema,
  MoneySchema,
  SpendDraftSchema,
} from './resources/amounts/schemas.ts';
export { BalanceSchema, BalancesSchema } from './resources/balances/schemas.ts';
export {
  BankMethodDraftSchema,
  BankMethodPageSchema,
  BankMethodSchema,
} from './resources/bank-payment-methods/schemas.ts';
export {
  DepositDraftSchema,
  DepositFeeSchema,
  DepositPageSchema,
  DepositSchema,
} from './resources/deposits/schemas.ts';
export { EventPageSchema, EventSchema } from './resources/events/schemas.ts';
export {
  ExchangeQuoteDraftSchema,
  ExchangeQuoteSchema,
} from './resources/currency-exchange-quotes/schemas.ts';
export {
  InvoiceDraftSchema,
  InvoicePageSchema,
  InvoiceQuoteDraftSchema,
  InvoiceQuoteSchema,
  InvoiceSchema,
} from './resources/invoices/schemas.ts';
export {
  OriginatorDraftSchema,
  OriginatorPageSchema,
  OriginatorSchema,
} from './resources/payout-originators/schemas.ts';
export { AddressSchema, PartySchema } from './resources/parties/schemas.ts';
export {
  BeneficiarySchema,
  LightningQuoteDraftSchema,
  LnurlDetailsSchema,
  LnurlQuoteDraftSchema,
  OnchainQuoteDraftSchema,
  OnchainTiersDraftSchema,
  OnchainTiersSchema,
  PaymentQuoteSchema,
} from './resources/payment-quotes/schemas.ts';
export { ExecutedPaymentSchema, PaymentSchema } from './resources/payments/schemas.ts';
export { PayoutDraftSchema, PayoutPageSchema, PayoutSchema } from './resources/payouts/schemas.ts';
export { TickerSchema } from './resources/rates/schemas.ts';
export {
  ReceivePageSchema,
  ReceiveRequestDraftSchema,
  ReceiveRequestPageSchema,
  ReceiveRequestSchema,
  ReceiveSchema,
} from './resources/receive-requests/schemas.ts';
export {
  SubscriptionChangeSchema,
  SubscriptionDraftSchema,
  SubscriptionListSchema,
  SubscriptionSchema,
} from './resources/subscriptions/schemas.ts';
