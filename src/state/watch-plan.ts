/** How changes are noticed. Times in monotonic milliseconds. */
export interface WatchPlan {
  /** By the event feed; else by polling. */
  readonly byFeed: boolean;
  /** Polling: the watches wait for a look one after another; else all are read at once. */
  readonly inTurn: boolean;
  /** Every period is multiplied by this, so that the requests fit half the budget. */
  readonly stretch: number;
  /** Requests of a window for looks beside the plan: first ones, after gaps, for safety. */
  readonly looks: number;
  readonly madeAt: number;
  readonly changedAt: number;
  /** How often in a row the other plan was the better one. */
  readonly votes: number;
}

/** Nothing is watched yet. */
export const NO_PLAN: WatchPlan = {
  byFeed: false,
  inTurn: false,
  stretch: 1,
  looks: 0,
  madeAt: -Infinity,
  changedAt: -Infinity,
  votes: 0,
};
