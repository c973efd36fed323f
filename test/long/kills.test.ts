// Protects: a process that is killed while it pays, at whatever point, has paid at most once, and the next one with the
// same journal finds what it did. A tenth of `npm run kills`.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../e2e/command.ts';

describe('payments of processes that are killed', () => {
  for (const [runtime, journals] of Object.entries({
    node: ['file', 'sqlite'],
    deno: ['file', 'sqlite'],
    workerd: ['sqlite'],
  }))
    it(`are made once, and none is lost: ${runtime}`, () => {
      const args = ['scripts/kills.mjs', '5', runtime];
      const options = { cwd: root, encoding: 'utf8', timeout: 85_000 } as const;
      const { stdout, stderr, status } = spawnSync(process.execPath, args, options);
      expect(status, stdout + stderr).to.equal(0);
      console.log(stdout.trim());
      for (const journal of journals)
        expect(stdout).to.match(
          new RegExp(`${runtime} ${journal}: \\d+ points, 5 kills: 0 double, 0 lost, 0 unknown`),
        );
    });
});
