// Draws schedules of trouble, payments, listeners and pages: every watch says in the end what the service says.
//   npm run prove -- schedules                        100 runs
//   npm run prove -- schedules 10000 --seed 1         the runs 1 to 10,000
//   npm run prove -- schedules --seed 4711 --only     one run again, with all that happened in it
//   npm run prove -- schedules --without never,sleep  without some troubles, or without watches that go on after the end
//   npm run prove -- schedules --no-feed              without events: all is read in turn
//   npm run prove -- schedules --faults left,late     only these count
//   npm run prove -- schedules liars                  the judge sees watches that lie, in 20 runs; `--seeds 8`: in fewer
import { option, numberOf } from '../shared/options.ts';
import { OwnError, type Thrown } from '../shared/watched/attend.ts';
import { kindOf, playLiars } from './judge-judged.ts';
import { runSchedule } from './run.ts';
import { tell } from './tell.ts';

const given = process.argv.slice(2);
const list = (name: string): readonly string[] => option(given, name)?.split(',') ?? [];
const seed = numberOf(given, 'seed', 1);
const without = list('without');
const counting = list('faults');
const hasFeed = !given.includes('--no-feed');
const isOne = given.includes('--only');
const wished = /^\d+$/.test(given[0] ?? '') ? Number(given[0]) : 100;
const runs = isOne ? 1 : wished;
const MOST_SHOWN = 20;
const MOST_SEEDS = 12;

process.exitCode = 1; // until all is well: what is thrown here reaches nobody else
const uncaught: unknown[] = [];
process.on('uncaughtException', (error) => void uncaught.push(error));
process.on('unhandledRejection', (error) => void uncaught.push(error));
process.on('warning', (warning) => void uncaught.push(warning));

/**
 * Lists the errors that nobody has caught since the last run; those that listeners threw have to be
 * there, once each.
 */
async function strays({ thrown }: Thrown): Promise<readonly string[]> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => void setTimeout(resolve, 0));
  const all = uncaught.splice(0);
  const own = all.filter((error) => error instanceof OwnError).length;
  return [
    ...all.filter((error) => !(error instanceof OwnError)).map((error) => `uncaught: ${error}`),
    ...(own === thrown ? [] : [`thrown: listeners threw ${thrown} times, reported were ${own}`]),
  ];
}

/** Plays all runs; resolves to the seeds of those that went wrong. */
async function playAll(): Promise<readonly number[]> {
  const kinds = new Map<string, number[]>();
  const bad: number[] = [];
  for (let n = 0; n < runs; n++) {
    const run = await runSchedule(seed + n, { strays, without, hasFeed });
    if (isOne) tell(run);
    const faults = run.faults.filter(
      (text) => counting.length === 0 || counting.includes(kindOf(text)),
    );
    if (faults.length === 0) continue;
    bad.push(run.seed);
    for (const kind of new Set(faults.map((text) => text.split(':')[0]!)))
      kinds.set(kind, [...(kinds.get(kind) ?? []), run.seed]);
    const troubles = run.schedule.troubles.map(({ name }) => name).join();
    if (bad.length <= MOST_SHOWN)
      console.log(`seed ${run.seed} [${troubles}]: ${faults.slice(0, 2).join('; ')}`);
  }
  for (const [kind, seeds] of [...kinds].sort((a, b) => b[1].length - a[1].length))
    console.log(`${kind}: ${seeds.length} runs, such as ${seeds.slice(0, MOST_SEEDS).join(' ')}`);
  return bad;
}

async function main(): Promise<boolean> {
  if (given.includes('liars')) return playLiars(strays, numberOf(given, 'seeds', 20));
  const begun = performance.now();
  const bad = await playAll();
  const took = `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
  const all = counting.length > 0 ? `nothing of ${counting.join()}` : 'all as the service says';
  const again = `npm run prove -- schedules --seed ${bad[0]} --only`;
  console.log(
    bad.length === 0
      ? `ok schedules: ${runs} runs from seed ${seed}, ${all}, ${took}`
      : `schedules: ${bad.length} of ${runs} runs went wrong, ${took}; one again: ${again}`,
  );
  return bad.length === 0;
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.log(`broken off: ${(error as Error).stack}`);
  process.exitCode = 1;
}
