// What a checked call costs beside peers and beside bare fetch: all over the same fetch in this process, in turns, as ratios.
// Run: npm run bench   (after a build)
import { writeFileSync } from 'node:fs';
import axios from 'axios';
import ky from 'ky';
import { createFetch } from 'ofetch';
import OpenAI from 'openai';
import { createClient, productionRateLimits } from 'paystate';
import { events } from 'paystate/endpoints';
import Stripe from 'stripe';

const ROUNDS = 21;
const CALLS = 400;
const BASE = 'https://service.invalid';
const ID = '0b9e6a52-7c1d-4f0e-9a57-3d2f1c8b4e11';

const invoice = JSON.stringify({
  invoiceId: ID,
  amount: { amount: '42.50', currency: 'EUR' },
  state: 'UNPAID',
  created: '2026-03-04T09:15:27.481259+00:00',
  correlationId: 'order-7781',
  description: 'Two concert tickets',
  issuerId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
  receiverId: '5f1d3c90-2b44-4d0e-8a6c-0f9b7e6d5c41',
});

const headers = { 'content-type': 'application/json; charset=utf-8' };
const answer = async () => new Response(invoice, { status: 200, headers });

/** Limits that this run does not reach, so that nobody waits; the log of sendings is kept all the same. */
const limits = Object.fromEntries(
  Object.entries(productionRateLimits).map(([group, limit]) => [
    group,
    { ...limit, limit: 1e9, window: 50 },
  ]),
);
const client = createClient({ baseUrl: BASE, apiKey: 'KEY', fetch: answer, rateLimits: limits });
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
const ofetch = createFetch({ fetch: answer, Headers, AbortController });

/** Each reads one resource as JSON with a bearer; only ours checks what it reads. */
const contests = {
  'bare fetch': async () => (await answer(url, { headers: authorization })).json(),
  'paystate invoices.get, checked': () => client.invoices.get(ID),
  ofetch: () => ofetch(url, { headers: authorization, retry: 0 }),
  ky: () => kyClient.get(url).json(),
  axios: () => axiosClient.get(url).then(({ data }) => data),
  'stripe-node': () => stripe.paymentIntents.retrieve(ID),
  'openai-node': () => openai.models.retrieve(ID),
};

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

async function timeOf(work, count) {
  const start = performance.now();
  for (let turn = 0; turn < count; turn++) await work();
  return ((performance.now() - start) / count) * 1000;
}

for (const [name, work] of Object.entries(contests)) {
  const read = await work();
  if (!JSON.stringify(read).includes('order-7781'))
    throw new Error(`${name} did not read the answer`);
}

const times = Object.fromEntries(Object.keys(contests).map((name) => [name, []]));
for (let round = 0; round < ROUNDS + 3; round++)
  for (const [name, work] of Object.entries(contests)) {
    const time = await timeOf(work, CALLS);
    if (round >= 3) times[name].push(time);
  }

const bare = median(times['bare fetch']);
console.log(
  `one GET, ${ROUNDS} rounds of ${CALLS} in turns, Node ${process.versions.node}; microseconds, and times bare fetch`,
);
for (const [name, all] of Object.entries(times))
  console.log(
    `  ${name.padEnd(34)} ${median(all).toFixed(1).padStart(7)}   ${(median(all) / bare).toFixed(2)} ×`,
  );

// What the README's table is made of: `npm run tables`.
const rounded = (value, digits) => Number(value.toFixed(digits));
const results = {
  node: process.versions.node.split('.')[0],
  rounds: ROUNDS,
  calls: Object.fromEntries(
    Object.entries(times).map(([name, all]) => [
      name,
      [rounded(median(all), 1), rounded(median(all) / bare, 2)],
    ]),
  ),
};
writeFileSync(
  new URL('results.json', import.meta.url),
  `${JSON.stringify(results, undefined, 2).replace(/\[\s+([\d.]+),\s+([\d.]+)\s+\]/g, '[$1, $2]')}\n`,
);

// A page of 100 events: reading and checking beside parsing alone.
const page = JSON.stringify({
  items: Array.from({ length: 100 }, (_, at) => ({
    id: `6e0f9d2a-1b3c-4d5e-8f70-91a2b3c4d${`${at}`.padStart(3, '0')}`,
    eventType: 'invoice.updated',
    webhookVersion: 'v1',
    data: { entityId: ID, changes: ['state'] },
    created: '2026-03-04T09:15:44.978686+00:00',
    deliverySuccess: true,
  })),
  count: 100,
  isCountUnknown: false,
});
const parsing = [];
const checking = [];
for (let round = 0; round < ROUNDS + 3; round++) {
  const parse = await timeOf(() => JSON.parse(page), 300);
  const check = await timeOf(() => events.list.output.read(JSON.parse(page)), 300);
  if (round < 3) continue;
  parsing.push(parse);
  checking.push(check);
}
const ratio = median(checking) / median(parsing);
console.log(
  `a page of 100 events: JSON.parse ${median(parsing).toFixed(1)} µs, parsed and checked ${median(checking).toFixed(1)} µs, ${ratio.toFixed(2)} × JSON.parse`,
);
