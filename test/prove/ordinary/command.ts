// Counts how often a movement ends as `unknown` on an ordinary network, of 10,000 of each way, and
// what it costs in requests.
//   npm run prove -- ordinary                          all ways, 10,000 intents each
//   npm run prove -- ordinary --intents 500 --only lnurl,deposit
//   npm run prove -- ordinary --seed 7
import { type Client, createClient, type Fetch } from 'paystate';
import type { MoneyResult } from 'paystate/flows';
import { createSandbox, type Sandbox } from 'paystate/sandbox';
import { memoryStore, type Store } from 'paystate/stores';
import { BEGUN, PER_INVOICE } from '../adversary/ways.ts';
import { type Chance, chanceOf } from '../shared/chance.ts';
import { NO_LIMITS } from '../shared/no-limits.ts';
import { numberOf, option } from '../shared/options.ts';

const given = process.argv.slice(2);
const intents = Math.ceil(numberOf(given, 'intents', 10_000) * numberOf(given, 'part', 1));
const seed = option(given, 'seed') ?? '1';
const only = (option(given, 'only') ?? '').split(',').filter(Boolean);

/** The most ends as unknown that are allowed, of 10,000. */
const MOST: Readonly<Record<string, number>> = {
  lightning: 1,
  lnurl: 5,
  onchain: 5,
  exchange: 1,
  payout: 1,
  deposit: 1,
  refund: 5,
};

/** One in a hundred is lost, on its way there or back; one is late; one in two hundred is refused. */
const WEIGHTS = { well: 975, lostBefore: 5, lostAfter: 5, late: 10, limited: 5 };
/** Movements of one world share a client, a journal and lists; limits of an account allow fewer. */
const PER_WORLD: Readonly<Record<string, number>> = { onchain: 80, payout: 40, deposit: 8 };
const MANY = 200;

const limited = () =>
  new Response(
    JSON.stringify({ data: { status: 429, code: 'RATE_LIMIT_EXCEEDED', message: '' } }),
    {
      status: 429,
      headers: { 'retry-after': '1', 'content-type': 'application/json' },
    },
  );

/** A network with the ordinary troubles, which counts requests. */
function networkOf(sandbox: Sandbox, chance: Chance, count: () => void): Fetch {
  return async (input, init) => {
    count();
    const send = () => sandbox.clientOptions.fetch(input, { ...init, signal: null });
    switch (chance.weighed(WEIGHTS)) {
      case 'lostBefore':
        throw new TypeError('the connection was lost');
      case 'lostAfter':
        await send();
        throw new TypeError('the connection was lost');
      case 'late': {
        const response = await send();
        await sandbox.clock.wait(chance.between(2_000, 55_000));
        return response;
      }
      case 'limited':
        return limited();
      default:
        return send();
    }
  };
}

const SEPA = {
  transferType: 'SEPA',
  accountNumber: 'AT000000000000000000',
  routingNumber: 'EXAMATWWXXX',
  beneficiaries: [{ type: 'INDIVIDUAL', name: 'Edith Example' }],
} as const;

/** What the orders need: a bank method that is ready, and invoices that are paid. */
async function prepare(sandbox: Sandbox, client: Client, way: string) {
  if (way === 'refund') {
    const invoices: string[] = [];
    for (let n = 0; n < MANY / PER_INVOICE; n++) {
      const amount = { amount: '80.00', currency: 'EUR' };
      const { invoiceId } = await sandbox.run(client.invoices.create({ amount }));
      await sandbox.payer.pay(invoiceId);
      invoices.push(invoiceId);
    }
    await sandbox.advance(60_000);
    return { invoices, methodId: '' };
  }
  if (way !== 'payout' && way !== 'deposit') return { invoices: [], methodId: '' };
  const { id } = await sandbox.run(client.bankPaymentMethods.create(SEPA));
  await sandbox.advance(3_600_000);
  return { invoices: [], methodId: id };
}

interface Tally {
  readonly ends: Record<string, number>;
  requests: number;
  /** Why some were refused. */
  readonly reasons: Set<string>;
}

/** Plays one world: its movements begin one after the other, and overlap. */
async function playWorld(way: string, world: number, most: number, tally: Tally): Promise<void> {
  const chance = chanceOf(`${seed}.${way}.${world}`);
  const balances = { BTC: '10000', USD: '1000000000', EUR: '1000000000' };
  const sandbox = createSandbox({
    seed: world,
    signed: false,
    assume: { 'reads.lag': 'second' },
    rateLimits: NO_LIMITS,
    accounts: [{ handle: 'shop', balances }],
  });
  const quiet = createClient({ ...sandbox.clientOptions, rateLimits: NO_LIMITS });
  const things = await prepare(sandbox, quiet, way);
  const fetch = networkOf(sandbox, chance, () => void tally.requests++);
  const client = createClient({ ...sandbox.clientOptions, rateLimits: NO_LIMITS, fetch });
  const journal: Store = memoryStore();
  const results: Promise<MoneyResult>[] = [];
  for (let n = 0; n < most; n++) {
    const begin = BEGUN[way]!({ sandbox, n, chance, ...things } as never, `intent-${n}`);
    results.push(begin(client, journal).result);
    await sandbox.advance(chance.between(200, 5_000));
  }
  for (const result of await sandbox.run(Promise.all(results), { timeout: 10 * 86_400_000 })) {
    const { phase } = result;
    tally.ends[phase] = (tally.ends[phase] ?? 0) + 1;
    if (phase === 'refused') tally.reasons.add(result.error.message);
  }
}

const rows: Record<string, object> = {};
let isOver = false;
for (const way of Object.keys(MOST).filter((one) => only.length === 0 || only.includes(one))) {
  const tally: Tally = { ends: {}, requests: 0, reasons: new Set() };
  const each = PER_WORLD[way] ?? MANY;
  for (let begun = 0, world = 0; begun < intents; begun += each, world++)
    await playWorld(way, world, Math.min(each, intents - begun), tally);
  for (const reason of [...tally.reasons].slice(0, 3)) console.log(`${way}: ${reason}`);
  const unknown = tally.ends['unknown'] ?? 0;
  const most = Math.max(MOST[way]!, Math.ceil((MOST[way]! * intents) / 10_000));
  isOver ||= unknown > most;
  const done = (tally.ends['paid'] ?? 0) + (tally.ends['completed'] ?? 0);
  rows[way] = {
    done,
    refused: tally.ends['refused'] ?? 0,
    failed: tally.ends['failed'] ?? 0,
    unknown,
    'unknown in 10,000': ((unknown * 10_000) / intents).toFixed(1),
    'requests each': (tally.requests / intents).toFixed(2),
  };
}
console.table(rows);
console.log(`${isOver ? 'FAIL' : 'ok'} ordinary: ${intents} intents a way`);
process.exitCode = isOver ? 1 : 0;
