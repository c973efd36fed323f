// Protects: a process that is killed while it pays or handles events, at whatever point, has done it at most once, and
// the next one with the same store finds what it did. A tenth of `npm run kills`.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../e2e/command.ts';

const kill = (...args: readonly string[]) =>
  spawnSync(process.execPath, ['scripts/kills.mjs', ...args], {
    cwd: root,
    encoding: 'utf8',
    timeout: 85_000,
  });

const LEGS = {
  node: ['file payments', 'sqlite payments', 'file events', 'sqlite events'],
  deno: ['file payments', 'sqlite payments', 'file events', 'sqlite events'],
  workerd: ['sqlite payments'],
};

describe('what processes do that are killed', () => {
  for (const [runtime, legs] of Object.entries(LEGS))
    it(`is done once, and nothing is lost: ${runtime}`, () => {
      const { stdout, stderr, status } = kill('5', runtime);
      expect(status, stdout + stderr).to.equal(0);
      console.log(stdout.trim());
      for (const leg of legs)
        expect(stdout).to.match(
          new RegExp(`${runtime} ${leg}: \\d+ points, 5 kills, 0 double, 0 lost`),
        );
    });

  it('is done twice where the store is lost, and that is noticed', () => {
    const { stdout, status } = kill('3', 'node', 'sqlite', 'payments', 'forgotten');
    expect(status, stdout).to.equal(1);
    expect(stdout).to.match(/3 kills, [1-3] double/);
  });
});
