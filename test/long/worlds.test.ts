// Protects: in random worlds of the caller's own reads, stray 429s, late events and lagging replicas no watch is live beyond
// its bound or false for longer, something is asked each 20 seconds, and the service's limit is never met. A part of
// `npm run prove -- worlds`: eight worlds.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

describe('random worlds', () => {
  it('show nothing as live beyond its bound', () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(root, 'test/prove/worlds/command.ts'), '8'],
      { cwd: root, encoding: 'utf8', timeout: 300_000 },
    );
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok worlds: 8 from seed 1/m);
  });
});
