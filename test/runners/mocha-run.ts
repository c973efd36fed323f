// Runs what has been declared to an instance of mocha, and tells the outcome. Bundled for runtimes other than Node.
import { writeFileSync } from 'node:fs';
import { begin } from '../api/mocha.ts';
import {
  beginStep,
  countWithout,
  type Failure,
  lastFailures,
  type Outcome,
  secondsByFile,
  sized,
  type Skip,
} from '../api/strict.ts';

interface Runnable {
  readonly title: string;
  readonly type: string;
  readonly why?: string;
  titlePath(): string[];
}

interface Runner {
  readonly uncaught: (error: unknown) => void;
  readonly unhandled: (error: unknown) => void;
  on(event: 'pass' | 'pending', listener: (test: Runnable) => void): Runner;
  on(event: 'fail', listener: (test: Runnable, error: Error) => void): Runner;
  on(event: 'hook', listener: (hook: Runnable) => void): Runner;
  on(event: 'start', listener: () => void): Runner;
}

/** An instance of mocha, of whichever build. */
export interface Mocha {
  readonly suite: { emit(event: string, ...values: unknown[]): void };
  run(done: () => void): Runner;
}

// Ends tests that hang. A whole run plays years and hundreds of pages, on machines of any speed.
const LONGEST_TEST_MS = sized(90_000, 600_000);

/** Options of instances. */
export const OPTIONS = {
  ui: 'bdd',
  timeout: LONGEST_TEST_MS,
  forbidOnly: true,
  fullTrace: true,
  reporter: class {
    // what happens is heard from the runner
  },
};

/** Puts mocha's words on `globalThis` for the files that are loaded next. */
export const openFile = (mocha: Mocha, file: string): void =>
  mocha.suite.emit('pre-require', globalThis, file, mocha);

const nameOf = (test: Runnable): string => test.titlePath().join(' › ');

/** Runs all tests. */
async function runAll(mocha: Mocha): Promise<Outcome> {
  const titles: string[] = [];
  const passed: string[] = [];
  const skipped: Skip[] = [];
  const failures: Failure[] = [];
  begin();
  await new Promise<void>((resolve) => {
    const runner = mocha.run(resolve);
    const seen = (test: Runnable): string => {
      const name = nameOf(test);
      if (test.type === 'test') titles.push(name);
      return name;
    };
    runner
      .on('start', () => {
        // An error that nobody caught is counted by `stray`, which knows the test that started it.
        (globalThis as { process?: NodeJS.Process }).process
          ?.off('uncaughtException', runner.uncaught)
          .off('unhandledRejection', runner.unhandled);
        if ('Deno' in globalThis) globalThis.onerror = null;
      })
      .on('hook', (hook) => beginStep(nameOf(hook)))
      .on('pass', (test) => passed.push(seen(test)))
      .on('pending', (test) => skipped.push({ name: seen(test), why: test.why ?? 'no reason' }))
      .on('fail', (test, error) =>
        failures.push({ name: seen(test), message: error.stack ?? error.message }),
      );
  });
  const late = await lastFailures();
  return {
    passed: countWithout(passed, late),
    failures: [...failures, ...late],
    skipped,
    titles,
    seconds: secondsByFile(),
  };
}

/** Runs all tests and writes the outcome; the process ends. */
export async function reportTo(file: string, mocha: Mocha): Promise<never> {
  const outcome = await runAll(mocha);
  writeFileSync(file, JSON.stringify(outcome));
  process.exit(outcome.failures.length > 0 ? 1 : 0);
}
