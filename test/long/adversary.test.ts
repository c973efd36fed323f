// Protects: through a network that lies nothing is paid twice, and the SDK never says what is not so. A part of `npm run prove -- adversary`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

const play = (...options: string[]) =>
  spawnSync(process.execPath, [join(root, 'test/prove/adversary/command.ts'), ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 64_000_000,
  });

describe('adversary', () => {
  const parts = [
    ['scenes'],
    ...['processed', 'expired', 'balance'].map((order) => ['ways', '--order', order]),
  ];
  for (const part of parts)
    it(part.join(' '), () => {
      const { stdout, stderr, status } = play(...part, '--part', '0.02');
      expect(status, stdout.slice(-8_000) + stderr).to.equal(0);
      expect(stdout).to.match(/^ok adversary: /m);
    });
});
