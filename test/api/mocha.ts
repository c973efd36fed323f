// Node, Deno, Bun and browsers run tests with mocha, whose words are global. In a browser @web/test-runner brings it.
import { checked, lastFailures, makeStrict, Skipped, type Step, type Words } from './strict.ts';

export { type Context, sized, turns } from './strict.ts';

interface MochaContext {
  skip(): never;
  test?: { why?: string };
  runnable(): { currentRetry(): number };
}

interface MochaWords {
  describe(name: string, body: () => void): void;
  it(name: string, body: (this: MochaContext) => void | Promise<void>): void;
  before(step: () => unknown): void;
  after(step: () => unknown): void;
}

const mocha = globalThis as unknown as MochaWords;

function skipOr(context: MochaContext, error: unknown): never {
  if (!(error instanceof Skipped)) throw error;
  if (context.test) context.test.why = error.message;
  return context.skip();
}

const words: Words = {
  describe: (name, body) => mocha.describe(name, body),
  it: (name, body) =>
    mocha.it(name, function () {
      try {
        // A test that passes now and then has failed.
        if (this.runnable().currentRetry() > 0) throw new Error('a test is tried once');
        return body()?.catch((error: unknown) => skipOr(this, error));
      } catch (error) {
        skipOr(this, error);
      }
    }),
};

export const { describe, it, itLong, itWhole, endFile, begin } = makeStrict(words);

/** A step before the first test of its group; outside of groups, before the first test of all files. */
export const before = (step: Step): void => mocha.before(checked(step));
/** A step after the last test of its group; outside of groups, after the last test of all files. */
export const after = (step: Step): void => mocha.after(checked(step));

/** Fails the last step of a runner that does not ask for late failures by itself. */
export async function throwLate(): Promise<void> {
  const limitOfHook = 1;
  const lines = (await lastFailures(limitOfHook)).map(({ name, message }) => `${name}: ${message}`);
  if (lines.length > 0) throw new Error(`errors that no test has thrown\n${lines.join('\n')}`);
}

/** To be called after the last file of a page. */
export function endRun(): void {
  mocha.before(() => begin());
  mocha.after(() => throwLate());
}
