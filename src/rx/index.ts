export { events } from './events.ts';
export { fromWatch } from './from-watch.ts';
export { untilFinal, values } from './operators.ts';
export { schedulerOf } from './scheduler.ts';
export { watchInvoice, watchPayment, watchReceives } from './watches.ts';
export type { Seen, WatchOptions } from '../state/index.ts';
