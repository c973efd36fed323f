// Protects: a process that is killed while it pays or handles events, at whatever point, has done it at most once, and
// the next one with the same store finds what it did. A part of `npm run prove -- kills`: two points each.
// Part of `npm test`.
import { execFile } from 'node:child_process';
import { expect } from 'chai';
import { before, describe, it } from '#test';
import { root } from '../e2e/command.ts';

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, 0 if it succeeded. */
  readonly status: unknown;
}

const kill = (...args: readonly string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const command = ['test/prove/kills/command.ts', ...args];
    const options = { cwd: root, timeout: 300_000 };
    execFile(process.execPath, command, options, (error, stdout, stderr) =>
      resolve({ stdout, stderr, status: error ? error.code : 0 }),
    );
  });

const LEGS = ['node', 'deno']
  .flatMap((runtime) =>
    ['file', 'postgresql'].flatMap((store) =>
      ['payments', 'events'].map((work) => ({ runtime, store, work })),
    ),
  )
  .concat(
    { runtime: 'node', store: 'file', work: 'payouts' },
    { runtime: 'workerd', store: 'object', work: 'payments' },
  );

const FORGOTTEN = ['3', 'node', 'file', 'payouts', 'forgotten'];
const COMMANDS = [
  ...LEGS.map(({ runtime, store, work }) => ['2', runtime, store, work]),
  FORGOTTEN,
];

// The process that takes up a payment waits for ten seconds of real time, so several run at once.
const AT_ONCE = 4;

describe('what processes do that are killed', () => {
  const ended = new Map<string, Promise<Ended>>();
  before(() => {
    for (const [at, args] of COMMANDS.entries()) {
      const earlier = ended.get(`${COMMANDS[at - AT_ONCE]}`);
      ended.set(
        `${args}`,
        Promise.resolve(earlier).then(() => kill(...args)),
      );
    }
  });

  for (const { runtime, store, work } of LEGS)
    it(`is done once, and nothing is lost: ${work} in ${runtime}, ${store}`, async () => {
      const { stdout, stderr, status } = await ended.get(`${['2', runtime, store, work]}`)!;
      expect(status, stdout + stderr).to.equal(0);
      const isThere = store !== 'postgresql' || stdout.includes(`${runtime} ${store}`);
      if (isThere)
        expect(stdout).to.match(
          new RegExp(`${runtime} ${store} ${work}: \\d+ points, 2 kills, 0 double, 0 lost`),
        );
    });

  // Payouts, because they have no idempotency key: payments move once even then, by the keys that they derive.
  it('is done twice where the store is lost, and that is noticed', async () => {
    const { stdout, status } = await ended.get(`${FORGOTTEN}`)!;
    expect(status, stdout).to.equal(1);
    expect(stdout).not.to.contain('undisturbed');
    expect(stdout).to.match(/3 kills, [1-3] double/);
  });
});
