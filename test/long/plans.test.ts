// Protects: a plan that is applied by processes that die pays each row once, exactly, and touches no rate limit of the
// service. A part of `npm run prove -- plans`.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

describe('plans', () => {
  for (const [rows, deaths] of [
    [200, 10],
    [200, 40],
  ] as const)
    it(`of ${rows} rows, killed ${deaths} times`, () => {
      const given = ['test/prove/plans.ts', `${rows}`, '--deaths', `${deaths}`];
      const { stdout, stderr, status } = spawnSync(process.execPath, given, {
        cwd: root,
        encoding: 'utf8',
        timeout: 120_000,
      });
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/^ok plans: /m);
    });
});
