// The example's shop on Node: the service, PostgreSQL, a proxy for webhooks and browsers, and two
// processes of the shop.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createSandbox } from '../../dist/sandbox/index.js'; // of the same build as the command
import { serveSandbox } from '../../dist/cli/serve-sandbox.js';
import { until } from '../edge/until.ts';
import { root } from '../house/source.ts';
import { freePort, openPostgresql, type Postgresql } from '../runners/stores/postgresql.ts';
import { Proxy } from './deploy/proxy.ts';

export type Name = 'one' | 'two';

const example = join(root, 'worker-example');

/** A process of the shop. */
interface Running {
  readonly child: ChildProcess;
  output(): string;
  readonly ended: Promise<unknown>;
}

function startProcess(environment: Readonly<Record<string, string>>): Running {
  const env = { PATH: process.env['PATH']!, ...environment };
  const child = spawn(process.execPath, ['src/node.ts'], { cwd: example, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output += String(text)));
  return { child, output: () => output, ended: once(child, 'close') };
}

export async function openShop(postgresql: Postgresql) {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: example });
  if (status !== 0) throw new Error(String(stderr));
  const sandbox = createSandbox({ seed: 'node-shop', clock: 'real', deliver: 'network' });
  const service = await serveSandbox(sandbox);
  const { apiKey } = sandbox.clientOptions as { readonly apiKey: string };
  const ports = { one: await freePort(), two: await freePort() };
  const proxy = new Proxy(ports);
  const url = await proxy.open();
  const secrets = {
    TOKEN_SECRET: randomBytes(32).toString('hex'),
    WEBHOOK_SECRET: randomBytes(16).toString('hex'),
    OFFICE_SECRET: randomBytes(32).toString('hex'),
  };
  const environment = {
    ...{ DATABASE_URL: postgresql.url, SERVICE: service.url, ORIGIN: url, PROXIES: '1' },
    ...{ API_KEY: apiKey, PAY_KEY: apiKey, ...secrets },
  };
  const database = await openPostgresql(postgresql.url);
  const processes = new Map<Name, Running>();
  const outputs: Running[] = [];
  return {
    ...{ sandbox, proxy, url, apiKey, secrets, ports, service: service.url },
    officeSecret: secrets.OFFICE_SECRET,
    /** All that processes have written. */
    log: () => outputs.map(({ output }) => output()).join('\n'),
    async query(sql: string, ...values: readonly string[]) {
      return (await database.batch([{ sql, values }]))[0]!;
    },
    /** @param own what its environment has in place of the usual */
    async start(name: Name, own: Readonly<Record<string, string>> = {}) {
      const running = startProcess({ ...environment, PORT: `${ports[name]}`, ...own });
      processes.set(name, running);
      outputs.push(running);
      await until(`${name} to be healthy`, () => {
        if (running.child.exitCode !== null) throw new Error(running.output());
        return running.output().includes('"listening"') && proxy.isHealthy(name);
      });
    },
    /** Ends a process at once, in whatever it is doing. */
    async kill(name: Name) {
      const { child, ended } = processes.get(name)!;
      child.kill('SIGKILL');
      await ended;
    },
    /** Asks a process to end; resolves to its exit code. */
    async stop(name: Name) {
      const { child, ended } = processes.get(name)!;
      child.kill('SIGTERM');
      return ((await ended) as [number | null])[0];
    },
    async close() {
      for (const { child, ended } of processes.values()) {
        child.kill('SIGKILL');
        await ended;
      }
      proxy.close();
      await database.end();
      await service.close();
    },
  };
}

export type NodeShop = Awaited<ReturnType<typeof openShop>>;
