export type { WatchOptions } from './hub.ts';
export { watchInvoice } from './invoice.ts';
export { watchPayment } from './payment.ts';
export { type Receives, watchReceives } from './receives.ts';
export type { Freshness, Seen } from './seen.ts';
export { hint, told } from './doors.ts';
