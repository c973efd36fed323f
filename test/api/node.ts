// Node, Deno and Bun all bring this module, each with its own runner behind it.
import { it } from 'node:test';

export { describe, it } from 'node:test';

const isBun = 'Bun' in globalThis;
// The machine's own Node may be older than the one of the packages.
const isNode = !isBun && !('Deno' in globalThis) && Number.parseInt(process.versions.node) >= 24;
const isQuick = isNode && 'QUICK_TESTS' in process.env;

/**
 * A test whose length lies in what the project computes and not in what a runtime does: it runs in Node (V8) and in
 * Bun (JavaScriptCore) only, and not in `npm run test:quick`.
 */
export const itLong = (name: string, body: () => void | Promise<void>): void => {
  if ((isNode && !isQuick) || isBun) void it(name, body);
};

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => (isNode ? all : Math.ceil(all / 5));
