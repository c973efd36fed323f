export { durableObjectStore } from './durable-object.ts';
export { durableObjectRateLimitStore, RateLimitObject } from './durable-object-rate-limit-store.ts';
export { durableObjectInboxStore } from './durable-object-inbox-store.ts';
export type {
  AddResult,
  ReceivedEvent,
  ReceivedEventKey,
  ReceivedEventKind,
  InboxCounts,
  InboxStore,
  Commit,
  DeadLetter,
  Lease,
} from './inbox-store.ts';
export type {
  RateLimitCounter,
  RateLimitCounts,
  RateLimitPlace,
  RateLimitStore,
  RatePlaces,
} from '../core/http/index.ts';
export { indexedDbInboxStore, indexedDbStore } from './indexed-db.ts';
export type { KeyedInboxStore } from './logged-inbox-store.ts';
export { memoryRateLimitStore } from './memory-rate-limit-store.ts';
export { rateLimitStoreOf } from './rate-limit-store.ts';
export { memoryStore, type MemoryStoreOptions } from './memory.ts';
export {
  type MemoryInboxStore,
  memoryInboxStore,
  type MemoryTransaction,
} from './memory-inbox-store.ts';
export {
  d1Driver,
  type D1Database,
  durableObjectDriver,
  type DurableObjectStorage,
  type SqlBatchOptions,
  type SqlConnection,
  type SqlDriver,
  SqlError,
  type SqliteDatabase,
  sqliteDriver,
  type SqlRow,
  type SqlStatement,
  type SqlText,
} from './drivers.ts';
export {
  type PgClient,
  type PgConnection,
  type PgPool,
  type PostgresqlDriver,
  postgresqlDriver,
  type PostgresqlOptions,
  type PostgresSql,
} from './postgresql-driver.ts';
export { sqlInboxStore, type SqlTransaction } from './sql-inbox-store.ts';
export { sqlStore } from './sql-store.ts';
export { sqlMigration, type SqlStoreOptions } from './sql-tables.ts';
export type { StoredValue, Store } from './store.ts';
