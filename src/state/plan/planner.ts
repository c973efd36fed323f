import { type Connection, internals, remaining, sentOf } from '../../core/http/index.ts';
import type { WatchContext } from './context.ts';
import { type AnyEntry, isFinal, isSettled } from '../entries/entry.ts';
import { SAFETY_PERIOD } from '../sources/feed.ts';
import { type Candidate, NO_PLAN, UNKNOWN, type WatchPlan, WINDOW } from '../sources/watch-plan.ts';

/** A stretch falls to this part of itself in a minute at most. */
const FALL = 0.8;
/** Another plan must be this much faster, as often in a row, so that plans do not alternate. */
const FASTER = 0.8;
const VOTES = 3;
/** Time between two changes of plan, milliseconds. */
const STAY = 60_000;
/** A change that the feed tells of is read by a second request: it is seen that much later. */
const DETOUR = 1.1;
/** Where all is settled, the feed is polled this much less often. */
const SETTLED = 15;
/** Part of the limit that the caller's lists find free. */
const FOR_LISTS = 0.7;

/**
 * Of polling, the feed and counting, each stretched to fit half the budget, the one that sees
 * soonest. The other half is left to looks and to what the budget does not know of yet.
 */
export function nextPlan(context: WatchContext): WatchPlan {
  const { base, client, counts, entries, feed, plan: before } = context;
  const { rateLimits, rateLimitShare } = client[internals].settings;
  const limit = rateLimits.others.limit * rateLimitShare;
  const now = context.clock.monotonic();
  const half = Math.max(1, budgetOf(client, limit) / 2);
  const all = [...entries.values()].filter(
    (entry) => entry.type.watch.wokenBy !== 'time' && !isFinal(entry),
  );
  const watched = all.filter((entry) => !isSettled(entry));
  const isAllSettled = watched.length === 0;
  // what is settled is not polled: that it was reversed, the feed tells, or a look for safety
  const soonest = watched.length < all.length && feed.isPossible ? SAFETY_PERIOD : 0;
  const candidates = [
    feedPlan(context, half, isAllSettled ? SETTLED : 1),
    ...[counts?.plan(watched, base, half) ?? [], pollingPlan(watched, context, half)]
      .flat()
      .map((plan) => ({ ...plan, delay: Math.max(plan.delay, soonest) })),
  ];
  const current = candidates.find(({ source }) => source === before.source)!;
  const [other] = candidates
    .filter((one) => one !== current)
    .sort((a, b) => (a.delay < b.delay ? -1 : 1)) as [Candidate];
  const votes = other.delay < current.delay * FASTER ? before.votes + 1 : 0;
  const changes = canChange(before, now) && isBetter(other, current, before, votes);
  const { source, inTurn, stretch, cost } = changes ? other : current;
  const steps = changes ? Infinity : (now - before.madeAt) / 60_000;
  return {
    source,
    inTurn,
    stretch: Math.max(stretch, before.stretch * FALL ** steps),
    looks: looksBeside(Math.min(half, cost), half, client, limit),
    madeAt: now,
    changedAt: changes && before !== NO_PLAN ? now : before.changedAt,
    votes: changes ? 0 : votes,
  };
}

function canChange({ source, changedAt }: WatchPlan, now: number): boolean {
  return source?.isPossible === false || now - changedAt >= STAY;
}

function isBetter(other: Candidate, current: Candidate, before: WatchPlan, votes: number): boolean {
  if (before === NO_PLAN || current.delay >= SAFETY_PERIOD) return other.delay < current.delay;
  return votes >= VOTES || (votes > 0 && current.stretch > 1);
}

/** Requests of one window that are left for watches. */
function budgetOf(client: Connection, limit: number): number {
  return remaining(client, 'others') - limit / 10 - sentByOthers(client);
}

function sentByOthers(client: Connection): number {
  return sentOf(client, 'others').length - sentOf(client, 'others', 'normal').length;
}

/** What looks may cost beside a plan of this cost: half the budget, and lists find places too. */
function looksBeside(cost: number, half: number, client: Connection, limit: number): number {
  const free = limit * FOR_LISTS - cost - sentByOthers(client);
  return Math.max(limit / 20, Math.min(half, free));
}

/** All are read in one rhythm: by id where that fits, else in turn. */
function pollingPlan(
  watched: readonly AnyEntry[],
  { base, reader }: WatchContext,
  half: number,
): Candidate {
  const polls = WINDOW / base;
  const cost = reader.cost(watched) * polls;
  const source = undefined;
  if (cost <= half) return { source, inTurn: false, stretch: 1, cost, delay: base };
  const stretch = Math.max(1, (reader.lookCost(watched) * polls * UNKNOWN) / half);
  return { source, inTurn: true, stretch, cost: 0, delay: base * stretch * UNKNOWN };
}

/** The polls, and a read for each change. */
function feedPlan({ base, feed, reader }: WatchContext, half: number, slowest: number): Candidate {
  const { changesPerMs: rate, requests } = feed;
  const reads = Math.min(rate, 1 / base + rate / reader.width);
  const cost = WINDOW * (requests / base + reads);
  const stretch = Math.max(slowest, cost / half);
  const delay = feed.isPossible ? base * stretch * DETOUR : Infinity;
  return { source: feed, inTurn: true, stretch, cost, delay };
}
