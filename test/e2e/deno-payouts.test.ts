// Protects: the script that pays a list may be killed at any time and started again, and each row is paid once.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSandbox } from '../../dist/sandbox/index.js'; // of the same build as the command
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { after, before, describe, it } from '#test';
import { root } from '../house/source.ts';
import { paymentsMoved } from '../unit/flows/pay-lives.ts';

const ROWS = 12;
/**
 * A start ends after this. What a kill left without an answer may live for two minutes, so that its
 * row is paid by the second start or the third.
 */
const START_MS = 80_000;

/** Runs the script; kills it when it prints that so many rows are done. */
function runScript(url: string, key: string, folder: string, killedAt: number): Promise<string> {
  const flags = ['--no-prompt', '--no-remote', '--cached-only', '--no-check'];
  const rights = [
    `--allow-net=${new URL(url).host}`,
    `--allow-read=${folder}`,
    `--allow-write=${folder}`,
  ];
  const script = [join(root, 'demo/deno/payouts.ts'), url, key, join(folder, 'list.csv')];
  const child = spawn(
    join(root, 'node_modules/.bin/deno'),
    ['run', ...flags, ...rights, ...script],
    {
      cwd: root,
      timeout: START_MS,
      env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1' },
    },
  );
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
    if (output.includes(`\n${killedAt} of ${ROWS}\n`)) child.kill('SIGKILL');
  });
  child.stderr.on('data', (text) => (output += text));
  return new Promise((resolve) => child.on('close', () => resolve(output)));
}

describe('the Deno script that pays a list', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-'));
  const sandbox = createSandbox({ seed: 'deno', clock: 'real' });
  let served: Awaited<ReturnType<typeof serveSandbox>>;
  const run = (killedAt: number) =>
    runScript(served.url, sandbox.clientOptions.apiKey!, folder, killedAt);

  before(async () => {
    served = await serveSandbox(sandbox);
    const rows = Array.from(
      { length: ROWS },
      (_, n) => `row ${n},ada@wallet.example,${n + 1}.00,EUR\n`,
    );
    writeFileSync(join(folder, 'list.csv'), `intent,to,amount,currency\n${rows.join('')}`);
  });
  after(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is killed three times', async () => {
    for (const killedAt of [0, 2, 7]) await run(killedAt);
    expect(paymentsMoved(sandbox).length).to.be.within(7, ROWS);
  });

  let output = '';
  for (const start of ['first', 'second', 'third'])
    it(`goes on at the ${start} start after the kills`, async () => {
      if (!output.includes('\nplan ')) output = await run(Infinity);
      expect(output).to.match(/\n7 of 12\n/);
    });

  it('has paid each row once', () => {
    expect(output).to.match(
      new RegExp(`\\nplan [0-9a-f]{12}: ${ROWS} of ${ROWS} rows paid\\nEUR: planned `),
    );
    expect(paymentsMoved(sandbox)).to.have.length(ROWS);
  });
});
