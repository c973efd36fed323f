/** One page of a list. */
export interface Page<T> {
  /** The items of this page. */
  readonly items: readonly T[];
  /** How many there are in all, where the service knows. */
  readonly count?: number | undefined;
  /** The service did not count. */
  readonly isCountUnknown?: boolean | undefined;
  /**
   * Where to go on later, as a text to keep: `list(filter, { cursor })`. Of lists in order of time
   * only.
   */
  readonly cursor?: string | undefined;
}

/** How many there are in all, where the service knows. */
export function countOf({
  count,
  isCountUnknown,
}: Omit<Page<unknown>, 'items'>): number | undefined {
  return isCountUnknown ? undefined : count;
}
