// Protects: through a network that lies nothing is paid twice, and the SDK never says what is not so. All scenes
// of `npm run prove -- adversary`, and 24 of its 3,000 intents of each way and order of checks; with `npm run test:all` 45.
// Part of `npm test`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it, sized } from '#test';
import { root } from '../house/source.ts';

const play = (...options: string[]) =>
  spawnSync(process.execPath, [join(root, 'test/prove/adversary/command.ts'), ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 64_000_000,
  });

describe('adversary', () => {
  for (const part of ['scenes', 'ways'])
    it(part, () => {
      const { stdout, stderr, status } = play(part, '--part', `${sized(0.008, 0.015)}`);
      expect(status, stdout.slice(-8_000) + stderr).to.equal(0);
      expect(stdout).to.match(/^ok adversary: /m);
    });
});
