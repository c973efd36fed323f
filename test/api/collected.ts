// Tests are collected while their files load, and run afterwards, one after the other.
export interface Context {
  /** What a test of a thing that this machine does not have says before it returns. */
  skip(why: string): void;
}

type Body = (context: Context) => void | Promise<void>;
type Step = () => void | Promise<void>;

export interface Failure {
  readonly name: string;
  readonly message: string;
}

export interface Outcome {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

const groups: string[] = [];
const tests: { readonly name: string; readonly body: Body }[] = [];
const first: Step[] = [];
const last: Step[] = [];
const failures: Failure[] = [];
let current = 'before the first test';

export function describe(name: string, body: () => void): void {
  groups.push(name);
  body();
  groups.pop();
}

export function it(name: string, body: Body): void {
  tests.push({ name: [...groups, name].join(' › '), body });
}

/** A step before the first test of all files. */
export const before = (step: Step): void => void first.push(step);
/** A step after the last test of all files. */
export const after = (step: Step): void => void last.push(step);

/** Counts an error against the test that runs: one that is thrown where no test waits for it, too. */
export const fail = (error: unknown, name = current): void =>
  void failures.push({
    name,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });

const tooLong = (longest: number): { late: Promise<never>; stop(): void } => {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not settled after ${longest} ms`)), longest);
  });
  return { late, stop: () => clearTimeout(timer) };
};

const run = async (name: string, body: Body, longest: number): Promise<void> => {
  current = name;
  const limit = tooLong(longest);
  try {
    await Promise.race([body({ skip: () => {} }), limit.late]);
  } catch (error) {
    fail(error);
  } finally {
    limit.stop();
  }
};

/** Runs what was collected; a test may take `longest` milliseconds. */
export async function runAll(longest: number): Promise<Outcome> {
  for (const step of first) await run('before the first test', step, longest);
  for (const { name, body } of tests) await run(name, body, longest);
  for (const step of last) await run('after the last test', step, longest);
  await new Promise((resolve) => setTimeout(resolve)); // rejections that nobody waits for are told by now
  const failed = new Set(failures.map(({ name }) => name));
  return { passed: tests.filter(({ name }) => !failed.has(name)).length, failures };
}
