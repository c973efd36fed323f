export { events } from './events.ts';
export { fromWatch } from './from-watch.ts';
export { untilFinal, values } from './operators.ts';
export { schedulerOf } from './scheduler.ts';
export {
  watchBalances, watchBankMethod, watchDeposit, watchExchangeQuote, watchInvoice, watchOriginator, watchPayment, watchPayout, watchReceives, watchTicker,
} from './watches.ts';
export type { Seen, WatchOptions } from '../state/index.ts';
