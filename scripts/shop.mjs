// A whole shop on the loopback: the service in a box, the example's Worker before it, and its page.
import './quiet-tools.mjs';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const example = join(root, 'worker-example');
const HOST = '127.0.0.1';
const LONGEST_START = 30_000;

/** The wished port if it is free, else any. */
const freePort = (wished) =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', () =>
      wished === 0 ? reject(new Error('no port is free')) : resolve(freePort(0)),
    );
    server.listen(wished, HOST, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** The configuration of the Worker that pays back, with what it is told here beside it: an `--env-file` is for the first Worker. */
const tillConfig = (folder, vars) => {
  const place = join(folder, 'till');
  mkdirSync(place, { recursive: true });
  const text = readFileSync(join(example, 'till/wrangler.jsonc'), 'utf8');
  const config = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ''));
  const main = join(example, 'till', config.main);
  writeFileSync(join(place, 'wrangler.json'), JSON.stringify({ ...config, main }));
  writeVars(join(place, '.dev.vars'), vars);
  return join(place, 'wrangler.json');
};

const writeVars = (file, vars) => {
  const lines = Object.entries(vars).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
};

const endDeliveries = async (sandbox) => {
  const { createClient } = await import('../dist/index.js');
  const { subscriptions } = createClient(sandbox.clientOptions);
  for (const { id } of await subscriptions.list()) await subscriptions.remove(id);
};

const answers = async (url, worker) => {
  for (const start = performance.now(); performance.now() - start < LONGEST_START; ) {
    if (worker.exitCode !== null) break;
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the Worker did not start');
};

/** The notice that crons do not run by themselves on this machine, line by line; the back office compares by a button. */
const CRON_NOTICE = [
  /Scheduled Workers are not automatically triggered during local development/,
  /^ *To manually trigger a scheduled event, run:$/,
  /^ *curl "[^"]*\/scheduled"$/,
  /^ *For more details, see .*cron-triggers/,
];

/** Says of one line after the other whether it belongs to that notice; the empty lines in and after it do. */
export function cronNotice() {
  let next = 0;
  return (line) => {
    const plain = stripVTControlCharacters(line);
    if (CRON_NOTICE[next]?.test(plain)) next++;
    else if (next > 0 && plain.trim() !== '') next = 0;
    return next > 0;
  };
}

/** Passes on what the Worker's process reports as errors. */
async function tell(stream) {
  const isNotice = cronNotice();
  for await (const line of createInterface({ input: stream }))
    if (!isNotice(line)) console.error(line);
}

/**
 * Starts everything, and once more if another has taken the port that was chosen: { url, service, log, folder, sandbox, apiKey, secrets, officeSecret, kill, start, close }; `log` is the Worker's file. `origin`: where its pages are, if something
 * stands before it; `accounts`: of the service, the shop's first; `errors`: descriptor of a file for what the Worker's process reports as errors.
 *
 * @param {{ port?: number, origin?: string, accounts?: readonly { handle: string }[], errors?: number }} [options]
 */
export const startShop = (options = {}) => startOn(options).catch(() => startOn(options));

async function startOn({ port = 0, origin = '', accounts, errors }) {
  const { createSandbox } = await import('../dist/sandbox/index.js');
  const { serveSandbox } = await import('./serve-sandbox.mjs');
  const folder = join(root, '.cache', `shop-${process.pid}-${randomBytes(4).toString('hex')}`);
  const sandbox = createSandbox({ seed: 'shop', clock: 'real', deliver: 'network', accounts });
  const service = await serveSandbox(sandbox, {});
  const { apiKey } = sandbox.clientOptions;
  const secrets = {
    TOKEN_SECRET: randomBytes(32).toString('hex'),
    WEBHOOK_SECRET: randomBytes(16).toString('hex'),
    OFFICE_SECRET: randomBytes(32).toString('hex'),
  };
  const chosen = await freePort(port);
  const url = `http://${HOST}:${chosen}`;
  const vars = { SERVICE: service.url, ORIGIN: origin || url, API_KEY: apiKey, ...secrets };
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'vars');
  const log = join(folder, 'worker.log');
  writeVars(file, vars);
  const till = tillConfig(folder, { SERVICE: service.url, PAY_KEY: apiKey });
  const options = [
    'dev',
    '-c',
    'wrangler.jsonc',
    '-c',
    till,
    '--ip',
    HOST,
    '--port',
    String(chosen),
    '--persist-to',
    join(folder, 'state'),
    '--env-file',
    file,
    '--show-interactive-dev-session=false',
  ];
  let worker;
  const isRunning = () => worker?.exitCode === null && worker.signalCode === null;
  const orphan = () => void (isRunning() && process.kill(-worker.pid, 'SIGKILL'));
  process.once('exit', orphan);
  const end = async (signal) => {
    const ended = isRunning() ? once(worker, 'exit') : undefined;
    if (ended) process.kill(-worker.pid, signal);
    await ended;
  };
  const close = async () => {
    await end('SIGTERM');
    process.off('exit', orphan);
    await endDeliveries(sandbox); // those that are repeated for days would keep this process
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async () => {
    worker = spawn(join(root, 'node_modules/.bin/wrangler'), options, {
      cwd: example,
      env: { ...process.env, WRANGLER_LOG: 'log' },
      detached: true,
      stdio: ['ignore', openSync(log, 'a'), errors ?? 'pipe'],
    });
    if (worker.stderr) void tell(worker.stderr);
    await answers(url, worker).catch(async (error) => {
      await close();
      throw error;
    });
  };
  await start();
  return {
    url,
    service: service.url,
    log,
    folder,
    sandbox,
    apiKey,
    secrets: Object.values(secrets),
    officeSecret: secrets.OFFICE_SECRET,
    kill: () => end('SIGKILL'),
    start,
    close,
  };
}
