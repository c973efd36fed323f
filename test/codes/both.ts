// Plays every way twice: in this process, and over HTTP against the command, whose control does what happens outside.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServiceCode } from 'paystate';
import { serviceCodes } from 'paystate/endpoints';
import { WAYS, type Way } from './ways.ts';
import { accountsOf, openCodes, openServedCodes, type World } from './world.ts';

/** A code, and what came of both plays: `ok`, what came instead, or `–` where there is no way. */
export interface CodeRow {
  readonly code: ServiceCode;
  readonly status: number;
  /** The situation, or why there is none. */
  readonly when: string;
  readonly inProcess: string;
  readonly overCommand: string;
}

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const play = async (code: ServiceCode, way: Way, world: World): Promise<string> => {
  const { status, at } = await way.ask(world);
  const came = `${status} ${String(at('data.code'))} ${String(at('data.status'))}`;
  const wanted = `${serviceCodes[code]} ${code} ${serviceCodes[code]}`;
  return came === wanted ? 'ok' : came;
};

/** Starts a command with these accounts; resolves to its address, and what ends it. */
const startCommand = async (accounts: string): Promise<{ readonly url: string; end(): void }> => {
  const folder = mkdtempSync(join(tmpdir(), 'paystate-codes-'));
  const file = join(folder, 'accounts.json');
  writeFileSync(file, accounts);
  const child = spawn(process.execPath, [COMMAND, 'sandbox', '--accounts', file]);
  const end = (): void => {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  };
  let output = '';
  for await (const text of child.stdout) if (/control/.test((output += text))) break;
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
  if (url === undefined) end();
  return { url: url!, end };
};

/** The same accounts are served by one command, which begins anew for each code. */
const playServed = async (): Promise<ReadonlyMap<string, string>> => {
  const came = new Map<string, string>();
  const ways = Object.entries(WAYS).flatMap(([code, way]) =>
    'why' in way ? [] : [{ code: code as ServiceCode, way }],
  );
  const groups = Map.groupBy(ways, ({ way }) => JSON.stringify(accountsOf(way.world ?? {})));
  for (const [accounts, group] of groups) {
    const { url, end } = await startCommand(accounts);
    try {
      for (const { code, way } of group)
        came.set(code, await play(code, way, await openServedCodes(url)));
    } finally {
      end();
    }
  }
  return came;
};

/** One row for each code, in the order of the service's own table. */
export const playCodes = async (): Promise<readonly CodeRow[]> => {
  const served = await playServed();
  const rows: CodeRow[] = [];
  for (const [name, way] of Object.entries(WAYS)) {
    const code = name as ServiceCode;
    const isNone = 'why' in way;
    rows.push({
      code,
      status: serviceCodes[code],
      when: isNone ? way.why : way.when,
      inProcess: isNone ? '–' : await play(code, way, openCodes(way.world)),
      overCommand: served.get(code) ?? '–',
    });
  }
  return rows;
};
