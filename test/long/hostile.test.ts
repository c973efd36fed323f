// Protects: what strangers send, or put into an argument, harms nobody. A hundredth of `npm run prove -- hostile`, and a fiftieth
// with `npm run test:all`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it, sized } from '#test';
import { root } from '../house/source.ts';

describe('hostile', () => {
  for (const name of ['bodies', 'arguments', 'secrets', 'parsers', 'deliveries'])
    it(name, () => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        [join(root, 'test/prove/hostile', `${name}.ts`), '--part', `${sized(0.01, 0.02)}`],
        { cwd: root, encoding: 'utf8', timeout: 120_000 },
      );
      expect(status, stdout + stderr).to.equal(0);
      expect(stdout).to.match(/^ok T\d+ /);
    });
});
