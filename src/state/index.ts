export type { Receives } from '../resources/receive-requests.ts';
export type { WatchOptions } from './watch-options.ts';
export { invalidate } from './invalidate.ts';
export { provide } from './provide.ts';
export type { EmptySnapshot, Freshness, KnownSnapshot, Snapshot } from './entries/snapshot.ts';
export { firstValue, type SettledResult, type WaitOptions, waitUntilSettled } from './waiting.ts';
export * from './watches.ts';
