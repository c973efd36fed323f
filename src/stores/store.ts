import { badInput, checkOptions, type Expected } from '../core/errors/index.ts';
import type { SqlStatement } from './drivers.ts';

/**
 * A stored value with the number of its version, for compare-and-set: each write makes it one more,
 * and no number comes twice.
 */
export interface StoredValue<T = unknown> {
  /** A copy of what was written: changing it changes nothing in the store. */
  readonly value: T;
  /** 1 for the first write; give it to `compareAndSet`. */
  readonly version: number;
}

/**
 * Keeps journals, guards and tokens. A flow asks for `durable` stores: what a crash
 * forgets cannot prove that nothing was sent.
 */
export interface Store {
  /** True if what it keeps outlives the process; false in memory. */
  readonly durable: boolean;
  /** Whoever made it knows that it forgets: it is taken outside of a sandbox too. */
  readonly mayForget?: boolean | undefined;
  /** The value that is stored under the key; `undefined` where there is none. */
  get(key: string): Promise<StoredValue | undefined>;
  /** Writes whatever is there; resolves to the new version. */
  put(key: string, value: unknown): Promise<number>;
  /**
   * Writes only if the stored version is still this one (0: does not exist); resolves to whether it
   * did.
   */
  compareAndSet(key: string, version: number, value: unknown, open?: boolean): Promise<boolean>;
  /**
   * As `compareAndSet`, with statements of the caller in one transaction with it: all of it, or
   * none where it resolves to false. Only stores in SQL databases have it.
   */
  compareAndSetWith?(
    key: string,
    version: number,
    value: unknown,
    statements: readonly SqlStatement[],
  ): Promise<boolean>;
  /** Values that were last written with `open`, in order of their keys. */
  listOpen(prefix: string): Promise<readonly { readonly key: string; readonly row: StoredValue }[]>;
}

/** A store's statement of how long it keeps what it is given. */
interface Lasting {
  readonly durable: boolean;
  /** Whoever made it knows that it forgets. */
  readonly mayForget?: boolean | undefined;
}

/**
 * The store. Throws InputError for a store that a crash empties: what it held is then lost, as
 * `loss` says. Taken are such stores where `mayForget` was said, and beside a sandbox: its name is
 * one that no network has (RFC 2606).
 */
export function checkLasting<T extends Lasting>(
  store: T,
  url: string | URL,
  field: string,
  loss: string,
): T {
  if (store.durable || store.mayForget || new URL(url).hostname.endsWith('.invalid')) return store;
  throw badInput(field, `must be durable outside a sandbox: ${loss}; or set mayForget: true`);
}

/** The text of a value, which `JSON.parse` gives back. What JSON would change is refused. */
export function formatJson(value: unknown): string {
  if (!isPlain(value))
    throw badInput('value', 'must be plain JSON: a store cannot keep anything else');
  return JSON.stringify(value);
}

/** Members that are `undefined` count as absent. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return Array.from(value).every(isPlain);
  if (!isPlainObject(value)) return false;
  return Object.values(value).every((member) => member === undefined || isPlain(member));
}

/** Tells whether an object is plain, be it of this page or of another one. */
function isPlainObject(value: object): boolean {
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** A value, with whether it is open. */
interface MemoryRow extends StoredValue {
  readonly open: boolean;
}

/** Options of a store in memory. */
export interface MemoryStoreOptions {
  /**
   * You know that everything in it is lost with the process. Outside of a sandbox it is refused
   * otherwise.
   */
  readonly mayForget?: boolean | undefined;
}

export const MEMORY_OPTIONS: Expected<MemoryStoreOptions> = { mayForget: 'boolean' };

/**
 * A store in memory, for tests and sandboxes: it forgets everything with the process and says so.
 * Outside of a sandbox `pay` and `createLogin` take it only with `mayForget`.
 *
 * @param options `mayForget`: you know that it forgets
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
