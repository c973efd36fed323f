// Applies a plan of many payments by processes that die: each row is paid exactly once.
// The sums are exact, and no rate limit of the service is touched. Virtual time, the sandbox, one
// journal that stays.
//   npm run prove -- plans                             10,000 rows, 20 deaths
//   npm run prove -- plans 300 --deaths 100 --seed 7   another size, more deaths, another draw
import { applyPlan, formatReport, pay, type Plan, plan, type PlanReport } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { paymentsMoved, randomOf, startProcess } from '../unit/flows/pay-lives.ts';
import { Checks, numberOf } from './shared/options.ts';

const given = process.argv.slice(2);
const count = /^\d+$/.test(given[0] ?? '') ? Number(given[0]) : 10_000;
const deaths = numberOf(given, 'deaths', 20);
const seed = numberOf(given, 'seed', 1);

/** Steps of the store, the network and the clock that a row takes, about. */
const STEPS_PER_ROW = 14;
const DEATHS_OF_PLANNING = 2;
const START = '90000000.00';
/** The published limits: requests of a bucket in a number of milliseconds. */
const LIMITS: Readonly<Record<string, { readonly limit: number; readonly window: number }>> = {
  others: { limit: 1_000, window: 600_000 },
};
const USUAL_LIMIT = { limit: 250, window: 60_000 };

const random = randomOf(seed);
const accounts = [{ handle: 'shop', balances: { EUR: START } }];
const sandbox = createSandbox({ seed, signed: false, accounts });
const journal = memoryStore();
const begun = performance.now();
const checks = new Checks();

type Row = ReturnType<typeof rowAt>;

const rowAt = (index: number) => ({
  intent: `row ${index + 1}`,
  to: 'ada@wallet.example',
  amount: {
    amount: `${1 + (index % 200)}.${String(index % 100).padStart(2, '0')}`,
    currency: 'EUR',
  },
});

const minutes = (): number => Math.round(sandbox.clock.monotonic() / 60_000);
const seconds = (): string => ((performance.now() - begun) / 1_000).toFixed(1);

/** Counts hundredths, exactly. */
function cents(amount: string): bigint {
  const [whole, digits = ''] = amount.split('.');
  return BigInt(whole + digits.padEnd(2, '0'));
}

type Process = ReturnType<typeof startProcess>;

/** Plays processes until one of them brings its work to an end; `times` others die. */
async function playUntilEnd<T>(
  times: number,
  steps: number,
  work: (process: Process) => Promise<T>,
): Promise<{ readonly value: T; readonly died: number }> {
  for (let left = times; ; left--) {
    const death = { step: 1 + Math.floor(random() * steps), isAfter: random() < 0.5 };
    const one = startProcess(sandbox, journal, left > 0 ? death : undefined);
    const ends: T[] = [];
    void work(one).then((value) => ends.push(value));
    while (ends.length === 0 && !one.isDead()) await sandbox.advance(10_000);
    const [value] = ends;
    if (value !== undefined) return { value, died: times - left };
    await sandbox.advance(Math.floor(random() * 20_000));
  }
}

/** Plans all rows; what is made is carried to other processes as JSON. */
async function makePlan(rows: readonly Row[]): Promise<{ made: Plan; died: number }> {
  const { value, died } = await playUntilEnd(DEATHS_OF_PLANNING, count, (one) =>
    plan(one.client, rows, {
      journal: one.journal,
      sourceCurrency: 'EUR',
      maxFee: { percent: '5' },
    }),
  );
  const made = JSON.parse(JSON.stringify(value)) as Plan;
  const total = made.totals[0]?.amount;
  console.log(
    `planned ${count} rows in ${minutes()} virtual minutes, ${seconds()} s: ${total} EUR`,
  );
  return { made, died };
}

async function apply(made: Plan): Promise<{ report: PlanReport; died: number }> {
  const steps = (2 * count * STEPS_PER_ROW) / (deaths + 1);
  const since = minutes();
  let shown = 0;
  const { value, died } = await playUntilEnd(deaths, steps, (one) => {
    const run = applyPlan(one.client, made, { journal: one.journal });
    run.subscribe(({ done, total }) => {
      if (one.isDead() || done < shown + total / 10) return;
      shown = done;
      console.log(`${done} of ${total} after ${minutes()} minutes`);
    });
    return run.result;
  });
  console.log(`${Math.round(count / (minutes() - since))} rows a minute, deaths included`);
  console.log(formatReport(value).split('\n').slice(0, 2).join('\n'));
  return { report: value, died };
}

