// The choice of tests for each runtime. All of them run in Node. The other runtimes leave out files
// whose first line says why they compute the same everywhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const NODE_ONLY = /^\/\/ Node only: /;

/** The files that run in every runtime. */
export const inEveryRuntime = (root: string, files: readonly string[]): readonly string[] =>
  files.filter((file) => !NODE_ONLY.test(readFileSync(join(root, file), 'utf8')));
