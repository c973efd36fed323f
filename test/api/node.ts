// Node, Deno and Bun all bring this module, each with its own runner behind it.
export { describe, it } from 'node:test';

const isNode = !('Deno' in globalThis) && !('Bun' in globalThis);

/** How many turns a long test takes here: all of them in Node, a fifth elsewhere, for no engine changes what is drawn. */
export const turns = (all: number): number => (isNode ? all : Math.ceil(all / 5));
