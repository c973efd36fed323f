// Protects: one watch is never shown as live while it is wrong for longer than a replica may be behind, through
// outages, blocks, sleep and lagging replicas. The smallest column of `npm run prove -- trouble`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

describe('trouble', () => {
  it('of each kind never makes one watch say what is not so', () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(root, 'test/prove/trouble/command.ts'), '--watches', '1'],
      { cwd: root, encoding: 'utf8', timeout: 300_000 },
    );
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok trouble: 15 cells/m);
  });
});
