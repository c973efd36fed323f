// A shop's server: the relay on SQLite in one process, or with DATABASE in several on PostgreSQL, for each runtime with its
// own server and sockets.
import { createClient } from 'paystate';
import { createHostedRelay, postgresqlOf } from 'paystate/host';
import { openPostgresql } from './postgresql.mjs';
import { serve } from './serve.mjs';

const env = globalThis.process.env;

const openDatabase =
  'Bun' in globalThis
    ? await import('bun:sqlite').then(
        ({ Database }) =>
          (file) =>
            new Database(file),
      )
    : await import('node:sqlite').then(
        ({ DatabaseSync }) =>
          (file) =>
            new DatabaseSync(file),
      );

const onOne = {
  open: (name) => openDatabase(`${env.FOLDER}/${name}.sqlite`),
  client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
};

const onSeveral = (postgresql) => ({
  open: () => openDatabase(':memory:'),
  postgresql,
  ownerTimeout: Number(env.OWNER_TIMEOUT),
  client: (fetch) => createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY, fetch }),
});

const say = ({ orderId }, { key }) => console.log(`shipped ${orderId} ${key}`);

/** The parcel is written in the transaction that ends the event; without a primary key, so that a second one is seen. */
async function ship(paid, context) {
  say(paid, context);
  await new Promise((resolve) => setTimeout(resolve, Number(env.HANDLING ?? 0)));
  if (env.DATABASE)
    context.tx((sql) =>
      postgresqlOf(sql).run(
        'INSERT INTO parcels (order_id, process) VALUES ($1, $2)',
        paid.orderId,
        process.pid,
      ),
    );
}

const relay = createHostedRelay({
  ...(env.DATABASE ? onSeveral(await openPostgresql(env.DATABASE)) : onOne),
  origin: env.ORIGIN,
  tokenSecret: env.TOKEN_SECRET,
  secrets: env.WEBHOOK_SECRET,
  leaseDuration: Number(env.HANDLER_LEASE ?? 300_000),
  on: { orderPaid: ship },
});

const answer = async (request, address) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/hooks/main') return relay.handleWebhook(request);
  if (pathname.startsWith('/pay/')) return relay.handle(request, address);
  if (pathname !== '/orders') return new Response(null, { status: 404 });
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, description: 'tea' };
  const order = await relay.createOrder(draft).catch(() => undefined);
  return order ? Response.json(order, { status: 201 }) : new Response(null, { status: 503 });
};

console.log(`listening on ${await serve(answer, Number(env.PORT))}`);
