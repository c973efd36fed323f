import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import type { SqlStatement } from './drivers.ts';

/**
 * A stored value with its version, for compare-and-set. Each write increases the version by one. A
 * version is never used twice.
 */
export interface StoredValue<T = unknown> {
  /** A copy of the stored value. Changes to it don't affect the store. */
  readonly value: T;
  /** The version to pass to `compareAndSet`, which is 1 after the first write. */
  readonly version: number;
}

/**
 * Stores journals, guards and tokens. Payments require a `durable` store. Without one, a restarted
 * process couldn't find out whether it had already sent a payment.
 */
export interface Store {
  /** Whether the data outlives the process. False for an in-memory store. */
  readonly durable: boolean;
  /**
   * Whether the application accepts the loss of data. If so, the store can be used outside a
   * sandbox even if it isn't durable.
   */
  readonly mayForget?: boolean | undefined;
  /** Returns the value for a key, or `undefined` if there's none. */
  get(key: string): Promise<StoredValue | undefined>;
  /** Writes a value without checking its version. Resolves to the new version. */
  put(key: string, value: unknown): Promise<number>;
  /**
   * Writes a value only if the stored version is still `version`. Pass 0 if there's no value yet.
   * Resolves to whether it was written.
   */
  compareAndSet(key: string, version: number, value: unknown, open?: boolean): Promise<boolean>;
  /**
   * Like `compareAndSet`, but also runs the caller's statements in the same transaction. If this
   * resolves to false, none of them ran. Only available for stores in SQL databases.
   */
  compareAndSetWith?(
    key: string,
    version: number,
    value: unknown,
    statements: readonly SqlStatement[],
  ): Promise<boolean>;
  /** Returns the values that were last written with `open` set, sorted by key. */
  listOpen(prefix: string): Promise<readonly { readonly key: string; readonly row: StoredValue }[]>;
}

interface Lasting {
  readonly durable: boolean;
  readonly mayForget?: boolean | undefined;
}

/**
 * Returns the store. Throws InputError if the store would lose its data in a crash. `loss`
 * describes the consequences. A store with `mayForget` is accepted, and so is every store for a
 * sandbox. A sandbox is recognized by its host name, which doesn't exist in any network (RFC 2606).
 */
export function checkLasting<T extends Lasting>(
  store: T,
  url: string | URL,
  field: string,
  loss: string,
): T {
  if (store.durable || store.mayForget || new URL(url).hostname.endsWith('.invalid')) return store;
  throw badInput(
    field,
    `must be durable outside a sandbox: ${loss}; or create the store with mayForget: true`,
  );
}

/** Returns a value as a JSON string. Throws for values that JSON can't represent exactly. */
export function formatJson(value: unknown): string {
  if (!isPlain(value))
    throw badInput('value', "must be plain JSON: a store can't hold anything else");
  return JSON.stringify(value);
}

/** Returns whether a value is plain JSON. Properties that are `undefined` count as absent. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return Array.from(value).every(isPlain);
  if (!isPlainObject(value)) return false;
  return Object.values(value).every((member) => member === undefined || isPlain(member));
}

/** Returns whether a value is a plain object, which can come from this page or a different one. */
function isPlainObject(value: object): boolean {
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

interface MemoryRow extends StoredValue {
  readonly open: boolean;
}

/** Options for an in-memory store. */
export interface MemoryStoreOptions {
  /**
   * Confirms that all data may be lost when the process ends. If absent, the store is rejected
   * outside a sandbox.
   */
  readonly mayForget?: boolean | undefined;
}

export const MEMORY_OPTIONS: Expected<MemoryStoreOptions> = { mayForget: 'boolean' };

/**
 * Creates an in-memory store, for tests and sandboxes. All data is lost when the process ends, so
 * `durable` is false. Outside a sandbox, `pay` and `createLogin` only accept it with `mayForget`.
 *
 * @param options `mayForget` confirms that data is lost when the process ends
 *
 * @example
 * const store = memoryStore();
 */
export function memoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions(options, MEMORY_OPTIONS);
  const rows = new Map<string, MemoryRow>();
  const readVersion = (key: string): number => rows.get(key)?.version ?? 0;
  const write = (key: string, value: unknown, open: boolean): number => {
    const version = readVersion(key) + 1;
    rows.set(key, { value: structuredClone(value), version, open });
    return version;
  };
  const read = (key: string): StoredValue | undefined => {
    const row = rows.get(key);
    return row && { value: structuredClone(row.value), version: row.version };
  };
  return {
    durable: false,
    mayForget: options.mayForget,
    async get(key) {
      return read(key);
    },
    async put(key, value) {
      return write(key, value, rows.get(key)?.open ?? false);
    },
    async compareAndSet(key, version, value, open = false) {
      if (readVersion(key) !== version) return false;
      write(key, value, open);
      return true;
    },
    async listOpen(prefix) {
      const open = [...rows.keys()].filter((key) => rows.get(key)!.open && key.startsWith(prefix));
      return open.sort().map((key) => ({ key, row: read(key)! }));
    },
  };
}
