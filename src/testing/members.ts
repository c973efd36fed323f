/**
 * The members that you choose of a made value. All others get usual values. Objects are chosen
 * member by member, arrays as a whole, and `undefined` leaves an optional member out. Unknown
 * members and texts are allowed. For the compiler, spread an unknown member: `{ ...{ somethingNew:
 * 1 } }`.
 */
export type Members<T> = T extends string | number | boolean | undefined | readonly unknown[]
  ? T
  : { readonly [Name in keyof T]?: Members<T[Name]> };

/** The index of a made value, and its time. */
export interface MakeOptions {
  /**
   * 0 (default), 1, 2, …: changes ids, names and times. References point to the first of their kind
   * unless you name another one.
   */
  readonly index?: number | undefined;
  /**
   * Creation time of index 0 in milliseconds since 1970. The others follow one second apart.
   * Default 2026-01-05T09:00:00Z, as in a sandbox.
   */
  readonly startAt?: number | undefined;
}

/**
 * Creates one kind of value as the service would send it.
 *
 * @param members the chosen members; all others get usual values that match
 * @param options its index and time
 * @returns a new value, the same for the same arguments
 * @throws InputError with the impossible members
 */
export type Maker<T> = (members?: Members<T>, options?: MakeOptions) => T;
