// A whole shop on the loopback, with a sandbox of the service, the example's Worker, and its page.
import '../../test/runners/quiet-tools.ts';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from 'paystate';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../dist/sandbox/index.js'; // of the same build as the command
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { type WorkerPlace, WorkerProcess } from './worker-process.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const example = join(root, 'worker-example');
const HOST = '127.0.0.1';

export interface ShopOptions {
  /** Used if it's free. */
  readonly port?: number;
  /** The address of its pages, if there's a proxy in front. */
  readonly origin?: string;
  /** Accounts of the service. The first one is the shop's. */
  readonly accounts?: SandboxOptions['accounts'];
  /** The file descriptor for errors of the Worker's process. */
  readonly errors?: number;
}

export interface Shop {
  readonly url: string;
  /** The address of the service. */
  readonly service: string;
  /** The file with the Worker's log. */
  readonly log: string;
  /** The folder of this start. Its `state/` has the Worker's databases. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly apiKey: string;
  readonly secrets: readonly string[];
  readonly officeSecret: string;
  /** Kills the Worker. `start` brings it back with its stored data. */
  kill(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the wished port if it's free, or any other. */
const freePort = (wished: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', () =>
      wished === 0 ? reject(new Error('no port is free')) : resolve(freePort(0)),
    );
    server.listen(wished, HOST, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });

const writeVars = (file: string, vars: Readonly<Record<string, string>>): void => {
  const lines = Object.entries(vars).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(file, lines.join(''), { mode: 0o600 });
};

/**
 * Writes the configuration of the Worker that sends refunds, because only the first Worker reads an
 * `--env-file`.
 */
function tillConfig(folder: string, vars: Readonly<Record<string, string>>): string {
  const place = join(folder, 'till');
  mkdirSync(place, { recursive: true });
  const text = readFileSync(join(example, 'till/wrangler.jsonc'), 'utf8');
  const config = JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, '')) as { readonly main: string };
  const main = join(example, 'till', config.main);
  writeFileSync(join(place, 'wrangler.json'), JSON.stringify({ ...config, main }));
  writeVars(join(place, '.dev.vars'), vars);
  return join(place, 'wrangler.json');
}

/**
 * Ends the subscriptions, because deliveries are repeated for days and would keep this process
 * alive.
 */
async function endDeliveries(sandbox: Sandbox): Promise<void> {
  const { subscriptions } = createClient(sandbox.clientOptions);
  for (const { id } of await subscriptions.list()) await subscriptions.remove(id);
}

/** Starts everything. It tries once more if another process has taken the chosen port. */
export const startShop = (options: ShopOptions = {}): Promise<Shop> =>
  startOn(options).catch(() => startOn(options));

const drawSecrets = () => ({
  TOKEN_SECRET: randomBytes(32).toString('hex'),
  WEBHOOK_SECRET: randomBytes(16).toString('hex'),
  OFFICE_SECRET: randomBytes(32).toString('hex'),
});

/** Opens a sandbox of the service, and serves it. */
async function openService(accounts: ShopOptions['accounts']) {
  const sandbox = createSandbox({
    seed: 'shop',
    clock: 'real',
    deliver: 'network',
    ...(accounts && { accounts }),
  });
  const served = await serveSandbox(sandbox);
  return { sandbox, apiKey: sandbox.clientOptions.apiKey ?? '', served };
}

async function startOn({ port = 0, origin = '', accounts, errors }: ShopOptions): Promise<Shop> {
  const folder = join(root, '.cache', `shop-${process.pid}-${randomBytes(4).toString('hex')}`);
  const { sandbox, apiKey, served } = await openService(accounts);
  const secrets = drawSecrets();
  const url = `http://${HOST}:${await freePort(port)}`;
  mkdirSync(folder, { recursive: true });
  const place: WorkerPlace = {
    folder: example,
    url,
    till: tillConfig(folder, { SERVICE: served.url, PAY_KEY: apiKey }),
    state: join(folder, 'state'),
    vars: join(folder, 'vars'),
    log: join(folder, 'worker.log'),
    ...(errors !== undefined && { errors }),
  };
  const vars = { SERVICE: served.url, ORIGIN: origin || url, API_KEY: apiKey, ...secrets };
  writeVars(place.vars, vars);
  const worker = new WorkerProcess(place);
  const close = async (): Promise<void> => {
    await worker.close();
    await endDeliveries(sandbox);
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  };
  const start = (): Promise<void> =>
    worker.start().catch(async (error: unknown) => {
      await close();
      throw error;
    });
  await start();
  return {
    url,
    service: served.url,
    log: place.log,
    folder,
    sandbox,
    apiKey,
    secrets: Object.values(secrets),
    officeSecret: secrets.OFFICE_SECRET,
    kill: () => worker.end('SIGKILL'),
    start,
    close,
  };
}
