// What a checked read and a creation cost beside peers and beside bare fetch: all over the same fetch in this process.
import { createClient } from 'paystate';
import { invoices } from 'paystate/endpoints';
import { draft, headers, ID, invoice, rateLimits } from './answer.ts';
import { inTurns, type Taken, type Work } from './measure.ts';
import { axios, createFetch, ky, OpenAI, Stripe } from './peers/index.ts';

const BASE = 'https://service.invalid';
const TURNS = { rounds: 121, count: 100, warm: 15 };

const answer = async (_url?: unknown, _init?: unknown): Promise<Response> =>
  new Response(invoice, { status: 200, headers });

const client = createClient({ baseUrl: BASE, apiKey: 'KEY', fetch: answer, rateLimits });
const authorization = { Authorization: 'Bearer KEY', accept: 'application/json' };
const url = `${BASE}/v1/invoices/${ID}`;
const stripe = new Stripe('sk_test_key', {
  httpClient: Stripe.createFetchHttpClient(answer),
  maxNetworkRetries: 0,
  telemetry: false,
});
const openai = new OpenAI({ apiKey: 'KEY', baseURL: `${BASE}/v1`, fetch: answer, maxRetries: 0 });
const kyClient = ky.create({ fetch: answer, retry: 0, headers: authorization });
const axiosClient = axios.create({
  adapter: 'fetch',
  env: { fetch: answer, Request, Response },
  headers: authorization,
});
type Ofetch = (url: string, options: object) => Promise<unknown>;
const ofetch = createFetch({ fetch: answer, Headers, AbortController } as never) as never as Ofetch;

/** Each reads one resource as JSON with a bearer; only paystate checks what it reads. */
const reads = {
  'bare fetch': async () => (await answer(url, { headers: authorization })).json(),
  paystate: () => client.invoices.get(ID),
  ofetch: () => ofetch(url, { headers: authorization, retry: 0 }),
  ky: () => kyClient.get(url).json(),
  axios: () => axiosClient.get(url).then(({ data }) => data),
  'stripe-node': () => stripe.paymentIntents.retrieve(ID),
  'openai-node': () => openai.models.retrieve(ID),
};

const sent = { ...authorization, 'content-type': 'application/json' };
const post = () => ({
  method: 'POST',
  headers: { ...sent, 'idempotency-key': crypto.randomUUID() },
  body: JSON.stringify(draft),
});

/** Each creates a resource under a key of its own; only paystate checks what it sends and remembers the key. */
const creations = {
  'bare fetch': async () => (await answer(url, post())).json(),
  paystate: () => client.invoices.create(draft),
  ofetch: () => ofetch(url, { ...post(), body: draft, retry: 0 }),
  ky: () => kyClient.post(url, { ...post(), body: undefined, json: draft }).json(),
  'stripe-node': () => stripe.paymentIntents.create({ amount: 4250, currency: 'eur' }),
  'openai-node': () => openai.post('/invoices', { body: draft }),
};

async function checkAll(entrants: Readonly<Record<string, Work>>): Promise<void> {
  for (const [name, work] of Object.entries(entrants))
    if (!JSON.stringify(await work()).includes('order-7781'))
      throw new Error(`${name} did not read the answer`);
}

type Times = Readonly<Record<string, Taken>>;

function show(title: string, unit: string, times: Times): void {
  console.log(`${title}; microseconds of processor time, and times ${unit}`);
  for (const [name, [time, ratio]] of Object.entries(times))
    console.log(`  ${name.padEnd(24)}${time.toFixed(1).padStart(8)}   ${ratio.toFixed(2)} ×`);
}

/** A page of 100 invoices: parsed, and parsed and checked. */
function pageReads(): Readonly<Record<string, Work>> {
  const row = JSON.parse(invoice) as object;
  const page = JSON.stringify({ items: Array.from({ length: 100 }, () => row), count: 100 });
  return {
    'JSON.parse': () => JSON.parse(page) as unknown,
    'parsed and checked': () => invoices.list.output!.read(JSON.parse(page)),
  };
}

export async function measureCalls(): Promise<Readonly<Record<string, Times>>> {
  await checkAll(reads);
  await checkAll(creations);
  const found = {
    reads: await inTurns(reads, TURNS),
    creations: await inTurns(creations, TURNS),
    pages: await inTurns(pageReads(), { rounds: 41, count: 30, warm: 8 }),
  };
  show('one read', 'bare fetch', found.reads);
  show('one creation', 'bare fetch', found.creations);
  show('a page of 100 invoices', 'JSON.parse', found.pages);
  return found;
}
