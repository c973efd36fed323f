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
 * Where journals, guards and tokens are kept. A flow asks for `durable` stores: what a crash
 * forgets cannot prove that nothing was sent.
 */
export interface Store {
  /** Whether what it keeps outlives the process; false in memory. */
  readonly durable: boolean;
  /** Whoever made it knows that it forgets: it is taken outside of a sandbox too. */
  readonly mayForget?: boolean | undefined;
  /** What is stored under the key; `undefined` where nothing is. */
  get(key: string): Promise<StoredValue | undefined>;
  /** Writes whatever is there; resolves to the new version. */
  put(key: string, value: unknown): Promise<number>;
  /**
   * Writes only if the stored version is still this one (0: does not exist); resolves to whether it
   * did.
   */
  compareAndSet(key: string, version: number, value: unknown, open?: boolean): Promise<boolean>;
  /**
   * As `compareAndSet`, with statements of the caller in one transaction with it: all of it, or none
   * where it resolves to false. Only stores in SQL databases have it.
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
