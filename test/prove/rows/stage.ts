// The ground on which all proofs of the rows are played: PostgreSQL with a database of its own, the service, shops as processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { productionRateLimits, type RateLimits } from 'paystate';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { serve } from '../../../dist/cli/loopback.js';
import { until } from '../../edge/until.ts';
import { openWay } from '../../long/host/way.ts';
import type { Postgresql } from '../../runners/stores/postgresql.ts';
import { ORIGIN, Pages, WEBHOOK_SECRET } from './pages-of.ts';

const SHOP = fileURLToPath(new URL('shop.ts', import.meta.url));

type Row = Readonly<Record<string, string | number | null>>;

interface PgPool {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  connect(): Promise<PgPool & { release(): void }>;
  on(event: 'error', listener: () => void): unknown;
  end(): Promise<void>;
}

const pg = createRequire(import.meta.url)('pg') as {
  readonly Pool: new (options: object) => PgPool;
};

/** A pool of its own, whose idle connections may be ended by a restart. */
function openPool(connectionString: string, max = 4): PgPool {
  const pool = new pg.Pool({ connectionString, max });
  pool.on('error', () => {});
  return pool;
}

export interface Shop {
  readonly child: ChildProcess;
  readonly port: number;
  /** Returns its output. */
  readonly output: () => string;
  kill(): Promise<void>;
}

export interface StageOptions {
  /** The service's limits are multiplied by this, and what the shops know of them. */
  readonly raised?: number;
  /** The shops' way to the database can be cut or made silent. */
  readonly hasWay?: boolean;
  /** Variables of all shops, in addition. */
  readonly env?: Readonly<Record<string, string>>;
}

let databases = 0;

/** The service's limits, multiplied. */
function raisedBy(factor: number): RateLimits {
  const rows = Object.entries(productionRateLimits).map(
    ([bucket, row]) => [bucket, { ...row, limit: row.limit * factor }] as const,
  );
  return Object.fromEntries(rows) as unknown as RateLimits;
}

export interface Stage {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly way: Awaited<ReturnType<typeof openWay>> | undefined;
  readonly pages: Pages;
  readonly pool: PgPool;
  start(more?: Readonly<Record<string, string>>): Promise<Shop>;
  query(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** A database of its own, the service, and shops on them. */
export async function openStage(
  postgresql: Postgresql,
  { raised = 1, hasWay = false, env = {} }: StageOptions = {},
): Promise<Stage> {
  const name = `rows_${process.pid}_${++databases}`;
  const first = openPool(postgresql.url, 1);
  await first.query(`CREATE DATABASE ${name}`);
  await first.end();
  const direct = new URL(postgresql.url);
  direct.pathname = name;
  const pool = openPool(direct.href, 8);
  await pool.query('CREATE TABLE parcels (account TEXT, order_id TEXT, process INTEGER)');
  await pool.query('CREATE TABLE runs (order_id TEXT, key TEXT, process INTEGER)');
  const way = hasWay ? await openWay(direct.hostname, Number(direct.port)) : undefined;
  const through = new URL(direct);
  if (way) through.port = `${way.port}`;
  const sandbox = createSandbox({
    ...{ seed: 'rows', clock: 'real' },
    ...(raised !== 1 && { rateLimits: raisedBy(raised) }),
  });
  const service = await serve((request: Request) => sandbox.fetch(request));
  const shops = new Set<Shop>();
  const pages = new Pages();
  return {
    ...{ sandbox, way, pages, pool, url: direct.href },
    async start(more = {}) {
      const shop = await openShop({
        ...{ DATABASE: through.href, SERVICE: service.url, RAISED: `${raised}` },
        ...{ API_KEY: (sandbox.clientOptions as { apiKey: string }).apiKey, LOG: direct.href },
        ...{ ORIGIN, WEBHOOK_SECRET, ...env, ...more },
      });
      shops.add(shop);
      return shop;
    },
    query: async (text, values) => (await pool.query(text, values)).rows,
    async close() {
      pages.close();
      for (const shop of shops) await shop.kill();
      way?.close();
      await service.close();
      await pool.end();
    },
  };
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

async function openShop(env: Readonly<Record<string, string>>): Promise<Shop> {
  const args = ['--expose-gc', SHOP];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env } });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => (output = (output + String(text)).slice(-20_000)));
  const ended = once(child, 'exit');
  child.once('exit', () => running.delete(child));
  const port = await until('the shop', () => {
    if (child.exitCode !== null) throw new Error(output);
    return /listening on (\d+)/.exec(output)?.[1];
  });
  return {
    ...{ child, port: Number(port), output: () => output },
    async kill() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await ended;
    },
  };
}
