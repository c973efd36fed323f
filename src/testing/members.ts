/**
 * The fields you choose for a created value. All others get usual values. Objects are merged field
 * by field, arrays are replaced, and `undefined` omits an optional field. Unknown fields and values
 * are allowed. To satisfy the compiler, spread an unknown field: `{ ...{ somethingNew: 1 } }`.
 */
export type Members<T> = T extends string | number | boolean | undefined | readonly unknown[]
  ? T
  : { readonly [Name in keyof T]?: Members<T[Name]> };

/** Index of a created value, and its time. */
export interface MakeOptions {
  /**
   * 0 (default), 1, 2, … Changes ids, names and times. References point to the first value of their
   * type unless you set another one.
   */
  readonly index?: number | undefined;
  /**
   * Creation time of index 0 in milliseconds since 1970. The others follow one second apart.
   * Defaults to 2026-01-05T09:00:00Z, as in a sandbox.
   */
  readonly startAt?: number | undefined;
}

/**
 * Creates one type of value as the service would send it.
 *
 * @param members the chosen fields. All others get usual values that match
 * @param options its index and time
 * @returns a new value, with the same content for the same arguments
 * @throws InputError for impossible fields
 */
export type Maker<T> = (members?: Members<T>, options?: MakeOptions) => T;
