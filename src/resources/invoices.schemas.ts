import * as v from 'valibot';
import { ConversionRateSchema, MoneyDraftSchema, MoneySchema } from './amounts.schemas.ts';
import type {
  Invoice,
  InvoiceDraft,
  InvoiceQuote,
  InvoiceQuoteDraft,
  InvoiceState,
  InvoiceTransaction,
} from './invoices.ts';
import {
  atMost,
  type EntriesOf,
  maybe,
  type ObjectSchema,
  type OpenText,
  openText,
  makePage,
  type SchemaOf,
  type WirePage,
  type DraftSchema,
  TimeSchema,
} from './wire.ts';

/** Validates `InvoiceState`. */
export const InvoiceStateSchema: OpenText<InvoiceState> = openText();

/** Validates the state of a payment toward an invoice. */
export const TransactionStateSchema: OpenText<'PENDING' | 'COMPLETED'> = openText();

const InvoiceTransactionSchema: ObjectSchema<InvoiceTransaction> = v.looseObject<
  EntriesOf<InvoiceTransaction>
>({
  transactionId: v.string(),
  state: TransactionStateSchema,
  amountReceived: MoneySchema,
  created: maybe(TimeSchema),
  completed: maybe(TimeSchema),
});

/** Validates `Invoice` in responses. */
export const InvoiceSchema: ObjectSchema<Invoice> = v.looseObject<EntriesOf<Invoice>>({
  invoiceId: v.string(),
  amount: MoneySchema,
  state: InvoiceStateSchema,
  created: TimeSchema,
  correlationId: maybe(v.string()),
  description: maybe(v.string()),
  issuerId: v.string(),
  receiverId: v.string(),
  payerId: maybe(v.string()),
  transactions: maybe(v.array(InvoiceTransactionSchema)),
});

/** Validates a page of `Invoice`. */
export const InvoicePageSchema: ObjectSchema<WirePage<Invoice>> = makePage(InvoiceSchema);

/** Validates `InvoiceDraft` in requests, including the service's limits. */
export const InvoiceDraftSchema: DraftSchema<InvoiceDraft> = v.strictObject<
  EntriesOf<InvoiceDraft>
>({
  amount: MoneyDraftSchema,
  correlationId: maybe(v.pipe(v.string(), atMost(40))),
  description: maybe(v.string()),
});

/** Validates `InvoiceQuote` in responses. */
export const InvoiceQuoteSchema: ObjectSchema<InvoiceQuote> = v.looseObject<
  EntriesOf<InvoiceQuote>
>({
  quoteId: v.string(),
  description: maybe(v.string()),
  lnInvoice: v.string(),
  onchainAddress: maybe(v.string()),
  expiration: TimeSchema,
  expirationInSec: v.number(),
  targetAmount: MoneySchema,
  sourceAmount: MoneySchema,
  conversionRate: ConversionRateSchema,
});

/** Validates a SHA-256 hash in hex. */
export const HashSchema: SchemaOf<string> = v.pipe(
  v.string(),
  v.regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hex digits'),
);

/** Validates `InvoiceQuoteDraft` in requests, including the service's limits. */
export const InvoiceQuoteDraftSchema: DraftSchema<InvoiceQuoteDraft> = v.strictObject<
  EntriesOf<InvoiceQuoteDraft>
>({
  descriptionHash: maybe(HashSchema),
});
