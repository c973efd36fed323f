export { each, type Few, minus, plus } from './few.ts';
export type { IdleCheckout, IdleSnapshot } from './idle.ts';
export { isolated, reportUncaught } from './isolated.ts';
export { sameContent } from './same-content.ts';
export {
  type Observer,
  type Retry,
  type Unsubscribe,
  type Watch,
  watchClock,
  watchOf,
  type WatchSource,
  type WatchStatus,
  type Work,
} from './watch.ts';
