// The commands of Next, as processes of their own: what they build, and a server that is ended by its own id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sized } from '#test';
import type { Env } from '../e2e/command.ts';

/** Ends a process that hangs: the longest build took 31 s on two slow cores. */
const LONGEST_MS = sized(80_000, 240_000);

const start = (folder: string, env: Env, ...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [join(folder, 'node_modules/next/dist/bin/next'), ...args], {
    cwd: folder,
    timeout: LONGEST_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NEXT_TELEMETRY_DISABLED: '1', NO_COLOR: '1', ...env },
  });

/** Both streams in the order of their arrival. */
const listen = ({ stdout, stderr }: ChildProcess, hear: (text: string) => void): void => {
  for (const stream of [stdout, stderr]) stream?.setEncoding('utf8').on('data', hear);
};

/** Builds the app; the code is null where the build was ended for its length, whose own code Next 14 calls 0. */
export async function build(
  folder: string,
  env: Env,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = start(folder, env, 'build');
  let output = '';
  listen(child, (text) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code: child.killed ? null : code, output };
}

/** Serves the built app on a free port of the loopback while it is used. */
export async function whileServed(
  folder: string,
  env: Env,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const child = start(folder, env, 'start', '-p', '0', '-H', '127.0.0.1');
  const closed = once(child, 'close');
  let output = '';
  const ready = new Promise<string>((resolve) =>
    listen(child, (text) => {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec((output += text))?.[0];
      if (url && output.includes('Ready')) resolve(url);
    }),
  );
  const ended = closed.then(() => {
    throw new Error(`next start ended:\n${output}`);
  });
  try {
    await Promise.race([ready.then(use), ended]);
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
}