/**
 * Resolves unknown payments. If a process was dead for longer than a quote lives, nobody knows: a
 * person checks the account, and says.
 */
async function resolveUnknown(made: Plan, report: PlanReport): Promise<PlanReport> {
  const unknown = report.rows.filter(({ phase }) => phase === 'unknown');
  if (unknown.length === 0) return report;
  const { client } = startProcess(sandbox, journal, undefined);
  const known = new Set(report.rows.map(({ paymentId }) => paymentId));
  const others = new Map<string, string>();
  for (const id of paymentsMoved(sandbox).filter((one) => !known.has(one)))
    others.set(id, (await sandbox.run(client.payments.get(id))).amount.amount);
  for (const { intent } of unknown) {
    const { options } = made.rows.find((one) => one.intent === intent)!;
    if (!('to' in options)) throw new Error('the plan has a payout that nobody asked for');
    const run = pay(client, { ...options, journal });
    await sandbox.run(run.result);
    const [paid] = [...others].find(([, amount]) => amount === options.amount?.amount) ?? [];
    if (paid) others.delete(paid);
    await sandbox.run(paid ? run.resolve('paid', paid) : run.resolve('not-paid'));
  }
  checks.check(others.size === 0, `${others.size} payments that no row can have made`);
  const run = applyPlan(client, made, { journal });
  await sandbox.run(run.result);
  return sandbox.run(run.retry().result);
}

/** The most requests of each bucket in one window, by the service's own log. */
function checkLimits(): void {
  for (const [bucket, entries] of Map.groupBy(sandbox.log, (entry) => entry.bucket)) {
    const { limit, window } = LIMITS[bucket] ?? USUAL_LIMIT;
    let [most, first] = [0, 0];
    for (const [last, { at }] of entries.entries()) {
      while (entries[first]!.at <= at - window) first++;
      most = Math.max(most, last - first + 1);
    }
    console.log(`${bucket}: at most ${most} of ${limit} in a window`);
    checks.check(most <= limit, `${bucket} beyond its limit`);
  }
  const refused = sandbox.log.filter(({ status }) => status === 429).length;
  checks.check(refused === 0, `${refused} requests refused by the rate limit`);
}

function checkSums(rows: readonly Row[], made: Plan, report: PlanReport): void {
  const moved = paymentsMoved(sandbox);
  const paidFor = new Set(report.rows.map(({ paymentId }) => paymentId));
  const left = cents(START) - cents(sandbox.ledger.balances()['shop.free']!['EUR']!);
  const asked = rows.reduce((sum, { amount }) => sum + cents(amount.amount), 0n);
  const { paid, fees } = report.sums[0]!;
  const isNamed = moved.every((id) => paidFor.has(id));
  checks.check(moved.length === count, `${moved.length} payments for ${count} rows`);
  checks.check(isNamed, 'a payment that no row names');
  checks.check(report.isComplete, 'the report is not complete');
  checks.check(cents(paid.amount) === left, `paid ${paid.amount}, and ${left} cents have left`);
  const isAsked = cents(paid.amount) - cents(fees.amount) === asked;
  checks.check(isAsked, 'paid without fees is not what was asked for');
  // fees follow the rate: the report has what moved since the plan, row by row
  const drift = report.rows.reduce(
    (all, { planned, total }) => all + cents(total!.amount) - cents(planned!.amount),
    0n,
  );
  const isExplained = cents(paid.amount) - cents(made.totals[0]!.amount) === drift;
  checks.check(isExplained, 'the rows do not explain what differs from the plan');
}

const rows = Array.from({ length: count }, (_, index) => rowAt(index));
const planned = await makePlan(rows);
const applied = await apply(planned.made);
const unknown = applied.report.rows.filter(({ phase }) => phase === 'unknown').length;
const report = await resolveUnknown(planned.made, applied.report);
checkSums(rows, planned.made, report);
checks.check(applied.died === deaths, `${applied.died} processes died, not ${deaths}`);
checkLimits();
for (const problem of checks.problems) console.log(`wrong: ${problem}`);
const isWell = checks.problems.length === 0;
const died = `${planned.died} + ${applied.died} deaths, ${unknown} rows looked up by a person`;
const cost = `${sandbox.log.length} requests, ${minutes()} virtual minutes, ${seconds()} s`;
console.log(`${isWell ? 'ok plans' : 'plans'}: ${count} rows, ${died}, ${cost}`);
process.exitCode = isWell ? 0 : 1;
