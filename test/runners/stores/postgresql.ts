// A PostgreSQL of its own for a test, on a port of this machine, and drivers for it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgresql } from '../../../scripts/postgresql.mjs';
import {
  type PgClient,
  type PgPool,
  postgresqlDriver,
  type PostgresqlDriver,
  type PostgresqlOptions,
} from 'paystate/stores';

/** A driver by one of the two packages; `end` closes what it has open. */
export interface OpenPostgresql extends PostgresqlDriver {
  end(): Promise<void>;
}

export async function openPostgresql(
  url: string,
  kind: 'postgresql' | 'postgres' = 'postgresql',
  options: PostgresqlOptions = {},
): Promise<OpenPostgresql> {
  const driver = await (kind === 'postgres' ? byPostgres(url, options) : byPg(url, options));
  return { ...driver, end: () => driver.close() };
}

interface Pg {
  readonly Client: new (options: { readonly connectionString: string }) => PgClient;
  readonly Pool: new (options: { readonly connectionString: string }) => PgPool;
}

async function byPg(
  connectionString: string,
  options: PostgresqlOptions,
): Promise<PostgresqlDriver> {
  const name = 'pg'; // in a variable: it has no types
  const { default: pg } = (await import(name)) as { readonly default: Pg };
  const openConnection = () => new pg.Client({ connectionString });
  return postgresqlDriver(new pg.Pool({ connectionString }), { ...options, openConnection });
}

async function byPostgres(url: string, options: PostgresqlOptions): Promise<PostgresqlDriver> {
  const { default: postgres } = await import('postgres');
  return postgresqlDriver(() => postgres(url, { max: 1, onnotice() {} }), options);
}

/** Takes away all tables. */
export async function emptyPostgresql(connectionString: string): Promise<void> {
  const { batch, end } = await openPostgresql(connectionString);
  const statements = ['DROP SCHEMA public CASCADE', 'CREATE SCHEMA public'];
  await batch(statements.map((sql) => ({ sql, values: [] })));
  await end();
}

/** The programs refuse to run as root. */
function owner(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) =>
    Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** A port of this machine that nobody listens at. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

export interface Postgresql {
  readonly version: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** A server that can be started again with what it has. */
export interface RestartablePostgresql extends Postgresql {
  /** Ends all connections, and starts it again. */
  restart(): Promise<void>;
}

/** Starts a server with an empty database; `undefined` where PostgreSQL is not installed. */
export async function startPostgresql(): Promise<RestartablePostgresql | undefined> {
  const bin = findPostgresql();
  if (!bin) return undefined;
  const user = owner();
  const folder = mkdtempSync(join(tmpdir(), 'paystate-pg-'));
  chmodSync(folder, 0o700);
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid!);
  const data = join(folder, 'data');
  const made = spawnSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ];
  const start = async (): Promise<() => Promise<void>> => {
    const server = spawn(
      join(bin, 'postgres'),
      ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
      { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let said = '';
    server.stderr.on('data', (text) => (said += text));
    const ended = once(server, 'exit');
    while (!said.includes('ready to accept connections')) {
      if (server.exitCode !== null) throw new Error(`postgres: ${said}`);
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
    return async () => {
      server.kill('SIGINT');
      await ended;
    };
  };
  let end = await start();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const { stdout } = spawnSync(join(bin, 'postgres'), ['--version'], { encoding: 'utf8' });
  return {
    version: stdout.trim(),
    url,
    async restart() {
      await end();
      end = await start();
    },
    async stop() {
      await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
