// A plan draws a schedule from a seed, plays it and judges it.

/** The results of one or more lives of a kind. */
export interface Played {
  /** Row of the table. */
  readonly row: string;
  /** Lives that were played at once; one unless it is given. */
  readonly lives?: number;
  readonly counts: Readonly<Record<string, number>>;
  /** The faults; empty where all is well. */
  readonly problems: readonly string[];
}

/** Part of the lives that the table shows, and what is demanded of it, in percent. */
export interface Share {
  readonly name: string;
  /** Name of the count that it is a part of. */
  readonly of: string;
  readonly least?: number;
  readonly most?: number;
  /** Rows of which it is demanded; otherwise of all together. */
  readonly rows?: readonly string[];
}

export interface Plan<Schedule> {
  /** Groups of faults, by the names that `--faults` takes. */
  readonly groups: readonly string[];
  /** Lives of one schedule. */
  readonly livesEach: number;
  readonly shares: readonly Share[];
  /** The schedule of a seed with these groups of faults only. */
  scheduleOf(seed: number, faults: readonly string[]): Schedule;
  play(schedule: Schedule): Promise<Played>;
  /** Smaller schedules, the smallest steps last. */
  smaller(schedule: Schedule): Iterable<Schedule>;
  /** A test that brings it back. */
  testOf(schedule: Schedule, problem: string): string;
}

/** A plan whose schedules are its own business. */
export interface AnyPlan {
  readonly groups: readonly string[];
  readonly livesEach: number;
  readonly shares: readonly Share[];
  begin(seed: number, faults: readonly string[]): Life;
}

/** One schedule of a plan. */
export interface Life {
  /** The schedule as JSON. */
  readonly text: string;
  play(): Promise<Played>;
  smaller(): Iterable<Life>;
  testOf(problem: string): string;
}

/** Hides what the schedules of a plan are. */
export function anyPlan<Schedule>(plan: Plan<Schedule>): AnyPlan {
  const lifeOf = (schedule: Schedule): Life => ({
    get text() {
      return JSON.stringify(schedule, null, 2);
    },
    play: () => plan.play(schedule),
    *smaller() {
      for (const one of plan.smaller(schedule)) yield lifeOf(one);
    },
    testOf: (problem) => plan.testOf(schedule, problem),
  });
  const { groups, livesEach, shares } = plan;
  return {
    groups,
    livesEach,
    shares,
    begin: (seed, faults) => lifeOf(plan.scheduleOf(seed, faults)),
  };
}

/** The text of a test that plays a schedule of `test/prove/simulate/FILE.ts`; it belongs into test/long/. */
export const testText = (
  subject: string,
  file: string,
  schedule: object,
  problem: string,
): string => `
import { expect } from 'chai';
import { describe, it } from '#test';
import { play } from '../prove/simulate/${file}.ts';

describe('${subject}', () => {
  it('do not end with: ${problem}', async () => {
    const { problems } = await play(${JSON.stringify(schedule)});
    expect(problems).to.deep.equal([]);
  });
});
`;
