// A shop's server: the relay on SQLite in one process, or with DATABASE in several on PostgreSQL, for each runtime with its
// own server and sockets, or for the one that SERVER names.
import { createRequire } from 'node:module';
import { createClient } from 'paystate';
import { createHostedRelay, type HostedAccount, type RequestHandler } from 'paystate/host';
import {
  type PgClient,
  type PgPool,
  postgresqlDriver,
  type SqlDriver,
  sqliteDriver,
  type SqliteDatabase,
} from 'paystate/stores';
import { serve } from './serve.ts';

/** What the program is told; `openShop` sets what has no default. */
const env = process.env as Readonly<
  Record<'FILE' | 'SERVICE' | 'API_KEY' | 'ORIGIN' | 'TOKEN_SECRET' | 'WEBHOOK_SECRET', string> &
    Partial<Record<'DATABASE' | 'SERVER' | 'PORT' | 'HANDLING' | 'HANDLER_LEASE', string>> &
    Partial<Record<'WEBHOOK_URL', string>>
>;

async function openSqlite(file: string): Promise<SqlDriver> {
  if (!('Bun' in globalThis)) {
    const { DatabaseSync } = await import('node:sqlite');
    return sqliteDriver(new DatabaseSync(file));
  }
  const name = 'bun:sqlite'; // in a variable: it has no types
  const { Database } = (await import(name)) as {
    readonly Database: new (file: string) => SqliteDatabase;
  };
  return sqliteDriver(new Database(file));
}

interface Pg {
  readonly Client: new (options: { readonly connectionString: string }) => PgClient;
  readonly Pool: new (options: { readonly connectionString: string }) => PgPool;
}

function openPostgresql(connectionString: string): SqlDriver {
  const { Client, Pool } = createRequire(import.meta.url)('pg') as Pg;
  const openConnection = () => new Client({ connectionString });
  return postgresqlDriver(new Pool({ connectionString }), { openConnection });
}

type Ship = NonNullable<NonNullable<HostedAccount['on']>['orderPaid']>;

/** The parcel is written in the transaction that ends the event; without a primary key, so that a second one is seen. */
const ship: Ship = async (paid, context) => {
  console.log(`shipped ${paid.orderId} ${context.key}`);
  await new Promise((resolve) => setTimeout(resolve, Number(env.HANDLING ?? 0)));
  const text = 'INSERT INTO parcels (order_id, process) VALUES ($1, $2)';
  if (env.DATABASE) context.tx((sql) => sql.run(text, paid.orderId, process.pid));
};

const relay = createHostedRelay({
  driver: env.DATABASE ? openPostgresql(env.DATABASE) : await openSqlite(env.FILE),
  origin: env.ORIGIN,
  webhookUrl: env.WEBHOOK_URL,
  tokenSecret: env.TOKEN_SECRET,
  account: (name) =>
    name.startsWith('no')
      ? undefined
      : {
          client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
          secrets: env.WEBHOOK_SECRET,
          leaseDuration: Number(env.HANDLER_LEASE ?? 300_000),
          on: { orderPaid: ship },
          onProblem: (problem) =>
            console.log('problem', problem.kind, 'error' in problem ? String(problem.error) : ''),
        },
});
await relay.ready;

const respond: RequestHandler = async (request, from) => {
  const { pathname } = new URL(request.url);
  const [, first, account] = pathname.split('/');
  if (first === 'hooks') return relay.handleWebhook(account ?? '', request);
  if (first === 'pay') return relay.handle(request, from);
  if (first === 'health') return Response.json(relay.health());
  if (first !== 'orders') return new Response(null, { status: 404 });
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, description: 'tea' };
  const order = await relay.createOrder(account ?? 'main', draft).catch(() => undefined);
  return order ? Response.json(order, { status: 201 }) : new Response(null, { status: 503 });
};

const served = await serve(respond, Number(env.PORT ?? 0), env.SERVER);
process.once('SIGTERM', async () => {
  await relay.close(); // pages go to other processes, which have the work at once
  await served.close();
  console.log('closed');
  process.exit();
});
console.log(`listening on ${served.port}`);
