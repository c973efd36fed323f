export type { Receives } from '../resources/receive-requests.ts';
export * from './lists.ts';
export type {
  EmptySnapshot,
  Freshness,
  KnownSnapshot,
  Snapshot,
  WatchOptions,
} from './snapshot.ts';
export { invalidate, provide } from './tell.ts';
export { firstValue, type SettledResult, type WaitOptions, waitUntilSettled } from './waiting.ts';
export * from './watches.ts';
