// Builds the recipes for Next and SvelteKit in real projects, with the package as it is published,
// and sells through their servers. It installs half a gigabyte, so it is no part of `npm test`.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { createClient } from 'paystate';
import { createSandbox } from '../../../dist/sandbox/index.js'; // of the same build as the command
import { makeDelivery, makeEvent } from 'paystate/testing';
import { serveSandbox } from '../../../dist/cli/serve-sandbox.js';
import { root } from '../../house/source.ts';
import { type Framework, FRAMEWORKS } from './projects.ts';
import type { StartedServer, World } from './relay-story.ts';

const HOST = '127.0.0.1';
const LONGEST_START_MS = 20_000;
const SECRET = 'the secret of the shop';

const run = (cwd: string, command: string, ...args: readonly string[]): void => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}\n${stdout}${stderr}`);
};
// Next ends its process at once on SIGTERM unless it is told that the program does so.
const env = {
  ...process.env,
  NEXT_TELEMETRY_DISABLED: '1',
  NEXT_MANUAL_SIG_HANDLE: 'true',
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, HOST, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });

/** A project in an empty folder, with the package as it is published. */
function makeProject(name: string, { packages, files, recipe, at, scripts }: Framework): string {
  const folder = join(root, '.cache/frameworks', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(root, 'npm', 'pack', '--ignore-scripts', '--silent', '--pack-destination', folder);
  const [tarball] = readdirSync(folder);
  const dependencies = { ...packages, paystate: `file:${tarball}` };
  const manifest = { name: `with-${name}`, private: true, type: 'module', scripts, dependencies };
  for (const [path, text] of Object.entries({
    ...files,
    'package.json': JSON.stringify(manifest),
  })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(dirname(join(folder, at)), { recursive: true });
  cpSync(join(root, 'demo/cookbook', recipe), join(folder, at));
  run(folder, 'npm', 'install', '--silent', '--no-audit', '--no-fund');
  run(folder, 'npm', 'run', '--silent', 'build');
  return folder;
}

const responds = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

/** Starts the framework's own server; resolves when it responds. */
async function startServer(
  folder: string,
  { server }: Framework,
  vars: Readonly<Record<string, string>>,
): Promise<StartedServer> {
  const port = await freePort();
  const url = `http://${HOST}:${port}`;
  const [file = '', ...args] = server(port);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(folder, file), ...args], {
    cwd: folder,
    env: { ...env, ...vars, PORT: String(port), HOST, ORIGIN: url, PAGES: url },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = { url, child, said: '', ms: 0 };
  child.stdout.on('data', (text: Buffer) => (started.said += text));
  while (performance.now() - startedAt < LONGEST_START_MS) {
    if (await responds(url)) return Object.assign(started, { ms: performance.now() - startedAt });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`${file} did not start within ${LONGEST_START_MS} ms`);
}

const deliver: World['deliver'] = async (url, secret, entityId) => {
  const event = entityId
    ? makeEvent({ data: { entityId }, created: new Date().toISOString() })
    : makeEvent();
  const delivery = await makeDelivery(event, secret);
  const { method, headers } = delivery;
  return (await fetch(url, { method, headers, body: await delivery.text() })).status;
};

const sandbox = createSandbox({ clock: 'real' });
const service = await serveSandbox(sandbox);
const client = createClient(sandbox.clientOptions);
const amount = { amount: '5.00', currency: 'EUR' };
await client.invoices.create({ amount, correlationId: 'order-1' });
const vars = {
  SERVICE: service.url,
  API_KEY: sandbox.clientOptions.apiKey ?? '',
  SECRET,
  TOKEN_SECRET: 'a secret for the tokens of pages, long enough',
};

async function play(name: string, framework: Framework): Promise<void> {
  const server = await startServer(makeProject(name, framework), framework, vars);
  const world = { deliver, secret: SECRET, sandbox, origin: server.url, server };
  try {
    const seen = JSON.stringify(await framework.ask(server.url, world));
    const wanted = JSON.stringify(framework.expected);
    console.log(`${name}: ${seen}; its server was up after ${Math.round(server.ms)} ms`);
    if (seen !== wanted) throw new Error(`${name}: expected ${wanted}`);
  } finally {
    server.child.kill('SIGKILL');
  }
}

try {
  for (const [name, framework] of Object.entries(FRAMEWORKS)) await play(name, framework);
} finally {
  await service.close();
}
process.exit(0); // timers of the sandbox are left
