// The rooms of src, with the tests that judge each. A test of another room may notice more, but
// takes its time from every mutant that survives.
import { globSync } from 'node:fs';

/** Files that the same tests judge. */
export interface Part {
  /** Sources, as globs. */
  readonly files: readonly string[];
  /** Tests that judge them, as globs. */
  readonly tests: readonly string[];
  /** The code runs in pages or in processes of their own. */
  readonly isElsewhere: boolean;
  /** Nobody knows which test comes by a mutant: each is played by all of them. */
  readonly isUnknown: boolean;
}

export interface Room {
  readonly name: string;
  /** A file is of the first part that names it. */
  readonly parts: readonly Part[];
}

const unit = (...names: readonly string[]): readonly string[] =>
  names.map((name) => `test/unit/${name}/**/*.test.ts`);

const part = (tests: readonly string[], ...files: readonly string[]): Part => ({
  files,
  tests,
  isElsewhere: tests.some((test) => /^test\/(e2e|long|edge)\//.test(test)),
  isUnknown: tests.some((test) => test.endsWith('/in-page.test.ts')),
});

const room = (name: string, tests: readonly string[], ...others: readonly Part[]): Room => ({
  name,
  parts: [...others, part(tests, `src/${name}/**/*.ts`)],
});

/** The tests of a room that run in a page. */
const IN_PAGE = 'test/prove/mutate/in-page.test.ts';
const COMMANDS = [
  'test/e2e/{commands,sandbox-server,sandbox-state,pay-command}.test.ts',
  'test/e2e/{charge,doctor,torture}.test.ts',
  'test/house/{accounts-file,record-bodies,page-feed,export}.test.ts',
];
const PAGE = 'test/e2e/sandbox-{page,page-tasks,accounts,codes}.test.ts';
const ONE_PROCESS = 'test/long/host-{address,rows}.test.ts';
const LASTING = [
  'test/long/{durable-inbox,rows-groups}.test.ts',
  'test/edge/stores-{lasting,failures}.test.ts',
];

export const ROOMS: readonly Room[] = [
  room('core', unit('core', 'mistakes', 'resources', 'contract', 'oauth', 'state', 'rx')),
  room(
    'resources',
    unit(
      ...['resources', 'receive-requests', 'payments', 'subscriptions', 'bank', 'contract'],
      ...['core', 'mistakes', 'oauth', 'rx'],
    ),
    part(
      [...unit('resources'), 'test/unit/state/{feed*,lag,other-world,truth,spelling}.test.ts'],
      'src/resources/{events.feed,events.cursor,held-state,service-facts}.ts',
    ),
    part(
      [...unit('payments'), 'test/unit/flows/pay-tier.test.ts'],
      'src/resources/payment-quotes.ts',
    ),
  ),
  room('state', unit('state', 'rx', 'relay', 'resources')),
  room('flows', [...unit('flows'), 'test/house/money-{search,tables}.test.ts']),
  room('webhooks', unit('webhooks')),
  room(
    'relay',
    [...unit('relay'), 'test/long/relay-!(worlds|store).test.ts', ONE_PROCESS],
    part(
      [
        ...unit('relay'),
        'test/long/{relay-store,rows-groups,rows-hearing,host}.test.ts',
        ONE_PROCESS,
      ],
      'src/relay/{account-rows,row-orders,row-reads,rows-inbox-store}.ts',
      'src/relay/{relay-store,relay-tables,sql-*}.ts',
    ),
  ),
  room(
    'host',
    ['test/long/{host,host-servers}.test.ts', 'test/unit/relay/servers.test.ts', ONE_PROCESS],
    part(['test/long/{host-life,host-rows}.test.ts'], 'src/host/process-life.ts'),
  ),
  room('stores', [...unit('stores'), ...LASTING], part([IN_PAGE], 'src/stores/indexed-db.ts')),
  room('oauth', unit('oauth')),
  room('lightning', unit('lightning')),
  room('money', unit('money')),
  room('elements', [IN_PAGE]),
  room('devtools', [IN_PAGE], part(unit('devtools'), 'src/devtools/inspect-client.ts')),
  room('rx', unit('rx', 'state')),
  room('react', [IN_PAGE]),
  room('vue', [IN_PAGE]),
  room('messages', [...unit('elements'), 'test/unit/core/messages.test.ts']),
  room('sandbox', unit('sandbox', 'contract')),
  room('testing', unit('testing'), part(unit('stores', 'testing'), 'src/testing/check-*.ts')),
  room('doctor', unit('doctor')),
  room('cli', COMMANDS, part([...COMMANDS, PAGE], 'src/cli/page/**/*.ts', 'src/cli/page-*.ts')),
];

/** The paths that globs name, in a fixed order; declarations are no code. */
export const pathsOf = (root: string, globs: readonly string[]): readonly string[] =>
  globSync([...globs], { cwd: root })
    .filter((path) => !path.endsWith('.d.ts'))
    .sort();

/** All sources of a room. */
export const sourcesOf = (root: string, { parts }: Room): readonly string[] =>
  pathsOf(
    root,
    parts.flatMap(({ files }) => files),
  );
