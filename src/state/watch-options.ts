/** Options of every watch. */
export interface WatchOptions {
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * `never`: go on after a settled state, without reads of its own, for resources that can be
   * reversed.
   */
  readonly until?: 'settled' | 'never' | undefined;
}
