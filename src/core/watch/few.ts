/** Some things, mostly one: without a set until there are two. */
export type Few<T extends object> = T | Set<T> | undefined;

/** With one more. */
export function plus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!few) return one;
  return few instanceof Set ? few.add(one) : new Set([few, one]);
}

/** Without this one; `undefined` where none is left. */
export function minus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!(few instanceof Set)) return few === one ? undefined : few;
  few.delete(one);
  return few.size > 0 ? few : undefined;
}

/** All of them now. */
export function each<T extends object>(few: Few<T>): readonly T[] {
  if (!few) return [];
  return few instanceof Set ? [...few] : [few];
}
