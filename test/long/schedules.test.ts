// Protects: watches leave nothing behind and nobody calls after their end, whatever happens around them, and what
// `npm run schedules` measures can be believed. A hundredth of it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

const play = (...options: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/schedules.mjs'), ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 64_000_000,
  });

describe('random schedules', () => {
  it('leave no request, timer or error behind, call nobody after the end, and are never blocked', () => {
    const faults = 'left,late,misdated,live alone,uncaught,thrown,blocked,the judge is wrong';
    const { stdout, stderr, status } = play('100', '--faults', faults);
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok schedules: 100 runs/m);
  });

  it('are judged by one who sees every lie, and calls no truth a lie', () => {
    const { stdout, stderr, status } = play('liars');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok liars: /m);
  });
});
