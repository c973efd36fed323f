export { isolated, reportUncaught } from './isolated.ts';
export { type Observer, type Unsubscribe, type Watch, watchOf, type WatchStatus } from './watch.ts';
