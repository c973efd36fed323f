/**
 * The members to choose of a value that a factory makes; all others get usual values. Objects are
 * chosen member by member, arrays as a whole, and `undefined` leaves an optional member out. A
 * member or text that is not known here passes; the compiler takes an unknown member by a spread:
 * `{ ...{ somethingNew: 1 } }`.
 */
export type Members<T> = T extends string | number | boolean | undefined | readonly unknown[]
  ? T
  : { readonly [Name in keyof T]?: Members<T[Name]> };

/** The number of its kind that is made, and its time. */
export interface MakeOptions {
  /**
   * 0 (default), 1, 2, …: ids, names and times differ by it. What a value refers to is the first of
   * its kind, unless it is named.
   */
  readonly index?: number | undefined;
  /**
   * When the one with index 0 was created, milliseconds since 1970; the others follow a second
   * apart. 2026-01-05T09:00:00Z, as in a sandbox.
   */
  readonly startAt?: number | undefined;
}

/**
 * Makes one kind of value as the service would send it.
 *
 * @param members what is to be chosen; all others get usual values that fit
 * @param options which one of its kind, and when
 * @returns a new value, the same for the same arguments
 * @throws InputError naming the members that such a value cannot have
 */
export type Maker<T> = (members?: Members<T>, options?: MakeOptions) => T;
