// Protects: the sandbox does what the description of the service says, as seen by an examiner that knows only HTTP. A
// tenth of the facts of `npm run prove -- fidelity`, and a part of the lies that show that its facts can be false.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from '#test';
import { root } from '../house/source.ts';

const play = (...options: string[]) =>
  spawnSync(process.execPath, [join(root, 'test/prove/fidelity/command.ts'), ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
  });

describe('fidelity', () => {
  it('is full in a tenth of the facts: none is false', () => {
    const { stdout, stderr, status } = play('--every', '10');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok examine: 148 facts, 144 checked, 144 true, 0 false, /m);
  });

  it('is an examiner who notices each lie about invoices, and whose facts can all be false', () => {
    const { stdout, stderr, status } = play('lies', 'invoices');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok lies: \d+ lies, 0 not noticed; \d+ facts, 0 cannot be false$/m);
  });
});
