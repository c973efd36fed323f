/** Length of the window that costs are counted in, seconds: that of the limit for reads. */
const T = 600;
/** Every watch is read this often even when the feed says nothing, seconds. */
export const SAFETY = 1_800;

export type PlanName = 'poll' | 'feed';

export interface Load {
  /** Watches that can be read in lists, by period in seconds. */
  readonly listed: ReadonlyMap<number, number>;
  /** Watches that are read one by one, by period in seconds. */
  readonly single: ReadonlyMap<number, number>;
  /** How many ids a list takes. */
  readonly width: number;
  /** Base period in seconds. */
  readonly base: number;
  /** Requests of one feed poll. */
  readonly feedRequests: number;
  /** Hints a second that concern watched entities. */
  readonly hints: number;
  readonly feedPossible: boolean;
  /** Requests of one window that watches may use. */
  readonly budget: number;
}

export interface Plan {
  readonly name: PlanName;
  /** Requests in a window before stretching. */
  readonly cost: number;
  /** Every period is multiplied by this. */
  readonly stretch: number;
}

/** Picks the cheaper way to look at everything, and how much slower it must go to fit the budget. */
export function planFor(load: Load): Plan {
  const poll = pollCost(load);
  const feed = load.feedPossible ? feedCost(load) : Infinity;
  const cost = Math.min(poll, feed);
  return { name: feed < poll ? 'feed' : 'poll', cost, stretch: Math.max(1, cost / Math.max(1, load.budget)) };
}

function pollCost({ listed, single, width }: Load): number {
  let cost = 0;
  for (const [period, watches] of listed) cost += (Math.ceil(watches / width) * T) / period;
  for (const [period, watches] of single) cost += (watches * T) / period;
  return cost;
}

function feedCost({ listed, single, width, base, feedRequests, hints }: Load): number {
  const sum = (counts: Iterable<number>) => [...counts].reduce((a, b) => a + b, 0);
  const safety = ((Math.ceil(sum(listed.values()) / width) + sum(single.values())) * T) / SAFETY;
  return (feedRequests * T) / base + T * Math.min(hints, 1 / base + hints / width) + safety;
}
