// Random lifetimes: the real SDK against the real sandbox, under one clock and one seed each. Nothing done twice, nothing said
// that is not so, by the service's own books. One table, and each life that goes wrong made small, as a test to paste.
//   npm run simulate                                     5,000 lives of payments (T2), from another seed each time
//   npm run simulate -- --plan watches                   T1: invoices that are watched through trouble
//   npm run simulate -- --plan feed                      T3: the event feed, read from a service with every bad habit
//   npm run simulate -- --plan orders                    orders of a shop in one isolate: names, events, shared reads
//   npm run simulate -- --plan clients                   calls and watches of single clients: amounts, errors, limits
//   npm run simulate -- --lifetimes 1000000 --seed 1     so many, from this seed on
//   npm run simulate -- --faults deaths,copies           only these faults; `none` for none
//   npm run simulate -- --only 4711                      one life: its schedule and its end
//   npm run simulate -- mutants                          faults put into the SDK on purpose: each has to be noticed by its seed
//   npm run simulate -- mutants --search                 the first seed that notices each of them
//   npm run simulate -- mutants --quick                  without those that take more than two seconds
//   npm run simulate -- mutants --every 3                only each third of them
//   npm run simulate -- mutants --mutant cursor          only those with this word in their names
//   npm run simulate -- mutants --shrink                 what is left of the life that notices the first of them
//   kill -TERM ends a run, and it tells what was played so far
//   --threads 1                                          as many as there are processors, unless you say otherwise
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { planOf } from './simulate/plans.mjs';
import { playMutants, shrinkOne } from './simulate/mutants.mjs';
import { shrink } from './simulate/shrink.mjs';
import { merge, show } from './simulate/table.mjs';

const given = process.argv.slice(2);
const option = (name, usual) =>
  given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1] : usual;
const name = option('plan', 'payments');
const plan = await planOf(name);
const faults = option('faults', plan.groups.join(',')).split(',');
const lifetimes = Number(option('lifetimes', 5_000));
const first = Number(option('seed', Date.now() % 1_000_000));
const count = Math.ceil(lifetimes / (plan.livesEach ?? 1));
const threads = Math.min(count, Number(option('threads', availableParallelism())));

const strange = faults.find((one) => !plan.groups.includes(one) && one !== 'none');
if (strange) throw new Error(`--faults takes ${plan.groups.join(', ')}`);

const playOn = (thread, bad, table) =>
  new Promise((resolve, reject) => {
    const url = new URL('./simulate/worker.mjs', import.meta.url);
    const workerData = {
      name,
      first: first + thread,
      count: count - thread,
      step: threads,
      faults,
    };
    let isWhole = false;
    new Worker(url, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 64 } })
      .on('message', (told) => {
        isWhole ||= told.isLast === true;
        if (told.table) merge(table, told.table);
        else bad.push(told);
      })
      .on('error', reject)
      .on('exit', () => (isWhole ? resolve() : reject(new Error('a thread has ended early'))));
  });

const firstLine = (text) => text.split('\n')[0].replaceAll("'", '’');

const playAll = async () => {
  const [bad, table] = [[], {}];
  const begun = performance.now();
  const stopped = new Promise((resolve) => void process.once('SIGTERM', resolve)); // tells what was played so far
  const played = Array.from({ length: threads }, (_, thread) => playOn(thread, bad, table));
  await Promise.race([Promise.all(played), stopped]);
  const took = (performance.now() - begun) / 1_000;
  bad.sort((a, b) => a.seed - b.seed);
  for (const { seed, row, problems } of bad.slice(0, 20))
    console.log(`seed ${seed} (${row}): ${problems.join('; ')}`);
  if (bad.length > 0) {
    const [{ seed, problems }] = bad;
    const schedule = await shrink(plan, plan.scheduleOf(seed, faults), problems[0]);
    console.log(`\n// seed ${seed}, without what does not matter`);
    console.log(plan.testOf(schedule, firstLine(problems[0])));
  }
  const missed = show(table, plan.shares);
  for (const text of missed) console.log(`missed: ${text}`);
  const isRight = bad.length === 0 && missed.length === 0;
  const lives = Object.values(table).reduce((sum, { lives }) => sum + lives, 0);
  console.log(
    `${isRight ? 'ok simulate' : 'simulate'} ${name}: ${lives} lifetimes from seed ${first}, wrong ${bad.length}, ` +
      `${took.toFixed(1)} s on ${threads} threads, ${Math.round(lives / took)} a second`,
  );
  return isRight;
};

const playOne = async (seed) => {
  const schedule = plan.scheduleOf(seed, faults);
  console.log(JSON.stringify(schedule, null, 2));
  const { row, counts, problems } = await plan.play(schedule);
  console.log([row, JSON.stringify(counts), ...problems].join('\n'));
  return problems.length === 0;
};

const isRight = given.some((one) => /^(--)?mutants$/.test(one))
  ? given.includes('--shrink')
    ? shrinkOne()
    : playMutants({
        isSearch: given.includes('--search'),
        only: option('mutant', ''),
        isQuick: given.includes('--quick'),
        every: Number(option('every', 1)),
      })
  : given.includes('--only')
    ? await playOne(Number(option('only')))
    : await playAll();
process.exit(isRight ? 0 : 1);
