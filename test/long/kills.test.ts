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

// each by itself: who takes up a payment waits ten seconds of real time
describe('what processes do that are killed', () => {
  for (const { runtime, store, work } of LEGS)
    it(`is done once, and nothing is lost: ${work} in ${runtime}, ${store}`, () => {
      const { stdout, stderr, status } = kill('2', runtime, store, work);
      expect(status, stdout + stderr).to.equal(0);
      const isThere = store !== 'postgresql' || stdout.includes(`${runtime} ${store}`);
      if (isThere)
        expect(stdout).to.match(
          new RegExp(`${runtime} ${store} ${work}: \\d+ points, 2 kills, 0 double, 0 lost`),
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
