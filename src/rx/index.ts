export { untilSettled, values } from './operators.ts';
export { schedulerOf } from './scheduler.ts';
export * from './watches.ts';
export type { Snapshot, WatchOptions } from '../state/index.ts';
