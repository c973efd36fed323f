// Node without node:test, which keeps a record of every promise while tests run: a third of the time of tests in
// virtual time. `npm test` asks for this module by the condition `collected`.
import { writeFileSync } from 'node:fs';
import { fail, it, runAll } from './collected.ts';

export { after, before, describe, it } from './collected.ts';

const LONGEST_TEST = 90_000;

// The machine's own Node may be older than the one of the packages.
const isNewest = Number.parseInt(process.versions.node) >= 24;

/**
 * A test whose length lies in what the project computes and not in what a runtime does: it runs in Node only, and not in
 * `npm run test:quick`.
 */
export const itLong: typeof it = (name, body) => {
  if (isNewest && !('QUICK_TESTS' in process.env)) it(name, body);
};

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => (isNewest ? all : Math.ceil(all / 5));

/** Runs all tests and writes what came of them. What is thrown where no test waits is the fault of the one that runs. */
export async function reportTo(file: string): Promise<never> {
  process.on('uncaughtException', (error) => fail(error)); // rejections that nobody waits for, too
  writeFileSync(file, JSON.stringify(await runAll(LONGEST_TEST)));
  process.exit();
}
