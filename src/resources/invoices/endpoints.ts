import { LIST_QUERY, type ListQuery, type Page } from '../../core/lists/index.ts';
import type { Endpoint } from '../../core/http/index.ts';
import { commanding, reading } from '../rows.ts';
import type { Invoice, InvoiceDraft, InvoiceId, InvoiceQuote, InvoiceQuoteDraft } from './model.ts';
import {
  InvoiceDraftSchema,
  InvoicePageSchema,
  InvoiceQuoteDraftSchema,
  InvoiceQuoteSchema,
  InvoiceSchema,
} from './schemas.ts';

/** The two ways to create one. */
function creating<Where>(path: string, scope: string): Endpoint<Where, InvoiceDraft, Invoice> {
  return commanding(
    'POST',
    path,
    scope,
    [201, 200],
    'client-id',
    InvoiceDraftSchema,
    InvoiceSchema,
    {
      bucket: 'invoices',
      echo: { correlationId: 'correlationId' },
      original: { code: 'DUPLICATE_INVOICE', id: 'correlationId', by: 'list' },
    },
  );
}

/** @source seed */
export const create: Endpoint<{}, InvoiceDraft, Invoice> = creating(
  '/v1/invoices',
  'partner.invoice.create',
);

/** @source public */
export const createFor: Endpoint<{ handle: string }, InvoiceDraft, Invoice> = creating(
  '/v1/invoices/handle/{handle}',
  'partner.invoice.create-for-receiver',
);

/** @source seed */
export const get: Endpoint<
  { invoiceId: InvoiceId; includeTransactions?: true | undefined },
  void,
  Invoice
> = reading('/v1/invoices/{invoiceId}', 'partner.invoice.read', InvoiceSchema, {
  echo: { invoiceId: 'invoiceId' },
  query: { includeTransactions: 'includeTransactions' },
});

/** @source seed */
export const list: Endpoint<ListQuery, void, Page<Invoice>> = reading(
  '/v1/invoices',
  'partner.invoice.read',
  InvoicePageSchema,
  { query: LIST_QUERY },
);

/** @source seed */
export const cancel: Endpoint<{ invoiceId: InvoiceId }, void, Invoice> = commanding(
  'PATCH',
  '/v1/invoices/{invoiceId}/cancel',
  'partner.invoice.cancel',
  [200],
  'same-request',
  undefined,
  InvoiceSchema,
  {
    echo: { invoiceId: 'invoiceId' },
    original: { code: 'INVALID_STATE_FOR_INVOICE_CANCELLED', id: 'invoiceId', by: 'get' },
  },
);

/** @source seed */
export const quote: Endpoint<{ invoiceId: InvoiceId }, InvoiceQuoteDraft, InvoiceQuote> =
  commanding(
    'POST',
    '/v1/invoices/{invoiceId}/quote',
    'partner.invoice.quote.generate',
    [201, 200],
    'pure',
    InvoiceQuoteDraftSchema,
    InvoiceQuoteSchema,
    { bucket: 'invoice-quotes' },
  );
