// The rooms of src, with the tests that judge each. A test of another room may notice more, but takes its time from
// every mutant that survives.
import { globSync } from 'node:fs';

export interface Room {
  readonly name: string;
  /** Sources, as globs. */
  readonly files: readonly string[];
  /** Tests that judge them, as globs. */
  readonly tests: readonly string[];
  /** The code runs in pages or in processes of their own. */
  readonly isElsewhere: boolean;
  /** Nobody knows which test comes by a mutant: each is played by all of them. */
  readonly isUnknown: boolean;
}

const unit = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/unit/${name}/**/*.test.ts`);

const room = (name: string, tests: readonly string[]): Room => ({
  name,
  files: [`src/${name}/**/*.ts`],
  tests,
  isElsewhere: tests.some((test) => /^test\/(e2e|long)\//.test(test)),
  isUnknown: tests.some((test) => test.startsWith('test/prove/')),
});

export const ROOMS: readonly Room[] = [
  room('core', unit('core', 'mistakes', 'resources')),
  room('resources', unit('resources', 'receive-requests', 'payments', 'subscriptions', 'bank')),
  room('state', unit('state', 'rx')),
  room('flows', [...unit('flows'), 'test/house/pay-transitions.test.ts']),
  room('webhooks', unit('webhooks')),
  room('relay', [...unit('relay'), 'test/long/{relay-!(worlds),rows-groups}.test.ts']),
  room('host', ['test/long/host.test.ts', 'test/long/host-address.test.ts']),
  room('stores', [
    ...unit('stores', 'webhooks'),
    'test/long/{durable-inbox,rows-groups,relay-store}.test.ts',
  ]),
  room('oauth', unit('oauth')),
  room('lightning', unit('lightning')),
  room('money', unit('money')),
  room('elements', [
    ...unit('elements'),
    'test/e2e/checkout-{element,edges,panels,button,order}.test.ts',
  ]),
  room('devtools', [...unit('devtools'), 'test/e2e/devtools.test.ts']),
  room('rx', unit('rx', 'state')),
  room('react', ['test/prove/mutate/react.test.ts']),
  room('vue', ['test/prove/mutate/vue.test.ts']),
  room('messages', unit('flows', 'elements')),
  room('sandbox', unit('sandbox', 'contract')),
  room('testing', unit('testing')),
  room('doctor', unit('doctor')),
  room('cli', ['test/e2e/{commands,sandbox-server,sandbox-state,pay-command,terminal}.test.ts']),
];

/** The paths that globs name, in a fixed order; declarations are no code. */
export const pathsOf = (root: string, globs: readonly string[]): readonly string[] =>
  globSync([...globs], { cwd: root })
    .filter((path) => !path.endsWith('.d.ts'))
    .sort();
