// The verdict on a leg: a run without a test has failed, and under CI so has a test that was
// skipped and may not be.
import type { AllowedSkip } from '../allowed-skips.ts';
import type { Failure, Outcome, Skip } from '../api/strict.ts';

export interface Conditions {
  readonly isCi: boolean;
  /** All files of the leg have run, so each allowed skip must be one of its tests. */
  readonly isWhole: boolean;
  readonly allowed: readonly AllowedSkip[];
}

export interface Verdict {
  readonly passed: number;
  readonly failures: readonly Failure[];
  readonly skipped: readonly Skip[];
}

const isTest = (name: string, { title }: AllowedSkip): boolean =>
  name === title || name.endsWith(` › ${title}`);

/** Judges what a leg reported. */
export function verdictOf(
  leg: string,
  { passed = 0, failures = [], skipped = [], titles = [] }: Partial<Outcome>,
  { isCi, isWhole, allowed }: Conditions,
): Verdict {
  const ofLeg = allowed.filter((entry) => entry.leg === leg);
  const mayBe = ({ name }: Skip): boolean => !isCi || ofLeg.some((entry) => isTest(name, entry));
  const found = [...failures];
  if (passed + failures.length + skipped.length === 0)
    found.push({ name: leg, message: 'it ran without a single test' });
  for (const { name, why } of skipped.filter((skip) => !mayBe(skip)))
    found.push({ name, message: `skipped: ${why}; test/allowed-skips.ts does not list it` });
  for (const entry of isWhole ? ofLeg : [])
    if (!titles.some((title) => isTest(title, entry)))
      found.push({
        name: `test/allowed-skips.ts: ${entry.title}`,
        message: `no test of the leg ${leg} has this title`,
      });
  return { passed, failures: found, skipped: skipped.filter(mayBe) };
}
