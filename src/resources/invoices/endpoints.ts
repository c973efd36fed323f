import { LIST_QUERY, type ListQuery, type Page } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import type { Invoice, InvoiceDraft, InvoiceId, InvoiceQuote, InvoiceQuoteDraft } from './model.ts';
import {
  InvoiceDraftSchema,
  InvoicePageSchema,
  InvoiceQuoteDraftSchema,
  InvoiceQuoteSchema,
  InvoiceSchema,
} from './schemas.ts';

/** POST /v1/invoices @source documented */
export const create: Endpoint<{}, InvoiceDraft, Invoice> = {
  operation: 'invoices.create',
  method: 'POST',
  path: '/v1/invoices',
  scope: 'partner.invoice.create',
  bucket: 'invoices',
  idempotency: 'client-id',
  statuses: [201, 200],
  input: InvoiceDraftSchema,
  output: InvoiceSchema,
  agrees: { exact: { correlationId: 'correlationId' }, amount: { amount: 'amount' } },
  original: { code: 'DUPLICATE_INVOICE', id: 'correlationId', by: 'list' },
};

/** POST /v1/invoices/handle/{handle} @source public */
export const createFor: Endpoint<{ handle: string }, InvoiceDraft, Invoice> = {
  operation: 'invoices.createFor',
  method: 'POST',
  path: '/v1/invoices/handle/{handle}',
  scope: 'partner.invoice.create-for-receiver',
  bucket: 'invoices',
  idempotency: 'client-id',
  statuses: [201, 200],
  input: InvoiceDraftSchema,
  output: InvoiceSchema,
  agrees: { exact: { correlationId: 'correlationId' }, amount: { amount: 'amount' } },
  original: { code: 'DUPLICATE_INVOICE', id: 'correlationId', by: 'list' },
};

/** GET /v1/invoices/{invoiceId} @source documented */
export const get: Endpoint<
  { invoiceId: InvoiceId; includeTransactions?: true | undefined },
  void,
  Invoice
> = {
  operation: 'invoices.get',
  method: 'GET',
  path: '/v1/invoices/{invoiceId}',
  scope: 'partner.invoice.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: InvoiceSchema,
  query: { includeTransactions: 'includeTransactions' },
  echo: { invoiceId: 'invoiceId' },
};

/** GET /v1/invoices @source documented */
export const list: Endpoint<ListQuery, void, Page<Invoice>> = {
  operation: 'invoices.list',
  method: 'GET',
  path: '/v1/invoices',
  scope: 'partner.invoice.read',
  bucket: 'others',
  priority: 'low',
  idempotency: 'safe',
  statuses: [200],
  output: InvoicePageSchema,
  query: LIST_QUERY,
};

/** PATCH /v1/invoices/{invoiceId}/cancel @source documented */
export const cancel: Endpoint<{ invoiceId: InvoiceId }, void, Invoice> = {
  operation: 'invoices.cancel',
  method: 'PATCH',
  path: '/v1/invoices/{invoiceId}/cancel',
  scope: 'partner.invoice.cancel',
  bucket: 'others',
  idempotency: 'same-request',
  statuses: [200],
  output: InvoiceSchema,
  echo: { invoiceId: 'invoiceId' },
  original: { code: 'INVALID_STATE_FOR_INVOICE_CANCELLED', id: 'invoiceId', by: 'get' },
};

/** POST /v1/invoices/{invoiceId}/quote @source documented */
export const quote: Endpoint<{ invoiceId: InvoiceId }, InvoiceQuoteDraft, InvoiceQuote> = {
  operation: 'invoices.quote',
  method: 'POST',
  path: '/v1/invoices/{invoiceId}/quote',
  scope: 'partner.invoice.quote.generate',
  bucket: 'invoice-quotes',
  idempotency: 'pure',
  statuses: [201, 200],
  input: InvoiceQuoteDraftSchema,
  output: InvoiceQuoteSchema,
};
