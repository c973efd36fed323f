export { untilSettled, values } from './operators.ts';
export { schedulerOf } from './scheduler.ts';
export * from './watches.ts';
export type { ListSnapshot, Snapshot, WatchOptions } from '../state/index.ts';
