// How a process of each runtime is started: it ends by the signal, or says how its payments ended.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleTests } from '../../test/runners/one-file.mjs';
import { COMPATIBILITY_DATE } from '../../test/runners/workerd.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PAYER = fileURLToPath(new URL('payer.mjs', import.meta.url));
export const bin = (name) => join(root, 'node_modules/.bin', name);
const LONGEST = 60_000;

const COMMANDS = {
  node: [process.execPath],
  deno: [bin('deno'), 'run', '--quiet', '--no-check', '--no-prompt', '--no-remote', '-A'],
};

/** Runs one process to its end: `{ killed: { point, name }, kept }`, or `{ points }` and what came of it. */
async function runPayer(runtime, task) {
  const [command, ...flags] = COMMANDS[runtime];
  const child = spawn(command, [...flags, PAYER, JSON.stringify(task)], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1' },
    timeout: LONGEST,
  });
  let [said, errors] = ['', ''];
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (errors += text));
  const [, signal] = await once(child, 'close');
  const lines = said.trim()
    ? said
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
  const [last = {}, kept] = [lines.at(-1), lines.flatMap((line) => line.kept ?? [])];
  if (last.ends || last.found) return last;
  if (signal === 'SIGKILL' && last.point) return { killed: last, kept };
  throw new Error(`${runtime} ended otherwise: ${signal} ${said} ${errors.slice(-800)}`);
}

let worker;

/** The Worker as one file, made once. */
const workerFile = (folder) =>
  (worker ??= (async () => {
    const file = join(root, 'scripts/kills/worker.mjs');
    await bundleTests({
      root,
      files: [file],
      after: "export { default, Payer } from './scripts/kills/worker.mjs';",
      outfile: join(folder, 'worker.js'),
      conditions: ['workerd', 'worker', 'browser', 'es2015'],
    });
  })());

const linesOf = (list) => list.join(',\n    ');

/** What workerd is told: a port, a folder for what objects keep, their classes by binding, and texts by name. */
export function workerdConfig({ port, place, objects, vars = {} }) {
  const namespaces = Object.values(objects).map(
    (name) => `(className = "${name}", uniqueKey = "${name.toLowerCase()}", enableSql = true)`,
  );
  const bindings = Object.entries(objects).map(
    ([name, object]) => `(name = "${name}", durableObjectNamespace = "${object}")`,
  );
  const texts = Object.entries(vars).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  );
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "disk", disk = (path = ${JSON.stringify(place)}, writable = true)),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "${COMPATIBILITY_DATE}",
  durableObjectNamespaces = [
    ${linesOf(namespaces)}
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    ${linesOf([...bindings, ...texts])}
  ],
);
`;
}

/** Takes a port that is free now. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Hears where the Worker is, and kills it there. */
async function openKiller(child) {
  let killed;
  const server = createServer(async (request) => {
    killed = JSON.parse(Buffer.concat(await request.toArray()).toString());
    child.kill('SIGKILL');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    killed: () => killed,
    close: () => (server.close(), server.closeAllConnections()),
  };
}

export async function whenReady(url, child) {
  for (let tries = 0; tries < 400 && child.exitCode === null; tries++) {
    const isThere = await fetch(url, { method: 'OPTIONS' }).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (isThere) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('workerd did not start');
}

async function runWorkerd(task, folder) {
  await workerFile(folder);
  mkdirSync(task.place, { recursive: true });
  const port = await freePort();
  const config = join(folder, `config-${port}.capnp`);
  writeFileSync(config, workerdConfig({ port, place: task.place, objects: { PAYER: 'Payer' } }));
  const child = spawn(bin('workerd'), ['serve', config], { cwd: folder, timeout: LONGEST });
  let errors = '';
  child.stderr.on('data', (text) => (errors += text));
  const ended = once(child, 'close');
  const killer = await openKiller(child);
  const url = `http://127.0.0.1:${port}/`;
  try {
    await whenReady(url, child);
    const body = JSON.stringify({ ...task, killer: killer.url });
    const answer = await fetch(url, { method: 'POST', body }).then(
      (response) => response.json(),
      () => undefined,
    );
    if (answer) return answer;
    if (killer.killed()) return { killed: killer.killed() };
    throw new Error(`workerd ended otherwise: ${errors.slice(-800)}`);
  } finally {
    child.kill('SIGKILL');
    await ended;
    killer.close();
  }
}

/** Whether the runtime is installed. */
export const isThere = (runtime) => runtime === 'node' || existsSync(bin(runtime));

export const runOne = (runtime, task, folder) =>
  runtime === 'workerd' ? runWorkerd(task, folder) : runPayer(runtime, task);
