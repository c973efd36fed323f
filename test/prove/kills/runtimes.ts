// Starts a process of each runtime: it ends by the signal, or says how its payments ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTests } from '../../runners/one-file.mjs';
import { freePort } from '../../runners/stores/postgresql.ts';
import { closeNow, listen } from '../shared/loopback.ts';
import { bin, root, whenReady, workerdConfig } from '../shared/workerd.ts';
import type { Ended, Life, Point, Said, Task } from './task.ts';
import type { KillerTask } from './worker.ts';

const PAYER = fileURLToPath(new URL('payer.ts', import.meta.url));
const LONGEST_MS = 60_000;

export type Runtime = 'node' | 'deno' | 'workerd';

const COMMANDS: Readonly<Record<'node' | 'deno', readonly [string, ...string[]]>> = {
  node: [process.execPath],
  deno: [bin('deno'), 'run', '--quiet', '--no-check', '--no-prompt', '--no-remote', '-A'],
};

const saidIn = (text: string): readonly Said[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Said);

/** Runs one process to its end. */
async function runPayer(runtime: 'node' | 'deno', task: Task): Promise<Life> {
  const [command, ...flags] = COMMANDS[runtime];
  const child = spawn(command, [...flags, PAYER, JSON.stringify(task)], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    timeout: LONGEST_MS,
  });
  let [text, errors] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (text += part.toString()));
  child.stderr.on('data', (part: Buffer) => (errors += part.toString()));
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const said = saidIn(text);
  const last = said.at(-1);
  if (last?.said === 'moved' || last?.said === 'handled') return last;
  if (signal === 'SIGKILL' && last?.said === 'killed')
    return {
      said: 'killed',
      at: last,
      kept: said.flatMap((one) => (one.said === 'kept' ? [one.id] : [])),
    };
  throw new Error(`${runtime} ended otherwise: ${signal} ${text} ${errors.slice(-800)}`);
}

let worker: Promise<void> | undefined;

/** Makes the Worker one file, once. */
function bundleWorker(folder: string): Promise<void> {
  const file = 'test/prove/kills/worker.ts';
  worker ??= bundleTests({
    root,
    files: [join(root, file)],
    after: `export { default, Payer } from './${file}';`,
    outfile: join(folder, 'worker.js'),
    conditions: ['workerd', 'worker', 'browser', 'es2015'],
  });
  return worker;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  return Buffer.concat((await request.toArray()) as Buffer[]).toString();
}

async function runWorkerd(task: Task, folder: string): Promise<Life> {
  await bundleWorker(folder);
  mkdirSync(task.place, { recursive: true });
  const port = await freePort();
  const config = join(folder, `config-${port}.capnp`);
  writeFileSync(config, workerdConfig({ port, place: task.place, objects: { PAYER: 'Payer' } }));
  const child = spawn(bin('workerd'), ['serve', config], { cwd: folder, timeout: LONGEST_MS });
  let errors = '';
  child.stderr.on('data', (part: Buffer) => (errors += part.toString()));
  const ended = once(child, 'close');
  let at: Point | undefined;
  // The Worker says where it is, and is killed there.
  const killer = createServer(async (request) => {
    at = JSON.parse(await bodyOf(request)) as Point;
    child.kill('SIGKILL');
  });
  const given: KillerTask = { ...task, killer: await listen(killer) };
  const url = `http://127.0.0.1:${port}/`;
  try {
    await whenReady(url, child);
    const end = await fetch(url, { method: 'POST', body: JSON.stringify(given) }).then(
      (response) => response.json() as Promise<Ended>,
      () => undefined,
    );
    if (end) return end;
    if (at) return { said: 'killed', at, kept: [] };
    throw new Error(`workerd ended otherwise: ${errors.slice(-800)}`);
  } finally {
    child.kill('SIGKILL');
    await ended;
    closeNow(killer);
  }
}

/** True if the runtime is installed. */
export const isThere = (runtime: Runtime): boolean =>
  runtime === 'node' || existsSync(bin(runtime));

export const runOne = (runtime: Runtime, task: Task, folder: string): Promise<Life> =>
  runtime === 'workerd' ? runWorkerd(task, folder) : runPayer(runtime, task);
