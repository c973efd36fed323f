// Node, Deno and Bun all bring this module, each with its own runner behind it.
export { describe, it } from 'node:test';
