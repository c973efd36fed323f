import type { WatchContext } from './context.ts';
import { type AnyEntry, isFinal, isSettled } from '../entries/entry.ts';
import { nextOnGrid, periodOf } from './grid.ts';
import type { ChangeSource } from '../sources/source.ts';

/**
 * When an entry is read next; monotonic. `Infinity` where a source tells of its changes, or where it
 * is settled and there is no feed: then it is only read again for safety. What has failed is read
 * until it succeeds.
 */
export function nextReadAt(entry: AnyEntry, context: WatchContext): number {
  const source = coverOf(entry, context);
  const { base, clock, feed, plan } = context;
  const { failures, bornAt, type } = entry;
  const isAtRest = isFinal(entry) || (isSettled(entry) && plan.source !== feed);
  if (isAtRest && !failures) return Infinity;
  if (source) return source.nextReadAt(entry)!;
  if (!failures && plan.source?.isAwaitedBy(entry)) return Infinity;
  const isTimed = type.watch.wokenBy === 'time';
  const age = isTimed ? clock.monotonic() - bornAt : 0;
  const period = periodOf(base, age, failures?.inARow ?? 0) * (isTimed ? 1 : plan.stretch);
  return onGrid(period, context);
}

/**
 * When the source of the plan is polled next; monotonic. After a poll that has failed it is as soon
 * as can be.
 */
export function nextPollAt(context: WatchContext, hasFailed: boolean): number {
  const { base, clock, phase, plan } = context;
  const period = hasFailed ? base : base * plan.stretch;
  return nextOnGrid(clock.monotonic(), period, phase, base);
}

/** The first source that tells of the changes of this entry. */
export function coverOf(entry: AnyEntry, { relay, plan }: WatchContext): ChangeSource | undefined {
  if (entry.readAt === undefined || entry.failures) return undefined;
  return [relay, plan.source].find((source) => source?.nextReadAt(entry) !== undefined);
}

/** The source that the plan polls tells of the changes of this entry, and no other does. */
export function isLeftToPlan(entry: AnyEntry, context: WatchContext): boolean {
  const source = coverOf(entry, context);
  return source !== undefined && source === context.plan.source;
}

function onGrid(period: number, { clock, phase }: WatchContext): number {
  return nextOnGrid(clock.monotonic(), period, phase);
}
