// Protects: in random schedules of trouble every watch says in the end what the service says, none is live with what is
// not so longer than the rules allow, and none leaves anything behind; and what `npm run prove -- schedules` measures can be
// believed. 16 of its runs, and 30 with `npm run test:all`.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it, sized } from '#test';
import { root } from '../house/source.ts';

const RUNS = sized(16, 30);

const play = (...options: string[]) =>
  spawnSync(process.execPath, [join(root, 'test/prove/schedules/command.ts'), ...options], {
    cwd: root,
    encoding: 'utf8',
    timeout: 300_000,
    maxBuffer: 64_000_000,
  });

describe('random schedules', () => {
  it('end with what the service says, are never live with anything else for longer, and leave nothing behind', () => {
    const { stdout, stderr, status } = play(`${RUNS}`);
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(new RegExp(`^ok schedules: ${RUNS} runs`, 'm'));
  });

  it('are judged by one who sees every lie, and calls no truth a lie', () => {
    const { stdout, stderr, status } = play('liars', '--seeds', '8');
    expect(status, stdout + stderr).to.equal(0);
    expect(stdout).to.match(/^ok liars: /m);
  });
});
