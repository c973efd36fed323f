// What a Worker with a client takes to start in workerd, beside one that is empty: processor time of the process until
// its first answer. Linux says how much a process has used; elsewhere nothing is measured.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { median, rounded, type Taken } from './measure.ts';

const ROUNDS = 9;
const root = fileURLToPath(new URL('../..', import.meta.url));

const answering = 'export default { fetch: () => new Response(typeof used) };';
const WORKERS: Readonly<Record<string, string>> = {
  'empty Worker': `const used = 1; ${answering}`,
  'Worker with createClient': `import { createClient } from 'paystate';
    const used = createClient({ baseUrl: 'https://service.invalid', apiKey: 'KEY' }); ${answering}`,
  'Worker with one resource': `import { createConnection } from 'paystate';
    import * as invoices from 'paystate/operations/invoices';
    const used = [createConnection, invoices]; ${answering}`,
};

async function bundle(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader: 'js' },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker'],
  });
  return outputFiles[0]!.text;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => void server.close(resolve));
  return port;
}

const configOf = (port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker", esModule = embed "worker.js")],
    compatibilityDate = "2025-09-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`;

/** Milliseconds of processor time that all threads of a process have used. */
function processorTimeOf(process: number): number {
  const threads = `/proc/${process}/task`;
  const times = readdirSync(threads).map((thread) =>
    Number(readFileSync(`${threads}/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

/** Milliseconds of processor time until the first answer. */
async function start(folder: string): Promise<number> {
  const port = await freePort();
  writeFileSync(join(folder, 'config.capnp'), configOf(port));
  const child = spawn(join(root, 'node_modules/workerd/bin/workerd'), ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: 'ignore',
  });
  try {
    for (let tries = 0; tries < 1_000; tries++) {
      const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
      if (response) break;
      await new Promise((resolve) => void setTimeout(resolve, 5));
    }
    return processorTimeOf(child.pid!);
  } finally {
    child.kill('SIGKILL');
  }
}

export async function measureWorkers(): Promise<Readonly<Record<string, Taken>>> {
  if (!existsSync('/proc/self/schedstat')) return {};
  const names = Object.keys(WORKERS);
  const folders = new Map<string, string>();
  for (const name of names) {
    const folder = mkdtempSync(join(tmpdir(), 'paystate-bench-'));
    writeFileSync(join(folder, 'worker.js'), await bundle(WORKERS[name]!));
    folders.set(name, folder);
  }
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -1; round < ROUNDS; round++)
    for (const name of names) {
      const time = await start(folders.get(name)!);
      if (round >= 0) times.get(name)!.push(time);
    }
  for (const folder of folders.values()) rmSync(folder, { recursive: true });
  const first = median(times.get(names[0]!)!);
  const found = names.map((name) => {
    const time = median(times.get(name)!);
    return [name, [rounded(time, 1), rounded(time / first, 2)]] as const;
  });
  console.log('workerd until its first answer; milliseconds of processor time, and times empty');
  for (const [name, [time, ratio]] of found)
    console.log(`  ${name.padEnd(30)}${time.toFixed(0).padStart(6)}   ${ratio.toFixed(2)} ×`);
  return Object.fromEntries(found);
}
