// Protects: a process that is killed while it pays or handles events, at whatever point, has done it at most once, and
// the next one with the same store finds what it did. A part of `npm run prove -- kills`: two points each.
// Part of `npm test`.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../e2e/command.ts';

const kill = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['test/prove/kills/command.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    timeout: 300_000,
  });

const played = new Map<string, ReturnType<typeof kill>>();
/** All legs of a runtime in one run: they share a PostgreSQL, where there is one. */
const playedIn = (runtime: string): ReturnType<typeof kill> => {
  const run = played.get(runtime) ?? kill('2', runtime);
  played.set(runtime, run);
  return run;
};

const LEGS = [
  { runtime: 'node', work: 'payments', kinds: ['file'] },
  { runtime: 'node', work: 'events', kinds: ['file'] },
  { runtime: 'deno', work: 'payments', kinds: ['file'] },
  { runtime: 'deno', work: 'events', kinds: ['file'] },
  { runtime: 'node', work: 'payouts', kinds: ['file'] },
  { runtime: 'workerd', work: 'payments', kinds: ['object'] },
];

describe('what processes do that are killed', () => {
  for (const { runtime, work, kinds } of LEGS)
    it(`is done once, and nothing is lost: ${work} in ${runtime}`, () => {
      const { stdout, stderr, status } = playedIn(runtime);
      expect(status, stdout + stderr).to.equal(0);
      for (const kind of kinds)
        expect(stdout).to.match(
          new RegExp(`${runtime} ${kind} ${work}: \\d+ points, 2 kills, 0 double, 0 lost`),
        );
    });

  // Payouts, because they have no idempotency key: payments move once even then, by the keys that they derive.
  it('is done twice where the store is lost, and that is noticed', () => {
    const { stdout, status } = kill('3', 'node', 'file', 'payouts', 'forgotten');
    expect(status, stdout).to.equal(1);
    expect(stdout).not.to.contain('undisturbed');
    expect(stdout).to.match(/3 kills, [1-3] double/);
  });
});
