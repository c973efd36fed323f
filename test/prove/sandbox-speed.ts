// Measures how many requests a second the sandbox takes, and how fast it lists among 100,000 invoices; there is no verdict.
//   npm run prove -- sandbox-speed
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { NO_LIMITS } from './shared/no-limits.ts';

const INVOICES = 100_000;
/** Requests of one round, and rounds without and with signatures. */
const PER_ROUND = 5;
const UNSIGNED_ROUNDS = 4_000;
const SIGNED_ROUNDS = 1_000;
const LISTED_TIMES = 15;

interface Answer {
  readonly invoiceId: string;
  readonly count: number;
}
type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

function askerOf(sandbox: Sandbox): Ask {
  const headers = {
    authorization: `Bearer ${sandbox.clientOptions.apiKey}`,
    'content-type': 'application/json',
  };
  return async (method, path, body) => {
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await (await sandbox.fetch(path, sent)).json()) as Answer;
  };
}

/** Create, find, list, quote, cancel: five requests a round. */
async function playRound(ask: Ask): Promise<void> {
  const draft = { amount: { amount: '12.50', currency: 'EUR' }, description: 'tea' };
  const { invoiceId } = await ask('POST', '/v1/invoices', draft);
  await ask('GET', `/v1/invoices/${invoiceId}`);
  await ask('GET', "/v1/invoices?$top=10&$filter=state%20eq%20'UNPAID'");
  await ask('POST', `/v1/invoices/${invoiceId}/quote`);
  await ask('PATCH', `/v1/invoices/${invoiceId}/cancel`);
}

/** Prints requests a second by the wall, and by the time that the processor was ours. */
async function measureMix(name: string, signed: boolean, rounds: number): Promise<void> {
  const ask = askerOf(createSandbox({ rateLimits: NO_LIMITS, signed }));
  for (let warm = 0; warm < rounds / 5; warm++) await playRound(ask);
  const [start, used] = [performance.now(), process.cpuUsage()];
  for (let done = 0; done < rounds; done++) await playRound(ask);
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  const rate = (ms: number): string =>
    Math.round((PER_ROUND * rounds * 1_000) / ms).toLocaleString('en');
  const own = `${rate((user + system) / 1_000)} a second of processor time`;
  console.log(`${name.padEnd(24)} ${rate(wall)} requests a second · ${own}`);
}

/** A sandbox with many invoices; each eighth is cancelled, each tenth has a name. */
async function fullShop(): Promise<Ask> {
  const sandbox = createSandbox({ rateLimits: NO_LIMITS, signed: false });
  const ask = askerOf(sandbox);
  const currencies = ['EUR', 'USD', 'EUR', 'BTC'];
  for (let number = 0; number < INVOICES; number++) {
    const { invoiceId } = await ask('POST', '/v1/invoices', {
      amount: { amount: '1', currency: currencies[number % 4] },
      ...(number % 10 === 0 && { correlationId: `order ${number}` }),
    });
    if (number % 8 === 0) await ask('PATCH', `/v1/invoices/${invoiceId}/cancel`);
    if (number % 1_000 === 0) await sandbox.advance(1_000);
  }
  return ask;
}

const names = Array.from({ length: 15 }, (_, index) => `'order ${index * 500}'`).join(',');
const comparisons = Array.from(
  { length: 8 },
  (_, index) => `(created gt 2026-01-05T09:00:0${index}Z and currency eq 'X${index}')`,
);
const FILTERS: Readonly<Record<string, string | undefined>> = {
  none: undefined,
  'state eq, a large set': "state eq 'UNPAID'",
  'state eq, a smaller set': "state eq 'CANCELLED'",
  'state in, both': "state in ('UNPAID','CANCELLED')",
  'currency or, two': "currency eq 'EUR' or currency eq 'BTC'",
  'correlationId eq': "correlationId eq 'order 50000'",
  'correlationId in, 15': `correlationId in (${names})`,
  'window of created': 'created gt 2026-01-05T09:00:20Z and created lt 2026-01-05T09:01:20Z',
  'window and state': "created gt 2026-01-05T09:00:20Z and state eq 'CANCELLED'",
  'state and currency (scan)': "state eq 'UNPAID' and currency eq 'EUR'",
  'two fields or (scan)': "state eq 'PAID' or currency eq 'BTC'",
  'times or (scan)': 'created lt 2026-01-05T09:00:10Z or created gt 2026-01-05T09:01:20Z',
  '16 comparisons (scan)': comparisons.join(' or '),
};

/** The median of the whole request, and how many the filter has. */
async function listTime(
  ask: Ask,
  filter: string | undefined,
  skip: number,
): Promise<{ readonly count: number; readonly ms: string }> {
  const query = { $top: '100', $skip: `${skip}`, ...(filter && { $filter: filter }) };
  const where = new URLSearchParams(query);
  const times: number[] = [];
  let count = 0;
  for (let run = 0; run < LISTED_TIMES; run++) {
    const start = performance.now();
    ({ count } = await ask('GET', `/v1/invoices?${where}`));
    times.push(performance.now() - start);
  }
  const median = times.sort((a, b) => a - b)[times.length >> 1]!;
  return { count, ms: median.toFixed(2).padStart(6) };
}

await measureMix('mix of five, unsigned', false, UNSIGNED_ROUNDS);
await measureMix('mix of five, signed', true, SIGNED_ROUNDS);
const ask = await fullShop();
const all = INVOICES.toLocaleString('en');
console.log(`\n100 of a filter's invoices among ${all}: median time of the whole request`);
for (const [name, filter] of Object.entries(FILTERS)) {
  const [first, deep] = [await listTime(ask, filter, 0), await listTime(ask, filter, 20_000)];
  const count = first.count.toLocaleString('en');
  console.log(`${name.padEnd(28)} ${first.ms} ms · after 20,000: ${deep.ms} ms · count ${count}`);
}
