/**
 * The fields that you choose for a created value. All others get typical values. Objects are merged
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
   * Number of the value, which determines its ids, names and times. Defaults to 0. References to
   * other types point to the value with index 0 unless you set them.
   */
  readonly index?: number | undefined;
  /**
   * Creation time of the value with index 0, in milliseconds since 1970. Each further value is
   * created a second later. Defaults to 2026-01-05T09:00:00Z, as in a sandbox.
   */
  readonly startAt?: number | undefined;
}

/**
 * Function that creates a value as the service would send it.
 * @param members the fields that you choose. All others get typical values that match
 * @param options index and creation time of the value
 * @returns a new value, which is always the same for the same arguments
 * @throws InputError for invalid or contradictory fields
 */
export type Maker<T> = (members?: Members<T>, options?: MakeOptions) => T;
