// Protects: what is measured by `npm run schedules` can be believed: the judge sees watches that lie, and accuses none that
// tell the truth.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

const play = (...options: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/schedules.mjs'), ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 64_000_000,
  });

describe('random schedules', () => {
  it('are judged by one who sees every lie, and calls no truth a lie', () => {
    const { stdout, stderr, status } = play('liars');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok liars: /m);
  });
});
