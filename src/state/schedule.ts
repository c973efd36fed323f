import type { WatchContext } from './context.ts';
import { type AnyEntry, isSettled, isUpToDate } from './entry.ts';
import { nextOnGrid, periodOf } from './grid.ts';
import type { WatchPlan } from './planner.ts';
import type { ChangeSource } from './sources/source.ts';

/** When an entry is read next if no source tells of a change; monotonic. */
export function nextReadAt(entry: AnyEntry, { stretch }: WatchPlan, context: WatchContext): number {
  if (isSettled(entry)) return Infinity;
  const { base, clock, page } = context;
  const { failures, bornAt, type } = entry;
  const shortest = type.watch.wokenBy === 'time' ? base : base * stretch;
  const period =
    (isUpToDate(entry) && coverOf(entry, context)?.safetyPeriod(entry)) ||
    periodOf(shortest, clock.monotonic() - bornAt, failures?.inARow ?? 0, page.isHidden());
  return onGrid(period, context);
}

/** When the feed is polled next; monotonic. */
export function nextPollAt({ stretch }: WatchPlan, context: WatchContext): number {
  return onGrid(context.base * stretch, context);
}

/** The first source that tells of the changes of this entry. */
export function coverOf(entry: AnyEntry, { relay, feed }: WatchContext): ChangeSource | undefined {
  return [relay, feed].find((source) => source?.safetyPeriod(entry));
}

function onGrid(period: number, { clock, phase }: WatchContext): number {
  return nextOnGrid(clock.monotonic(), period, phase);
}
