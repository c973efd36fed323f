/** What a watch remembers of its failed reads; times are monotonic milliseconds. */
export interface Failures {
  /**
   * Status and code of the failures in a row, with the time of the first one and how many were far
   * enough apart.
   */
  readonly code: string;
  readonly firstAt: number;
  readonly countedAt: number;
  readonly counted: number;
  /** Failures in a row of any kind. */
  readonly inARow: number;
}
