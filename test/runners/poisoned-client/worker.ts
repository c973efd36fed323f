// One client at module level, as people do write it, shared by all requests to this Worker.
// On Workers a promise belongs to the request that made it: once that request has ended it never settles.
import { createClient } from 'paystate';
import { createSandbox } from 'paystate/sandbox';

const sandbox = createSandbox({ seed: 'poison', clock: 'real', signed: false });
const { baseUrl, apiKey } = sandbox.clientOptions;

let isServiceSilent = false;

const silence = (): Promise<never> => new Promise((_, reject) => setTimeout(reject, 3_600_000));

const client = createClient({
  baseUrl,
  apiKey,
  fetch: (input, init) => (isServiceSilent ? silence() : sandbox.fetch(input, init)),
});

let invoiceId = '';

const draft = (correlationId: string) => ({
  amount: { amount: '5.00', currency: 'EUR' },
  correlationId,
});

// The calls that later requests will make again, each of them left in flight.
const startCalls = (): void => {
  const calls = [
    client.invoices.get(invoiceId),
    client.invoices.create(draft('left in flight')),
    client.invoices.list().toArray({ limit: 10 }),
    client.events.list().toArray({ limit: 10 }),
  ];
  for (const call of calls) call.catch(() => {});
};

const actions: Readonly<Record<string, () => Promise<unknown>>> = {
  '/prepare': async () => {
    ({ invoiceId } = await client.invoices.create(draft('first')));
    return invoiceId;
  },
  '/abandon': async () => {
    isServiceSilent = true;
    startCalls();
    // Long enough for each call to reach the service, which does not answer.
    await new Promise((resolve) => setTimeout(resolve, 20));
    isServiceSilent = false;
    return 'left';
  },
  '/find': async () => (await client.invoices.get(invoiceId)).invoiceId,
  '/create': async () => (await client.invoices.create(draft(`later ${Math.random()}`))).state,
  '/list': async () => (await client.invoices.list().toArray({ limit: 10 })).length,
  '/events': async () => (await client.events.list().toArray({ limit: 10 })).length,
};

const answer = async (request: Request): Promise<Response> => {
  const action = actions[new URL(request.url).pathname];
  if (!action) return new Response('unknown', { status: 404 });
  try {
    return Response.json({ value: await action() });
  } catch (error) {
    return Response.json({ error: String(error) }, { status: 500 });
  }
};

export default { fetch: answer };
