// Programs on stores that last, in each runtime, and places for them.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, type Context } from '#test';
import { fileURLToPath } from 'node:url';
import type { Kind } from './places.ts';
import { emptyPostgresql, type Postgresql, startPostgresql } from './postgresql.ts';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, '.cache', `lasting-${process.pid}`);
export const PROGRAMS = 'test/runners/stores';

const bin = (name: string): string => join(root, 'node_modules/.bin', name);
const PERMISSIONS = ['--allow-read', '--allow-write', '--allow-env', '--allow-net=127.0.0.1'];
export const RUNTIMES: Readonly<Record<string, readonly string[]>> = {
  Node: [process.execPath],
  Deno: [
    bin('deno'),
    'run',
    '--quiet',
    '--no-check',
    '--no-prompt',
    '--no-remote',
    '--allow-sys',
    ...PERMISSIONS,
  ],
  Bun: [bin('bun')],
};

/** Resolves to the whole output of a program when it has ended. */
export const run = (runtime: string, ...args: readonly string[]): Promise<string> => {
  const [command, ...flags] = RUNTIMES[runtime]!;
  const child = spawn(command!, [...flags, ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    timeout: 60_000,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: string) => void (said += text));
  return new Promise((resolve) => child.on('close', () => resolve(said.trim())));
};

let server: Promise<Postgresql | undefined> | undefined;
after(async () => (await server)?.stop());

/** One server for all tests of a process, each of which finds it empty. */
async function usePostgresql(
  { skip }: Context,
  use: (place: string) => Promise<void>,
): Promise<void> {
  const started = await (server ??= startPostgresql());
  if (!started) return skip('PostgreSQL is not installed');
  await emptyPostgresql(started.url);
  await use(started.url);
}

/** Uses a place of the kind; without PostgreSQL a test that needs it is skipped. */
export const withPlace = async (
  context: Context,
  kind: Kind,
  name: string,
  use: (place: string) => Promise<void>,
): Promise<void> => {
  if (kind === 'postgresql' || kind === 'postgres') return usePostgresql(context, use);
  mkdirSync(folder, { recursive: true });
  try {
    await use(join(folder, name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
