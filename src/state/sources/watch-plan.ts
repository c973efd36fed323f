import type { FeedSource } from './feed.ts';

/** Length of the window that costs are counted in: that of the limit, and a little, milliseconds. */
export const WINDOW = 630_000;
/** A value is `live` for at most this long after the start of a read that brought it, milliseconds. */
export const LIVE_MS = 30_000;
/** Of more watches than this the feed may confirm values too. */
export const MANY = 1_000;
/** How long a value is `live` then, milliseconds: reads in turn come round within this. */
export const LIVE_BY_FEED_MS = 180_000;

/**
 * How long a value is `live` that our own relay covers, milliseconds: its room confirms once a
 * minute, and the page reads where two minutes bring no confirmation.
 */
export const LIVE_BY_RELAY_MS = 150_000;

/** Entries that a list can hold, and those that are read one by one. */
export type Lane = 'listed' | 'alone';

/** How the entries of a lane are read in turn. Milliseconds. */
export interface LanePlan {
  /** Time between two requests while first reads and changes wait, and while nothing waits. */
  readonly every: number;
  readonly idleEvery: number;
  /** How long it takes to read each of them once. */
  readonly round: number;
  /** Each is read often enough to be live. */
  readonly isInTime: boolean;
}

/** `polling`: each is read in one rhythm · `turns`: one page after another · `feed`: both beside it. */
type PlanKind = 'polling' | 'turns' | 'feed';

/** How changes are noticed, and values confirmed. Times in monotonic milliseconds. */
export interface WatchPlan {
  readonly kind: PlanKind;
  /** The feed, where it is polled. */
  readonly source: FeedSource | undefined;
  /** Every period is multiplied by this, so that the requests fit the budget. */
  readonly stretch: number;
  readonly lanes: Readonly<Record<Lane, LanePlan>>;
  /** There are so many that the feed confirms values too. */
  readonly isMany: boolean;
  /** Requests of a window for first reads, changes and what a gap left open. */
  readonly looks: number;
  readonly madeAt: number;
  readonly changedAt: number;
  /** How often in a row another plan was the better one. */
  readonly votes: number;
}

/** A way to notice changes, stretched to fit the budget, and how late it sees. */
export interface Candidate
  extends Pick<WatchPlan, 'kind' | 'source' | 'stretch' | 'lanes' | 'looks'> {
  readonly delay: number;
}

/** A lane that holds nothing, or whose entries are polled. */
export const NO_LANE: LanePlan = { every: Infinity, idleEvery: Infinity, round: 0, isInTime: true };

/** Nothing is watched yet. */
export const NO_PLAN: WatchPlan = {
  kind: 'polling',
  source: undefined,
  stretch: 1,
  lanes: { listed: NO_LANE, alone: NO_LANE },
  isMany: false,
  looks: 0,
  madeAt: -Infinity,
  changedAt: -Infinity,
  votes: 0,
};
