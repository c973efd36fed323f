export { isolated, reportUncaught } from './isolated.ts';
export { sameContent } from './same-content.ts';
export {
  type Observer,
  type Unsubscribe,
  type Watch,
  watchClock,
  watchOf,
  type WatchStatus,
} from './watch.ts';
