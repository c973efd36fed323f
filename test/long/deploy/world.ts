// The deployment of the cookbook on this machine: the service, PostgreSQL, the proxy, the processes of compose.yaml.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createSandbox } from '../../../dist/sandbox/index.js'; // of the same build as the command
import pg from 'pg';
import { findPostgresql } from '../../../scripts/postgresql.mjs';
import { serveSandbox } from '../../../dist/cli/serve-sandbox.js';
import { until } from '../../edge/until.ts';
import { freePort, type Postgresql } from '../../runners/stores/postgresql.ts';
import { composeFile, killAll, type Place, type Running, start, textOf } from './compose.ts';
import { Proxy } from './proxy.ts';

const PASSWORD = 'the password of the database, of a test';

/** A database as the image of PostgreSQL makes it for this environment: a superuser with a password, and schema.sql. */
async function prepareDatabase({ url }: Postgresql): Promise<URL> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query(`CREATE ROLE shop SUPERUSER LOGIN PASSWORD '${PASSWORD}'`);
  await admin.query('CREATE DATABASE shop OWNER shop');
  const { rows } = await admin.query('SHOW hba_file');
  const file = String(rows[0]!['hba_file']);
  writeFileSync(file, `host all shop 127.0.0.1/32 scram-sha-256\n${readFileSync(file, 'utf8')}`);
  await admin.query('SELECT pg_reload_conf()');
  await admin.end();
  const database = new URL(url);
  Object.assign(database, { username: 'shop', password: PASSWORD, pathname: 'shop' });
  const shop = new pg.Client({ connectionString: database.href });
  await shop.connect();
  await shop.query(textOf('schema.sql'));
  await shop.end();
  return database;
}

export async function openWorld(server: Postgresql) {
  const sandbox = createSandbox({ seed: 'deploy', clock: 'real', deliver: 'network' });
  const service = await serveSandbox(sandbox);
  const { apiKey } = sandbox.clientOptions as { readonly apiKey: string };
  const database = await prepareDatabase(server);
  const secrets = mkdtempSync(join(tmpdir(), 'paystate-secrets-'));
  const given: Record<string, string> = {
    api_key: apiKey,
    token_secret: 'a secret for the tokens of tests, long enough',
    webhook_secret: 'a secret for the webhooks of tests',
    database_password: PASSWORD,
  };
  for (const name of composeFile.services['one']!.secrets)
    writeFileSync(join(secrets, name), `${given[name]}\n`);
  const ports: Record<string, number> = { one: await freePort(), two: await freePort() };
  const proxy = new Proxy(ports);
  const url = await proxy.open();
  const place: Place = { vars: { SERVICE: service.url, ORIGIN: url }, secrets, database };
  let pool: InstanceType<typeof pg.Pool> | undefined;
  const shops = new Map<string, Running>();
  return {
    ...{ sandbox, proxy, url, place, ports },
    async query(text: string, values: string[] = []) {
      // an idle connection ends with its database, which this pool has to bear
      pool ??= new pg.Pool({ connectionString: database.href }).on('error', () => {});
      return (await pool.query(text, values)).rows;
    },
    shop: (name: string) => shops.get(name)!,
    /** Starts these services, each after those among them that it depends on. */
    async up(...names: string[]) {
      const healthy = new Map<string, Promise<void>>();
      const begin = async (name: string) => {
        const { depends_on: needed } = composeFile.services[name]!;
        for (const other of Object.keys(needed)) await healthy.get(other);
        shops.set(name, await start(name, place, ports[name]!));
        await until('the proxy', () => proxy.isHealthy(name));
      };
      for (const name of names) healthy.set(name, begin(name));
      await Promise.all(healthy.values());
    },
    /** Asks them to end, as `docker compose stop` does; then nothing is connected to the database. */
    async down(...names: string[]) {
      for (const name of names) shops.get(name)!.child.kill('SIGTERM');
      for (const name of names) expect(await shops.get(name)!.ended).to.equal(0);
      await pool?.end();
      pool = undefined;
    },
    async close() {
      killAll();
      proxy.close();
      await pool?.end();
      await service.close();
      rmSync(secrets, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** The commands that README.md gives for the container of the database, run by the programs of this machine. */
export function runInDatabase({ place }: World, program: string): void {
  const [, args = '', direction, file = ''] =
    new RegExp(
      `^docker compose exec (?:-T )?database ${program} ([^<>\\n]+?)(?: ([<>]) (\\S+))?$`,
      'm',
    ).exec(textOf('README.md')) ?? [];
  const { hostname, port } = place.database;
  const env = { PGHOST: hostname, PGPORT: port, PGPASSWORD: PASSWORD };
  const path = join(place.secrets, file);
  const { status, stdout, stderr } = spawnSync(join(findPostgresql()!, program), args.split(' '), {
    env,
    ...(direction === '<' && { input: readFileSync(path) }),
    maxBuffer: 1e8,
  });
  expect(status, `${program} ${args}: ${stderr}`).to.equal(0);
  if (direction === '>') writeFileSync(path, stdout);
}
