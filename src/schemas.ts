export { type Drift, refuseDrift, reportDrift } from './resources/drift.ts';
export { ConversionRateSchema, CurrencySchema, MoneyDraftSchema, MoneySchema, SpendDraftSchema } from './resources/amounts/schemas.ts';
export { EventPageSchema, EventSchema } from './resources/events/schemas.ts';
export {
  InvoiceDraftSchema, InvoicePageSchema, InvoiceQuoteDraftSchema, InvoiceQuoteSchema, InvoiceSchema,
} from './resources/invoices/schemas.ts';
export {
  BeneficiarySchema, LightningQuoteDraftSchema, LnurlDetailsSchema, LnurlQuoteDraftSchema, OnchainQuoteDraftSchema, OnchainTiersDraftSchema,
  OnchainTiersSchema, PaymentQuoteSchema,
} from './resources/payment-quotes/schemas.ts';
export { PaymentSchema } from './resources/payments/schemas.ts';
export {
  ReceivePageSchema, ReceiveRequestDraftSchema, ReceiveRequestPageSchema, ReceiveRequestSchema, ReceiveSchema,
} from './resources/receive-requests/schemas.ts';
export {
  SubscriptionChangeSchema, SubscriptionDraftSchema, SubscriptionListSchema, SubscriptionSchema,
} from './resources/subscriptions/schemas.ts';
