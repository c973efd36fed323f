// The Deno demo against a service in another process, allowed nothing but that service's address.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createSandbox, type Sandbox } from '../../dist/sandbox/index.js'; // of the same build as the command
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { describe, it } from '#test';

const root = fileURLToPath(new URL('../..', import.meta.url));
const deno = join(root, 'node_modules/.bin/deno');

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly complaints: string;
}

/** Runs the script to its end; `onCode` is called once with the BOLT11 text that it prints. */
function runScript(
  url: string,
  key: string,
  audit: string,
  onCode: (code: string) => void,
): Promise<Run> {
  const flags = [
    '--no-prompt',
    '--no-remote',
    '--cached-only',
    '--no-check',
    `--allow-net=${new URL(url).host}`,
  ];
  const child = spawn(deno, ['run', ...flags, 'demo/deno/pay.ts', url, key], {
    cwd: root,
    timeout: 60_000,
    env: {
      ...process.env,
      NO_COLOR: '1',
      DENO_NO_UPDATE_CHECK: '1',
      DENO_AUDIT_PERMISSIONS: audit,
    },
  });
  let output = '';
  let complaints = '';
  let told = false;
  child.stdout.on('data', (text) => {
    output += text;
    const code = /^(lntb\w+)\n/m.exec(output)?.[1];
    if (code && !told) onCode(code);
    told ||= code !== undefined;
  });
  child.stderr.on('data', (text) => (complaints += text));
  return new Promise((resolve) =>
    child.on('close', (code) => resolve({ code, output, complaints })),
  );
}

/** Every permission that the runtime looked up, by its own record. */
const asked = (audit: string): { permission: string; value: string }[] =>
  readFileSync(audit, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function sold(sandbox: Sandbox, url: string, audit: string): Promise<Run> {
  const run = await runScript(
    url,
    sandbox.clientOptions.apiKey!,
    audit,
    (code) => void sandbox.payer.pay(code),
  );
  return run;
}

describe('the Deno demo', () => {
  it('sells a pot of coffee with no permission but the one address, and ends by itself', async () => {
    expect(existsSync(deno), 'the package deno has nothing for this platform').to.equal(true);
    const folder = mkdtempSync(join(tmpdir(), 'paystate-'));
    const audit = join(folder, 'permissions.jsonl');
    const sandbox = createSandbox({ seed: 'deno', clock: 'real' });
    const served = await serveSandbox(sandbox);
    try {
      const { code, output, complaints } = await sold(sandbox, served.url, audit);
      expect(complaints).to.equal('');
      expect(output).to.match(
        /^To pay: €4\.20, [\d,]+ sat\nlntb\w+\n(UNPAID \(live\)\n)?(PENDING \(live\)\n)?PAID \(live\)\nDone\.\n$/,
      );
      expect(code).to.equal(0);
      const { host } = new URL(served.url);
      const others = asked(audit).filter(
        ({ permission, value }) =>
          permission !== 'net' ||
          ![host, ''].includes(value.replace(/^http:\/\/([^/]+)\/.*$/, '$1')),
      );
      expect(others).to.deep.equal([]);
    } finally {
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
