// A plan of many payments, applied by processes that die: each row is paid exactly once, the sums are exact, and no rate
// limit of the service is touched. Virtual time, the sandbox, one journal that stays.
//   npm run plans                                10,000 rows, 20 deaths
//   npm run plans -- 300 --deaths 100 --seed 7   another size, more deaths, another draw
import { applyPlan, formatReport, pay, plan } from 'paystate/flows';
import { createSandbox } from 'paystate/sandbox';
import { memoryStore } from 'paystate/stores';
import { paymentsMoved, randomOf, startProcess } from '../test/unit/flows/pay-lives.ts';

const given = process.argv.slice(2);
const option = (name, usual) =>
  Number(given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1] : usual);
const count = /^\d+$/.test(given[0] ?? '') ? Number(given[0]) : 10_000;
const [deaths, seed] = [option('deaths', 20), option('seed', 1)];

/** Steps of the store, the network and the clock that a row takes, about. */
const STEPS = 14;
const random = randomOf(seed);
const START = '90000000.00';
const sandbox = createSandbox({
  seed,
  signed: false,
  accounts: [{ handle: 'shop', balances: { EUR: START } }],
});
const journal = memoryStore();
const rows = Array.from({ length: count }, (_, index) => ({
  intent: `row ${index + 1}`,
  to: 'ada@wallet.example',
  amount: {
    amount: `${1 + (index % 200)}.${String(index % 100).padStart(2, '0')}`,
    currency: 'EUR',
  },
}));
const problems = [];
const check = (isRight, problem) => void (isRight || problems.push(problem));
const begun = performance.now();

/** Plays processes until one of them brings its work to an end; the others die. */
const playUntilEnd = async (times, steps, work) => {
  for (let left = times; ; left--) {
    const death = { step: 1 + Math.floor(random() * steps), isAfter: random() < 0.5 };
    const one = startProcess(sandbox, journal, left > 0 ? death : undefined);
    let end;
    void work(one).then((value) => void (end = { value }));
    while (!end && !one.isDead()) await sandbox.advance(10_000);
    if (end) return { ...end, died: times - left };
    await sandbox.advance(Math.floor(random() * 20_000));
  }
};

const planned = await playUntilEnd(2, count, ({ client, journal: store }) =>
  plan(client, rows, { journal: store, sourceCurrency: 'EUR', maxFee: { percent: '5' } }),
);
const made = JSON.parse(JSON.stringify(planned.value));
console.log(
  `planned ${count} rows in ${minutes()} virtual minutes, ${seconds(begun)} s: ${made.totals[0]?.amount} EUR`,
);

let shown = 0;
const applying = minutes();
const applied = await playUntilEnd(deaths, (2 * count * STEPS) / (deaths + 1), (one) => {
  const run = applyPlan(one.client, made, { journal: one.journal });
  run.subscribe(({ done, total }) => {
    if (one.isDead() || done < shown + total / 10) return;
    shown = done;
    console.log(`${done} of ${total} after ${minutes()} minutes`);
  });
  return run.result;
});
let report = applied.value;
console.log(`${Math.round(count / (minutes() - applying))} rows a minute, deaths included`);
console.log(formatReport(report).split('\n').slice(0, 2).join('\n'));

// where a process was dead for longer than a quote lives, nobody knows: a person looks into the account, and says
const unknown = report.rows.filter(({ phase }) => phase === 'unknown');
if (unknown.length > 0) {
  const { client } = startProcess(sandbox, journal, undefined);
  const known = new Set(report.rows.map(({ paymentId }) => paymentId));
  const others = new Map();
  for (const id of paymentsMoved(sandbox).filter((one) => !known.has(one)))
    others.set(id, (await sandbox.run(client.payments.get(id))).amount.amount);
  for (const { intent } of unknown) {
    const { options } = made.rows.find((row) => row.intent === intent);
    const run = pay(client, { ...options, journal });
    await sandbox.run(run.result);
    const [paid] = [...others].find(([, amount]) => amount === options.amount.amount) ?? [];
    others.delete(paid);
    await sandbox.run(paid ? run.resolve('paid', paid) : run.resolve('not-paid'));
  }
  check(others.size === 0, `${others.size} payments that no row can have made`);
  const run = applyPlan(client, made, { journal });
  await sandbox.run(run.result);
  report = await sandbox.run(run.retry().result);
}

function minutes() {
  return Math.round(sandbox.clock.monotonic() / 60_000);
}
function seconds(since) {
  return ((performance.now() - since) / 1_000).toFixed(1);
}

/** Hundredths, exactly. */
function cents(amount) {
  const [whole, digits = ''] = amount.split('.');
  return BigInt(whole + digits.padEnd(2, '0'));
}

/** The published limits: requests of a bucket in so many seconds. */
const LIMITS = { others: [1_000, 600], default: [250, 60] };

/** The most requests of each bucket in one window, by the service's own log. */
const busiest = () => {
  const sent = Map.groupBy(sandbox.log, ({ bucket }) => bucket);
  return [...sent].map(([bucket, entries]) => {
    const [limit, window] = LIMITS[bucket] ?? LIMITS.default;
    let [most, first] = [0, 0];
    entries.forEach(({ at }, last) => {
      while (entries[first].at <= at - window * 1_000) first++;
      most = Math.max(most, last - first + 1);
    });
    return { bucket, limit, most };
  });
};

const moved = paymentsMoved(sandbox);
const paidFor = new Set(report.rows.map(({ paymentId }) => paymentId));
const left = cents(START) - cents(sandbox.ledger.balances()['shop.free'].EUR);
const asked = rows.reduce((sum, { amount }) => sum + cents(amount.amount), 0n);
const [sum] = report.sums;
check(moved.length === count, `${moved.length} payments for ${count} rows`);
check(
  moved.every((id) => paidFor.has(id)),
  'a payment that no row names',
);
check(report.isComplete, 'the report is not complete');
check(cents(sum.paid.amount) === left, `paid ${sum.paid.amount}, and ${left} cents have left`);
check(
  cents(sum.paid.amount) - cents(sum.fees.amount) === asked,
  'paid without fees is not what was asked for',
);
// fees follow the rate: what moved since the plan stands in the report, row by row
const drift = report.rows.reduce(
  (all, { planned: then, total }) => all + cents(total.amount) - cents(then.amount),
  0n,
);
check(
  cents(sum.paid.amount) - cents(made.totals[0].amount) === drift,
  'the rows do not explain what differs from the plan',
);
check(applied.died === deaths, `${applied.died} processes died, not ${deaths}`);
for (const { bucket, limit, most } of busiest()) {
  console.log(`${bucket}: at most ${most} of ${limit} in a window`);
  check(most <= limit, `${bucket} beyond its limit`);
}
const refused = sandbox.log.filter(({ status }) => status === 429).length;
check(refused === 0, `${refused} requests refused by the rate limit`);
for (const problem of problems) console.log(`wrong: ${problem}`);
console.log(
  `${problems.length === 0 ? 'ok plans' : 'plans'}: ${count} rows, ${planned.died} + ${applied.died} deaths, ${unknown.length} rows looked up by a person, ` +
    `${sandbox.log.length} requests, ${minutes()} virtual minutes, ${seconds(begun)} s`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
