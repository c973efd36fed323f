// The rooms of src, with the tests that judge each. A test of another room may notice more, but takes its time from
// every mutant that survives.
import { globSync } from 'node:fs';

export interface Room {
  readonly name: string;
  /** Sources, as globs. */
  readonly files: readonly string[];
  /** Tests that judge them, as globs. */
  readonly tests: readonly string[];
}

const unit = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/unit/${name}/**/*.test.ts`);

const room = (name: string, tests: readonly string[], files = [`src/${name}/**/*.ts`]): Room => ({
  name,
  files,
  tests,
});

export const ROOMS: readonly Room[] = [
  room('core', unit('core', 'mistakes', 'resources')),
  room('resources', unit('resources', 'receive-requests', 'payments', 'subscriptions', 'bank')),
  room('state', unit('state', 'rx')),
  room('flows', unit('flows')),
  room('webhooks', unit('webhooks')),
  room('relay', unit('relay')),
  room('host', ['test/long/host*.test.ts']),
  room('stores', unit('stores', 'webhooks')),
  room('oauth', unit('oauth')),
  room('lightning', unit('lightning')),
  room('money', unit('money')),
  room('elements', unit('elements')),
  room('devtools', unit('devtools')),
  room('rx', unit('rx', 'state')),
  room('messages', unit('flows', 'elements')),
  room('sandbox', unit('sandbox', 'contract')),
  room('testing', unit('testing')),
  room('doctor', unit('doctor')),
];

/** The paths that globs name, in a fixed order; declarations are no code. */
export const pathsOf = (root: string, globs: readonly string[]): readonly string[] =>
  globSync([...globs], { cwd: root })
    .filter((path) => !path.endsWith('.d.ts'))
    .sort();
