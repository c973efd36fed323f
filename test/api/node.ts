// Node, Deno and Bun all bring this module, each with its own runner behind it.
import { it } from 'node:test';

export { after, before, describe, it } from 'node:test';

// The machine's own Node may be older than the one of the packages.
const isNode =
  !('Bun' in globalThis) && !('Deno' in globalThis) && Number.parseInt(process.versions.node) >= 24;
const isQuick = isNode && 'QUICK_TESTS' in process.env; // whoever asks in Deno needs a permission

/**
 * A test whose length lies in what the project computes and not in what a runtime does: it runs in Node only, and not in
 * `npm run test:quick`.
 */
export const itLong = (name: string, body: () => void | Promise<void>): void => {
  if (isNode && !isQuick) void it(name, body);
};

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => (isNode ? all : Math.ceil(all / 5));
