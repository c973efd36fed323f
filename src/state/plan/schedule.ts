import type { WatchContext } from './context.ts';
import { type AnyEntry, isFinal } from '../entries/entry.ts';
import { nextOnGrid, periodOf } from './grid.ts';
import type { Lane } from '../sources/watch-plan.ts';

/**
 * When an entry is read next by itself; monotonic. `Infinity` where it is read in turn, or nothing
 * can change it any more. What has failed is read until it succeeds.
 */
export function nextReadAt(entry: AnyEntry, context: WatchContext): number {
  const { base, clock, phase, plan, relay } = context;
  const { failures, bornAt, type } = entry;
  if (isFinal(entry) && !failures) return Infinity;
  const told = isLive(entry) ? relay?.nextReadAt(entry) : undefined;
  if (told !== undefined) return told;
  const isTimed = type.watch.wokenBy === 'time';
  if (!failures && !isTimed && plan.kind !== 'polling') return Infinity;
  const age = isTimed ? clock.monotonic() - bornAt : 0;
  const stretch = isTimed || plan.kind !== 'polling' ? 1 : plan.stretch;
  const period = periodOf(base, age, failures?.inARow ?? 0) * stretch;
  return nextOnGrid(clock.monotonic(), period, phase);
}

function isLive({ readAt, failures }: AnyEntry): boolean {
  return readAt !== undefined && !failures;
}

/** When the feed is polled next; monotonic. After a poll that has failed it is as soon as can be. */
export function nextPollAt(context: WatchContext, hasFailed: boolean): number {
  const { base, clock, phase, plan } = context;
  const period = hasFailed ? base : base * plan.stretch;
  return nextOnGrid(clock.monotonic(), period, phase, base);
}

/** Our own relay tells of the changes of this entry. */
export function isRelayed(entry: AnyEntry, { relay }: WatchContext): boolean {
  return isLive(entry) && relay?.nextReadAt(entry) !== undefined;
}

/** Where it is read in turn. */
export function laneOf(entry: AnyEntry, { reader }: WatchContext): Lane {
  return reader.isListed(entry) ? 'listed' : 'alone';
}

/** There are many, the feed tells of its changes, and so it is read in turn less often. */
export function isLeftToFeed(entry: AnyEntry, { plan, relay }: WatchContext): boolean {
  if (!plan.isMany || !isLive(entry) || relay?.nextReadAt(entry) !== undefined) return false;
  return plan.source?.covers(entry) === true;
}
