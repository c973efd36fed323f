import { LIST_QUERY, type ListQuery, type Page } from '../../core/list.ts';
import type { Row } from '../../core/row.ts';
import { shapeOf } from '../shape.ts';
import type { Invoice, InvoiceDraft, InvoiceId, InvoiceQuote, InvoiceQuoteDraft } from './model.ts';
import { InvoiceDraftSchema, InvoicePageSchema, InvoiceQuoteDraftSchema, InvoiceQuoteSchema, InvoiceSchema } from './schemas.ts';

/** @source seed */
export const create: Row<{}, InvoiceDraft, Invoice> = {
  method: 'POST',
  path: '/v1/invoices',
  scope: 'partner.invoice.create',
  statuses: [201, 200],
  input: shapeOf(InvoiceDraftSchema),
  output: shapeOf(InvoiceSchema),
  group: 'invoices',
  repeat: 'own-id',
  original: { code: 'DUPLICATE_INVOICE', id: 'correlationId', by: 'list' },
};

/** @source seed */
export const find: Row<{ invoiceId: InvoiceId; includeTransactions?: true | undefined }, void, Invoice> = {
  method: 'GET',
  path: '/v1/invoices/{invoiceId}',
  scope: 'partner.invoice.read',
  statuses: [200],
  query: { includeTransactions: 'includeTransactions' },
  output: shapeOf(InvoiceSchema),
  group: 'others',
  repeat: 'read',
};

/** @source seed */
export const list: Row<ListQuery, void, Page<Invoice>> = {
  method: 'GET',
  path: '/v1/invoices',
  scope: 'partner.invoice.read',
  statuses: [200],
  query: LIST_QUERY,
  output: shapeOf(InvoicePageSchema),
  group: 'others',
  repeat: 'read',
};

/** @source seed */
export const cancel: Row<{ invoiceId: InvoiceId }, void, Invoice> = {
  method: 'PATCH',
  path: '/v1/invoices/{invoiceId}/cancel',
  scope: 'partner.invoice.cancel',
  statuses: [200],
  output: shapeOf(InvoiceSchema),
  group: 'others',
  repeat: 'by-id',
  original: { code: 'INVALID_STATE_FOR_INVOICE_CANCELLED', id: 'invoiceId', by: 'find' },
};

/** @source seed */
export const quote: Row<{ invoiceId: InvoiceId }, InvoiceQuoteDraft, InvoiceQuote> = {
  method: 'POST',
  path: '/v1/invoices/{invoiceId}/quote',
  scope: 'partner.invoice.quote.generate',
  statuses: [201, 200],
  input: shapeOf(InvoiceQuoteDraftSchema),
  output: shapeOf(InvoiceQuoteSchema),
  group: 'invoice-quotes',
  repeat: 'pure',
};
