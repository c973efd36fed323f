// The runner of workerd, which no published one runs in: tests are collected while their files load, and run one after
// the other.
import {
  countWithout,
  type Failure,
  lastFailures,
  makeStrict,
  type Outcome,
  secondsByFile,
  type Skip,
  Skipped,
} from './strict.ts';

export { type Context, sized, turns } from './strict.ts';

type Work = () => void | Promise<void>;

const groups: string[] = [];
const tests: { readonly name: string; readonly work: Work }[] = [];

const strict = makeStrict({
  describe(name, body) {
    groups.push(name);
    body();
    groups.pop();
  },
  it: (name, work) => void tests.push({ name: [...groups, name].join(' › '), work }),
});
export const { describe, it, itLong, itWhole, endFile } = strict;

const tooLong = (longest: number): { late: Promise<never>; stop(): void } => {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not settled after ${longest} ms`)), longest);
  });
  return { late, stop: () => clearTimeout(timer) };
};

/** Runs what was collected; a test may take `longest` milliseconds. */
export async function runCollected(longest: number): Promise<Outcome> {
  strict.begin();
  const passed: string[] = [];
  const skipped: Skip[] = [];
  const failures: Failure[] = [];
  for (const { name, work } of tests) {
    const limit = tooLong(longest);
    try {
      await Promise.race([work(), limit.late]);
      passed.push(name);
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      if (error instanceof Skipped) skipped.push({ name, why: error.message });
      else failures.push({ name, message });
    } finally {
      limit.stop();
    }
  }
  const late = await lastFailures();
  return {
    passed: countWithout(passed, late),
    failures: [...failures, ...late],
    skipped,
    titles: tests.map(({ name }) => name),
    seconds: secondsByFile(),
  };
}
