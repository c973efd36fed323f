export type { WatchOptions } from './hub.ts';
export { watchInvoice } from './invoice.ts';
export type { Freshness, Seen } from './seen.ts';
export { hint, told } from './doors.ts';
