// Draws lifetimes of payments, watches, feeds and orders: nothing is done twice and nothing said that is not so.
// The real SDK lives against the real sandbox, under one clock and one seed each. Prints one table, and each life that goes
// wrong made small, as a test to paste.
//   npm run prove -- simulate                                  5,000 lives of payments (T2), from another seed each time
//   npm run prove -- simulate --plan watches                   T1: invoices that are watched through trouble
//   npm run prove -- simulate --plan feed                      T3: the event feed, read from a service with every bad habit
//   npm run prove -- simulate --plan orders                    orders of a shop in one isolate: names, events, shared reads
//   npm run prove -- simulate --plan clients                   calls and watches of single clients: amounts, errors, limits
//   npm run prove -- simulate --lifetimes 1000000 --seed 1     so many, from this seed on
//   npm run prove -- simulate --faults deaths,copies           only these faults; `none` for none
//   npm run prove -- simulate --only 4711                      one life: its schedule and its end
//   npm run prove -- simulate known-faults                     faults put into the SDK: each has to be noticed by its seed
//   npm run prove -- simulate known-faults --search            the first seed that notices each of them
//   npm run prove -- simulate known-faults --quick             without those that take more than two seconds
//   npm run prove -- simulate known-faults --every 3           only each third of them
//   npm run prove -- simulate known-faults --fault cursor      only those with this word in their names
//   npm run prove -- simulate known-faults --shrink            what is left of the life that notices the first of them
//   kill -TERM ends a run, and it tells what was played so far
//   --threads 1                                                as many as there are processors, unless you say otherwise
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { numberOf, option } from '../shared/options.ts';
import { planOf } from './plans.ts';
import { playFaults, shrinkOne } from './play-faults.ts';
import { shrink } from './shrink.ts';
import { livesIn, merge, show, type Table } from './table.ts';
import type { ThreadData, Told } from './thread.ts';

const given = process.argv.slice(2);
const has = (word: string): boolean => given.includes(word);
const name = option(given, 'plan') ?? 'payments';
const plan = await planOf(name);
const faults = option(given, 'faults')?.split(',') ?? plan.groups;
const lifetimes = numberOf(given, 'lifetimes', 5_000);
const first = numberOf(given, 'seed', Date.now() % 1_000_000);
const count = Math.ceil(lifetimes / plan.livesEach);
const threads = Math.min(count, numberOf(given, 'threads', availableParallelism()));
const MOST_SHOWN = 20;
const YOUNG_HEAP_MB = 64;

const strange = faults.find((one) => !plan.groups.includes(one) && one !== 'none');
if (strange) throw new Error(`--faults takes ${plan.groups.join(', ')}`);

type Wrong = Extract<Told, { readonly told: 'wrong' }>;

/** Plays the part of one thread. */
const playOn = (thread: number, bad: Wrong[], table: Table): Promise<void> =>
  new Promise((resolve, reject) => {
    const workerData: ThreadData = {
      name,
      first: first + thread,
      count: count - thread,
      step: threads,
      faults,
    };
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_HEAP_MB };
    let isWhole = false;
    new Worker(new URL('./thread.ts', import.meta.url), { workerData, resourceLimits })
      .on('message', (told: Told) => {
        if (told.told === 'wrong') return void bad.push(told);
        isWhole ||= told.isLast;
        merge(table, told.table);
      })
      .on('error', reject)
      .on('exit', () => (isWhole ? resolve() : reject(new Error('a thread has ended early'))));
  });

const firstLine = (text: string): string => text.split('\n')[0]!.replaceAll("'", '’');

/** Prints the first life that went wrong, made small, as a test. */
async function printSmallest({ seed, problems }: Wrong): Promise<void> {
  const problem = problems[0]!;
  const life = await shrink(plan.begin(seed, faults), problem);
  console.log(`\n// seed ${seed}, without what does not matter`);
  console.log(life.testOf(firstLine(problem)));
}

async function playAll(): Promise<boolean> {
  const bad: Wrong[] = [];
  const table: Table = {};
  const begun = performance.now();
  const stopped = once(process, 'SIGTERM'); // tells what was played so far
  const played = Array.from({ length: threads }, (_, thread) => playOn(thread, bad, table));
  await Promise.race([Promise.all(played), stopped]);
  const took = (performance.now() - begun) / 1_000;
  bad.sort((a, b) => a.seed - b.seed);
  for (const { seed, row, problems } of bad.slice(0, MOST_SHOWN))
    console.log(`seed ${seed} (${row}): ${problems.join('; ')}`);
  if (bad[0]) await printSmallest(bad[0]);
  const missed = show(table, plan.shares);
  for (const text of missed) console.log(`missed: ${text}`);
  const isRight = bad.length === 0 && missed.length === 0;
  const lives = livesIn(table);
  const speed = `${took.toFixed(1)} s on ${threads} threads, ${Math.round(lives / took)} a second`;
  const what = `${lives} lifetimes from seed ${first}, wrong ${bad.length}`;
  console.log(`${isRight ? 'ok simulate' : 'simulate'} ${name}: ${what}, ${speed}`);
  return isRight;
}

/** Plays one life, and prints its schedule and its end. */
async function playOne(seed: number): Promise<boolean> {
  const life = plan.begin(seed, faults);
  console.log(life.text);
  const { row, counts, problems } = await life.play();
  console.log([row, JSON.stringify(counts), ...problems].join('\n'));
  return problems.length === 0;
}

function main(): boolean | Promise<boolean> {
  if (has('known-faults') && has('--shrink')) return shrinkOne();
  if (has('known-faults'))
    return playFaults({
      isSearch: has('--search'),
      only: option(given, 'fault') ?? '',
      isQuick: has('--quick'),
      every: numberOf(given, 'every', 1),
    });
  return has('--only') ? playOne(numberOf(given, 'only', 1)) : playAll();
}

process.exit((await main()) ? 0 : 1);
