export { durableObjectStore } from './durable-object.ts';
export { durableObjectInbox } from './durable-object-inbox.ts';
export type {
  Added,
  Arrival,
  ArrivalKey,
  ArrivalKind,
  Counts,
  InboxStore,
  Mark,
  Parked,
  Work,
} from './inbox.ts';
export { memoryStore } from './memory.ts';
export { type MemoryInbox, memoryInbox, type MemoryTransaction } from './memory-inbox.ts';
export type { Row, Store } from './store.ts';
