export type { LightningInvoice } from './invoice.ts';
export { decodeInvoice, isInvoiceExpired } from './invoice.ts';
export type { InvoiceFields } from './invoice-fields.ts';
export type { Fallback, RouteHop } from './invoice-parts.ts';
export { invoiceLink, invoiceQrText } from './invoice-text.ts';
export type { Network } from './networks.ts';
