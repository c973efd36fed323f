// Protects: real processes whose clocks are up to an hour apart share one login: one refresh, nobody loses it, also when
// the one that refreshes is killed. A few rounds of `npm run prove -- oauth-processes`.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../e2e/command.ts';

describe('a login of eight processes', () => {
  it('is renewed once for all of them, and survives the death of the one that renews', () => {
    const args = ['test/prove/oauth-processes/command.ts', '--rounds', '5', '--kills', '2'];
    const { stdout, stderr, status } = spawnSync(process.execPath, args, {
      cwd: root,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout)
      .to.contain('8 processes, 5 rounds')
      .and.to.contain('1 to 1 refreshes a round, 0 logins lost');
    expect(stdout).to.match(/0 logins lost, beside 1\n {2}whose refresh was processed/);
  });
});
