import { type Connection, internals, sentOf } from '../core/http/index.ts';
import type { WatchContext } from './context.ts';
import { type AnyEntry, isSettled } from './entry.ts';
import { periodOf } from './grid.ts';
import { SAFETY_PERIOD } from './sources/feed.ts';

/** Length of the window that costs are counted in: that of the limit for reads, milliseconds. */
const WINDOW = 600_000;
/** Changes per millisecond and watch that are expected before any were counted. */
const EXPECTED_CHANGES = 1e-8;

/** How changes are noticed. */
export interface WatchPlan {
  /** By the event feed, which is the cheaper way; else by polling. */
  readonly byFeed: boolean;
  /** Every period is multiplied by this, so that the requests fit the rate limit. */
  readonly stretch: number;
}

/** Nothing is watched yet. */
export const NO_PLAN: WatchPlan = { byFeed: false, stretch: 1 };

/** Weighs polling against the feed, and stretches the cheaper one to fit the rate limit. */
export function plan(
  context: WatchContext,
  before: WatchPlan,
  entries: readonly AnyEntry[],
): WatchPlan {
  const watched = entries.filter(
    (entry) => !isSettled(entry) && entry.type.watch.wokenBy !== 'time',
  );
  const polling = pollingCost(watched, context);
  const feeding = context.feed.isPossible ? feedCost(watched, context, before) : Infinity;
  const cost = Math.min(polling, feeding);
  return {
    byFeed: feeding < polling,
    stretch: Math.max(1, cost / Math.max(1, budgetOf(context.client))),
  };
}

/** Requests of one window that are left for watches. */
function budgetOf(client: Connection): number {
  const { rateLimits, rateLimitShare } = client[internals].settings;
  const { limit } = rateLimits.others;
  const others = sentOf(client, 'others').length - sentOf(client, 'others', 'normal').length;
  return limit * rateLimitShare - Math.max(20, limit / 10) - others;
}

/** Entries of one period share their reads. */
function pollingCost(
  watched: readonly AnyEntry[],
  { base, clock, page, reader }: WatchContext,
): number {
  const now = clock.monotonic();
  const periods = watched.map(({ bornAt }) => periodOf(base, now - bornAt, 0, page.isHidden()));
  let cost = 0;
  for (const period of new Set(periods))
    cost += (reader.cost(watched.filter((_, at) => periods[at] === period)) * WINDOW) / period;
  return cost;
}

/** The polls, a read for each change, and the safety reads. */
function feedCost(
  watched: readonly AnyEntry[],
  { base, clock, reader, feed }: WatchContext,
  { byFeed }: WatchPlan,
): number {
  const rate = byFeed
    ? feed.changes / Math.max(1_000, clock.monotonic() - feed.startedAt)
    : EXPECTED_CHANGES * watched.length;
  const reads = Math.min(rate, 1 / base + rate / reader.width);
  return WINDOW * (feed.requests / base + reads + reader.cost(watched) / SAFETY_PERIOD);
}
