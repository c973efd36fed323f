/** What `useInvoice` says while it has no client or no invoice: nothing is asked. */
export interface IdleSnapshot {
  /** Absent: there is nothing to read. */
  readonly value?: undefined;
  /** Absent: there is nothing to read. */
  readonly asOf?: undefined;
  /** Absent: there is nothing to read. */
  readonly error?: undefined;
  /** There is no client or no invoice yet. */
  readonly freshness: 'idle';
}

/** What `useCheckout` says while it has no client or no invoice: nothing is asked. */
export interface IdleCheckout {
  /** There is no client or no invoice yet. */
  readonly phase: 'idle';
}
