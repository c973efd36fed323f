/**
 * The fields that you set on a created value. All others get typical values. Objects are merged
 * field by field, arrays are replaced, and `undefined` omits an optional field. Unknown fields and
 * values are allowed. To pass an unknown field in TypeScript, spread it: `{ ...{ somethingNew: 1 }
 * }`.
 */
export type Members<T> = T extends string | number | boolean | undefined | readonly unknown[]
  ? T
  : { readonly [Name in keyof T]?: Members<T[Name]> };

/** Options for creating a value, such as its index. */
export interface MakeOptions {
  /**
   * The value's index, which determines its ids, names and times. Defaults to 0. References to
   * other resources point to those with index 0 unless you set them.
   */
  readonly index?: number | undefined;
  /**
   * Creation time of the value with index 0, in milliseconds since 1970. Each subsequent value is
   * created a second later. Defaults to 2026-01-05T09:00:00Z, as in a sandbox.
   */
  readonly startAt?: number | undefined;
}

/**
 * Function that creates a value like those that the service returns.
 * @param members the fields that you choose. All others get typical values that match
 * @param options the value's index and creation time
 * @returns a new value, which is always the same for the same arguments
 * @throws InputError for invalid or contradictory fields
 */
export type Maker<T> = (members?: Members<T>, options?: MakeOptions) => T;
