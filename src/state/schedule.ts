import { type AnyEntry, isSettled } from './entry.ts';
import { nextOnGrid, periodOf } from './grid.ts';
import type { Source } from './sources/source.ts';

/** What the times of reads depend on. Times are monotonic milliseconds. */
export interface Schedule {
  readonly now: number;
  /** Shortest period of a watch. */
  readonly base: number;
  /** Where the grid of this client lies. */
  readonly phase: number;
  readonly stretch: number;
  readonly isHidden: boolean;
  readonly sources: readonly Source[];
}

/** When an entry is read next if no source tells of a change. */
export function nextReadAt(entry: AnyEntry, schedule: Schedule): number {
  if (isSettled(entry)) return Infinity;
  return nextOnGrid(schedule.now, readPeriod(entry, schedule), schedule.phase);
}

/** When the feed is polled next. */
export function nextPollAt({ now, base, stretch, phase }: Schedule): number {
  return nextOnGrid(now, base * stretch, phase);
}

/** A resource that was read well and that a source covers is read rarely, others by age and failures. */
function readPeriod(entry: AnyEntry, { now, base, stretch, isHidden, sources }: Schedule): number {
  const { failures, readAt, bornAt, type } = entry;
  const age = now - bornAt;
  const covered =
    failures.inARow === 0 && readAt !== undefined
      ? coverOf(entry, age, sources)?.period
      : undefined;
  const shortest = type.watch.wokenBy === 'time' ? base : base * stretch;
  return covered ?? periodOf(shortest, age, failures.inARow, isHidden);
}

/** The first source that tells of the changes of this entry. */
export function coverOf(
  entry: AnyEntry,
  age: number,
  sources: readonly Source[],
): { readonly name: string; readonly period: number } | undefined {
  for (const source of sources) {
    const period = source.safetyPeriod(entry, age);
    if (period !== undefined) return { name: source.name, period };
  }
  return undefined;
}
