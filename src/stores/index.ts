export { memoryStore } from './memory.ts';
export type { Row, Store } from './store.ts';
