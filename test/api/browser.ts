// @web/test-runner puts mocha's words on the page.
type Declare = (name: string, body: () => void | Promise<void>) => void;
const page = globalThis as unknown as { describe: Declare; it: Declare };

export const describe: Declare = (name, body) => page.describe(name, body);
export const it: Declare = (name, body) => page.it(name, body);

/**
 * A test whose length lies in what the project computes and not in what a runtime does: it runs in Node only, and not in
 * `npm run test:quick`.
 */
export const itLong: Declare = () => {};

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => Math.ceil(all / 5);
