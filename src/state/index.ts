export { hubOf, type WatchOptions } from './hub.ts';
export { invoiceKind, watchInvoice } from './invoice.ts';
export type { Freshness, Seen } from './seen.ts';
export { hint, told } from './doors.ts';
