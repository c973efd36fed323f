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
  array,
  draft,
  maybe,
  openText,
  type OpenText,
  pageOf,
  response,
  type SchemaOf,
  type WirePage,
  withLength,
  withPattern,
} from './shape.ts';

/** Schema of `InvoiceState`: texts that are new pass. */
export const InvoiceStateSchema: OpenText<InvoiceState> = openText();

/** Schema of the state of a payment towards an invoice: texts that are new pass. */
export const TransactionStateSchema: OpenText<'PENDING' | 'COMPLETED'> = openText();

const InvoiceTransactionSchema: SchemaOf<InvoiceTransaction> = response<InvoiceTransaction>({
  transactionId: v.string(),
  state: TransactionStateSchema,
  amountReceived: MoneySchema,
  created: maybe(v.string()),
  completed: maybe(v.string()),
});

/** Schema of `Invoice`, as the service sends it: members that are new pass. */
export const InvoiceSchema: SchemaOf<Invoice> = response<Invoice>({
  invoiceId: v.string(),
  amount: MoneySchema,
  state: InvoiceStateSchema,
  created: v.string(),
  correlationId: maybe(v.string()),
  description: maybe(v.string()),
  issuerId: v.string(),
  receiverId: v.string(),
  payerId: maybe(v.string()),
  transactions: maybe(array(InvoiceTransactionSchema)),
});

/** A page of a list of `Invoice`, as the service sends it. */
export const InvoicePageSchema: SchemaOf<WirePage<Invoice>> = pageOf(InvoiceSchema);

/** Schema of `InvoiceDraft`, which is sent: what the service bounds is checked. */
export const InvoiceDraftSchema: SchemaOf<InvoiceDraft> = draft<InvoiceDraft>({
  amount: MoneyDraftSchema,
  correlationId: maybe(withLength(0, 40)),
  description: maybe(withLength(0, 200)),
});

/** Schema of `InvoiceQuote`, as the service sends it: members that are new pass. */
export const InvoiceQuoteSchema: SchemaOf<InvoiceQuote> = response<InvoiceQuote>({
  quoteId: v.string(),
  description: maybe(v.string()),
  lnInvoice: v.string(),
  onchainAddress: maybe(v.string()),
  expiration: v.string(),
  expirationInSec: v.number(),
  targetAmount: MoneySchema,
  sourceAmount: MoneySchema,
  conversionRate: ConversionRateSchema,
});

/** SHA-256 in hex. */
export const HashSchema: SchemaOf<string> = withPattern(
  /^[0-9a-fA-F]{64}$/,
  'must be 64 hex digits',
);

/** Schema of `InvoiceQuoteDraft`, which is sent: what the service bounds is checked. */
export const InvoiceQuoteDraftSchema: SchemaOf<InvoiceQuoteDraft> = draft<InvoiceQuoteDraft>({
  descriptionHash: maybe(HashSchema),
});
