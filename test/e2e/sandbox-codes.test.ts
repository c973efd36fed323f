// Protects: every code that a state of the service leads to is reached over plain HTTP too, by whoever has no TypeScript.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ServiceCode } from 'paystate';
import { serviceCodes } from 'paystate/endpoints';
import { describe, it } from '#test';
import { WAYS } from '../codes/ways.ts';
import { accountsOf, openServedCodes } from '../codes/world.ts';
import { root } from './command.ts';

/** Starts a command with these accounts; resolves to its address, and what ends it. */
async function startCommand(accounts: string): Promise<{ readonly url: string; end(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-codes-'));
  const file = join(folder, 'accounts.json');
  writeFileSync(file, accounts);
  const child = spawn(process.execPath, [
    join(root, 'dist/cli/main.js'),
    'sandbox',
    '--accounts',
    file,
  ]);
  const end = (): void => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  let output = '';
  for await (const text of child.stdout) {
    output += text;
    if (/control/.test(output)) break;
  }
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
  if (url === undefined) end();
  return { url: url!, end };
}

const ways = Object.entries(WAYS).flatMap(([name, way]) =>
  'why' in way ? [] : [{ code: name as ServiceCode, way }],
);

describe('codes of the service', () => {
  it('are 52: 49 come over the command by what is the case', async () => {
    expect(ways).to.have.length(49);
    // The same accounts are served by one command, which begins anew for each code.
    const groups = Map.groupBy(ways, ({ way }) => JSON.stringify(accountsOf(way.world ?? {})));
    for (const [accounts, group] of groups) {
      const { url, end } = await startCommand(accounts);
      try {
        for (const { code, way } of group) {
          const { status, at } = await way.ask(await openServedCodes(url));
          const wanted = serviceCodes[code];
          expect([status, at('data.code'), at('data.status')], way.when).to.deep.equal([
            wanted,
            code,
            wanted,
          ]);
        }
      } finally {
        end();
      }
    }
  });
});
