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
  type SqlRun,
  type SqlStatement,
  type SqlText,
} from './drivers.ts';
export {
  type AddResult,
  type Commit,
  type DeadLetter,
  type InboxCounts,
  type InboxStore,
  type Lease,
  type MemoryInboxStore,
  memoryInboxStore,
  type MemoryTransaction,
  type ReceivedEvent,
  type ReceivedEventKey,
  type ReceivedEventKind,
} from './inbox-store.ts';
export { indexedDbStore } from './indexed-db.ts';
export {
  type PgClient,
  type PgConnection,
  type PgPool,
  type PostgresqlDriver,
  postgresqlDriver,
  type PostgresqlOptions,
  type PostgresSql,
} from './postgresql-driver.ts';
export type {
  RateLimitCounter,
  RateLimitCounts,
  RateLimitPlace,
  RateLimitStore,
  RatePlaces,
} from '../core/http/index.ts';
export {
  durableObjectRateLimitStore,
  memoryRateLimitStore,
  RateLimitObject,
  rateLimitStoreOf,
  type SqlRateLimitOptions,
  sqlRateLimitStore,
} from './rate-limits.ts';
export { sqlInboxStore, type SqlTransaction } from './sql-inbox-store.ts';
export { sqlMigration, sqlStore, type SqlStoreOptions } from './sql-store.ts';
export { memoryStore, type MemoryStoreOptions, type Store, type StoredValue } from './store.ts';
