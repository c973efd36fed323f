// workerd has no test runner: tests are collected while the module loads and run inside a request,
// because timers, fetch and randomness exist only there.
import { runAll as runCollected } from './collected.ts';

export { describe, it } from './collected.ts';

const LONGEST_TEST = 30_000;

/**
 * A test whose length lies in what the project computes and not in what a runtime does: it runs in Node only, and not in
 * `npm run test:quick`.
 */
export const itLong = (_name: string, _body: () => void | Promise<void>): void => {};

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => Math.ceil(all / 5);

export const runAll = () => runCollected(LONGEST_TEST);
