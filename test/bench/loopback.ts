// Calls a second of processor time over HTTP on this machine, at 1, 10 and 100 at once. The server is a process of its
// own, so that its time is not counted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient } from 'paystate';
import { ID, rateLimits } from './answer.ts';
import { inTurns, type Work } from './measure.ts';
import { createFetch, ky, OpenAI, Stripe } from './peers/index.ts';

const AT_ONCE = [1, 10, 100];
const CALLS = 400;

type Ofetch = (url: string, options: object) => Promise<unknown>;

/** Each reads one resource as JSON with a bearer; only paystate checks what it reads. */
function readersOf(port: number): Readonly<Record<string, Work>> {
  const origin = `http://127.0.0.1:${port}`;
  const url = `${origin}/v1/invoices/${ID}`;
  const headers = { authorization: 'Bearer KEY', accept: 'application/json' };
  const client = createClient({ baseUrl: origin, apiKey: 'KEY', rateLimits });
  const ofetch = createFetch({ fetch, Headers, AbortController } as never) as never as Ofetch;
  const kyClient = ky.create({ headers, retry: 0 });
  const stripe = new Stripe('sk_test_key', {
    httpClient: Stripe.createFetchHttpClient(fetch),
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  });
  const openai = new OpenAI({ apiKey: 'KEY', baseURL: `${origin}/v1`, maxRetries: 0 });
  return {
    'bare fetch': async () => (await fetch(url, { headers })).json(),
    paystate: () => client.invoices.get(ID),
    ofetch: () => ofetch(url, { headers, retry: 0 }),
    ky: () => kyClient.get(url).json(),
    'stripe-node': () => stripe.paymentIntents.retrieve(ID),
    'openai-node': () => openai.models.retrieve(ID),
  };
}

type Rates = Record<string, readonly number[]>;

async function measureAt(port: number): Promise<Rates> {
  const rates: Record<string, number[]> = {};
  for (const atOnce of AT_ONCE) {
    const readers = Object.entries(readersOf(port)).map(([name, read]): [string, Work] => [
      name,
      () => Promise.all(Array.from({ length: atOnce }, () => read())),
    ]);
    const turns = { rounds: 15, count: CALLS / atOnce, warm: 3 };
    const times = await inTurns(Object.fromEntries(readers), turns);
    for (const [name, [time]] of Object.entries(times))
      (rates[name] ??= []).push(Math.round((atOnce * 1e6) / time / 10) * 10);
  }
  return rates;
}

/** Measures reads at 1, 10 and 100 at once: calls a second of processor time, by client. */
export async function measureLoopback(): Promise<Rates> {
  const server = fork(fileURLToPath(new URL('loopback-server.ts', import.meta.url)));
  try {
    const [port] = await once(server, 'message');
    const rates = await measureAt(port as number);
    console.log(`calls a second of processor time, at ${AT_ONCE.join(', ')} at once`);
    for (const [name, found] of Object.entries(rates))
      console.log(`  ${name.padEnd(24)}${found.map((rate) => `${rate}`.padStart(8)).join('')}`);
    return rates;
  } finally {
    server.kill();
  }
}
