import type { Clock } from '../core/time/index.ts';

/** A moment by both clocks of this process. */
export type Moment = readonly [wall: number, monotonic: number];

/** How many things are remembered: more than are in use; what is forgotten counts as new. */
const MOST = 8;

/** How old things are, as far as one process can know. */
export interface Ages {
  moment(): Moment;
  /** Notes since when a thing is known. */
  note(name: string, at: Moment): Moment;
  /** Since when it is known; if it was not, since now. */
  since(name: string): Moment;
  /** Milliseconds since then. */
  passed(from: Moment): number;
}

/**
 * Ages are counted on this process's own clocks from when it first saw a thing. A time that another
 * process wrote says nothing here: its clock may be hours away. So a thing is never younger than is
 * said here, and may be older.
 */
export function agesOf(clock: Clock): Ages {
  const seen = new Map<string, Moment>();
  const moment = (): Moment => [clock.now(), clock.monotonic()];

  function note(name: string, at: Moment): Moment {
    if (seen.size === MOST) seen.clear();
    seen.set(name, at);
    return at;
  }

  return {
    moment,
    note,
    since: (name: string): Moment => seen.get(name) ?? note(name, moment()),
    /**
     * The larger of two: a wall clock can be set back, the other one may stand still while the
     * machine sleeps.
     */
    passed: ([wall, monotonic]: Moment): number =>
      Math.max(clock.now() - wall, clock.monotonic() - monotonic),
  };
}
