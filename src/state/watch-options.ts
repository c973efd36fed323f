/** Options of every watch. */
export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `never`: go on after a settled state, for resources that can be reversed. The event feed tells of
   * that; without it the value is read every half hour, and is `stale` in between.
   */
  readonly until?: 'settled' | 'never' | undefined;
}
