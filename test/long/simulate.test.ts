// Protects: in random lifetimes nothing is done twice and nothing is said that is not so, by the service's own books; and
// faults that are put into the SDK are noticed. A part of `npm run simulate`.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

const play = (...options: string[]) =>
  spawnSync(process.execPath, ['scripts/simulate.mjs', ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
  });

describe('random lifetimes', () => {
  it('do nothing twice, and say nothing that is not so', () => {
    const { stdout, stderr, status } = play('--lifetimes', '300', '--seed', '1');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok simulate payments: 300 lifetimes/m);
  });

  it('show every fault that was put into the SDK on purpose', () => {
    const { stdout, stderr, status } = play('mutants');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok mutants: /m);
  });
});
