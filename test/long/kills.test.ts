// Protects: a process that is killed while it pays, at whatever point, has paid at most once, and the next one with the
// same journal finds what it did. A tenth of `npm run kills`.
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

describe('payments of processes that are killed', () => {
  for (const [runtime, journals] of Object.entries({
    node: ['file', 'sqlite'],
    deno: ['file', 'sqlite'],
    workerd: ['sqlite'],
  }))
    it(`are made once, and none is lost: ${runtime}`, () => {
      const { stdout, stderr, status } = kill('5', runtime);
      expect(status, stdout + stderr).to.equal(0);
      console.log(stdout.trim());
      for (const journal of journals)
        expect(stdout).to.match(
          new RegExp(`${runtime} ${journal}: \\d+ points, 5 kills: 0 double, 0 lost, 0 unknown`),
        );
    });

  it('are made twice where the journal is lost, and that is noticed', () => {
    const { stdout, status } = kill('3', 'node', 'sqlite', 'forgotten');
    expect(status, stdout).to.equal(1);
    expect(stdout).to.match(/3 kills: [1-3] double/);
  });
});
