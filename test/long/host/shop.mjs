// A shop's server in one process: the relay on SQLite, for each runtime with its own server and sockets.
import { createClient } from 'paystate';
import { createHostedRelay } from 'paystate/host';
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

const relay = createHostedRelay({
  open: (name) => openDatabase(`${env.FOLDER}/${name}.sqlite`),
  client: createClient({ baseUrl: env.SERVICE, apiKey: env.API_KEY }),
  origin: env.ORIGIN,
  tokenSecret: env.TOKEN_SECRET,
  secrets: env.WEBHOOK_SECRET,
  on: { orderPaid: ({ orderId }, { key }) => console.log(`shipped ${orderId} ${key}`) },
});

const answer = async (request, address) => {
  const { pathname } = new URL(request.url);
  if (pathname === '/hooks/main') return relay.handleWebhook(request);
  if (pathname.startsWith('/pay/')) return relay.handle(request, address);
  if (pathname !== '/orders') return new Response(null, { status: 404 });
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, description: 'tea' };
  return Response.json(await relay.createOrder(draft), { status: 201 });
};

console.log(`listening on ${await serve(answer, Number(env.PORT))}`);
