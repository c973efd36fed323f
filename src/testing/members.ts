/**
 * The members to choose of a value that a factory makes; all others get usual values. Objects are
 * chosen member by member, arrays as a whole, and `undefined` leaves an optional member out. A
 * member or text that is not known here passes; the compiler takes an unknown member by a spread:
 * `{ ...{ somethingNew: 1 } }`.
 */
export type Members<T> = T extends string | number | boolean | undefined | readonly unknown[]
  ? T
  : { readonly [Name in keyof T]?: Members<T[Name]> };

/** Which one of its kind is made, and when. */
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

/** An object, and no array. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * A copy of the value with the chosen members in the place of its own. What is undefined is left
 * out, and nothing is shared with another value.
 */
export function merge(value: unknown, members: unknown): unknown {
  if (Array.isArray(members)) return members.map((one) => merge(one, one));
  if (!isPlain(members)) return members;
  const own = isPlain(value) ? value : {};
  const names = new Set([...Object.keys(own), ...Object.keys(members)]);
  const merged = [...names].map((name): [string, unknown] => {
    const chosen = Object.hasOwn(members, name) ? members[name] : own[name];
    return [name, merge(Object.hasOwn(own, name) ? own[name] : undefined, chosen)];
  });
  // not by assignment, so that `__proto__` is a name like any other
  return Object.fromEntries(merged.filter(([, one]) => one !== undefined));
}
