// A shop's server: the relay on SQLite in one process, or with DATABASE in several on PostgreSQL, for each runtime with its
// own server and sockets.
import { createRequire } from 'node:module';
import { createClient } from 'paystate';
import { createHostedRelay } from 'paystate/host';
import { postgresqlDriver, sqliteDriver } from 'paystate/stores';
import { serve } from './serve.mjs';

const env = globalThis.process.env;

async function openSqlite(file) {
  if (!('Bun' in globalThis)) {
    const { DatabaseSync } = await import('node:sqlite');
    return sqliteDriver(new DatabaseSync(file));
  }
  const { Database } = await import('bun:sqlite');
  return sqliteDriver(new Database(file));
}

function openPostgresql(connectionString) {
  const { Client, Pool } = createRequire(import.meta.url)('pg');
  const openConnection = () => new Client({ connectionString });
  return postgresqlDriver(new Pool({ connectionString }), { openConnection });
}

const say = ({ orderId }, { key }) => console.log(`shipped ${orderId} ${key}`);

/** The parcel is written in the transaction that ends the event; without a primary key, so that a second one is seen. */
async function ship(paid, context) {
  say(paid, context);
  await new Promise((resolve) => setTimeout(resolve, Number(env.HANDLING ?? 0)));
  const text = 'INSERT INTO parcels (order_id, process) VALUES ($1, $2)';
  if (env.DATABASE) context.tx((sql) => sql.run(text, paid.orderId, process.pid));
}

const relay = createHostedRelay({
  driver: env.DATABASE ? openPostgresql(env.DATABASE) : await openSqlite(env.FILE),
  origin: env.ORIGIN,
  tokenSecret: env.TOKEN_SECRET,
  account: (name) =>
    name.startsWith('no')
      ? undefined
      : {
          client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
          secrets: env.WEBHOOK_SECRET,
          leaseDuration: Number(env.HANDLER_LEASE ?? 300_000),
          on: { orderPaid: ship },
          onProblem: ({ kind, error }) =>
            console.log('problem', kind, String(error?.message ?? '')),
        },
});
await relay.ready;

const answer = async (request, address) => {
  const { pathname } = new URL(request.url);
  const [, first, account] = pathname.split('/');
  if (first === 'hooks') return relay.handleWebhook(account, request);
  if (first === 'pay') return relay.handle(request, { address: address ?? null });
  if (first === 'health') return Response.json(relay.health());
  if (first !== 'orders') return new Response(null, { status: 404 });
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, description: 'tea' };
  const order = await relay.createOrder(account ?? 'main', draft).catch(() => undefined);
  return order ? Response.json(order, { status: 201 }) : new Response(null, { status: 503 });
};

console.log(`listening on ${await serve(answer, Number(env.PORT))}`);
