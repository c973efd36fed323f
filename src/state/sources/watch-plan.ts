import type { PolledSource } from './polled.ts';

/** Length of the window that costs are counted in: that of the limit for reads, milliseconds. */
export const WINDOW = 600_000;
/** What a window of creation holds beside what is watched is not known: it may take that longer. */
export const UNKNOWN = 1.2;

/** How changes are noticed. Times in monotonic milliseconds. */
export interface WatchPlan {
  /** What is polled for changes of many; absent where each is read. */
  readonly source: PolledSource | undefined;
  /** What the source does not cover waits for a look one after another; else it is read at once. */
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

/** A way to notice changes, stretched to fit: requests of a window, and how late it sees. */
export interface Candidate extends Pick<WatchPlan, 'source' | 'inTurn' | 'stretch'> {
  readonly cost: number;
  readonly delay: number;
}

/** Nothing is watched yet. */
export const NO_PLAN: WatchPlan = {
  source: undefined,
  inTurn: false,
  stretch: 1,
  looks: 0,
  madeAt: -Infinity,
  changedAt: -Infinity,
  votes: 0,
};
