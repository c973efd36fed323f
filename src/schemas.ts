export { type Drift, refuseDrift, reportDrift } from './resources/drift.ts';
export { ConversionRateSchema, CurrencySchema, MoneyDraftSchema, MoneySchema } from './resources/amounts/schemas.ts';
export { EventPageSchema, EventSchema } from './resources/events/schemas.ts';
export {
  InvoiceDraftSchema, InvoicePageSchema, InvoiceQuoteDraftSchema, InvoiceQuoteSchema, InvoiceSchema,
} from './resources/invoices/schemas.ts';
export {
  SubscriptionChangeSchema, SubscriptionDraftSchema, SubscriptionListSchema, SubscriptionSchema,
} from './resources/subscriptions/schemas.ts';
