// A database of PostgreSQL of its own, the way to it, and shops on it.
import { createRequire } from 'node:module';
import { postgresqlDriver, type SqlRow } from 'paystate/stores';
import { type Postgresql } from '../../runners/stores/postgresql.ts';
import { openShop, type Shop } from './shops.ts';
import { openWay } from './way.ts';

interface Client {
  connect(): Promise<void>;
  query(sql: string): Promise<unknown>;
  end(): Promise<void>;
}

interface Pg {
  readonly Client: new (url: string) => Client;
  readonly Pool: new (options: object) => never;
}

const pg = createRequire(import.meta.url)('pg') as Pg;
let databases = 0;

/** A database of its own, and shops on it. */
export async function openWorld(
  postgresql: Postgresql,
  env: Readonly<Record<string, string>> = {},
) {
  const name = `shop_${process.pid}_${++databases}`;
  const client = new pg.Client(postgresql.url);
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`); // no transaction may do that
  await client.end();
  const direct = new URL(postgresql.url);
  direct.pathname = name;
  const way = await openWay(direct.hostname, Number(direct.port));
  const own = postgresqlDriver(new pg.Pool({ connectionString: direct.href }));
  const run = async (sql: string): Promise<readonly SqlRow[]> =>
    (await own.batch([{ sql, values: [] }], { timeoutMs: 60_000 }))[0]!;
  await run('CREATE TABLE parcels (order_id TEXT, process INTEGER)');
  const through = new URL(direct);
  through.port = `${way.port}`;
  const shops: Shop[] = [];
  return {
    ...{ way, run },
    /** A connection of its own, for locks that are held. */
    async connect(): Promise<Client> {
      const one = new pg.Client(direct.href);
      await one.connect();
      return one;
    },
    /** @param folder that of the package which it uses */
    async start(more: Readonly<Record<string, string>> = {}, folder?: string): Promise<Shop> {
      const own = { DATABASE: through.href, ...env, ...more };
      const shop = await openShop([process.execPath], own, folder);
      shops.push(shop);
      return shop;
    },
    parcels: () => run('SELECT order_id, process FROM parcels'),
    async close() {
      for (const shop of shops) await shop.end();
      await own.close();
      way.close();
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;
