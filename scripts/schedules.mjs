// Random schedules of trouble, payments, listeners and pages: what every watch says in the end is compared with the service.
//   npm run schedules                           100 runs
//   npm run schedules -- 10000 --seed 1         the runs 1 to 10,000
//   npm run schedules -- --seed 4711 --only     one run again, with all that happened in it
//   npm run schedules -- --without never,sleep  without some troubles, or without watches that go on after the end
//   npm run schedules -- --no-feed              without events: all is read in turn
//   npm run schedules -- --faults left,late      only these count
//   npm run schedules -- liars                  whether the judge sees watches that lie, in 20 runs; `--seeds 8` for fewer
import { OwnError } from './watched/attend.mjs';
import { runSchedule } from './watched/run.mjs';
import { tell } from './watched/tell.mjs';
import { playLiars } from './watched/judge-judged.mjs';

const given = process.argv.slice(2);
const option = (name, usual) =>
  given.includes(`--${name}`) ? Number(given[given.indexOf(`--${name}`) + 1]) : usual;
const seed = option('seed', 1);
const list = (name) =>
  given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1].split(',') : [];
const without = list('without');
const hasFeed = !given.includes('--no-feed');
const counting = list('faults');
const runs = given.includes('--only') ? 1 : /^\d+$/.test(given[0]) ? Number(given[0]) : 100;

process.exitCode = 1; // until all is well: what is thrown here reaches nobody else
const uncaught = [];
process.on('uncaughtException', (error) => void uncaught.push(error));
process.on('unhandledRejection', (error) => void uncaught.push(error));
process.on('warning', (warning) => void uncaught.push(warning));

/** What nobody has caught since the last run; what listeners threw has to be there, once each. */
const strays = async ({ thrown }) => {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => void setTimeout(resolve, 0));
  const all = uncaught.splice(0);
  const own = all.filter((error) => error instanceof OwnError).length;
  return [
    ...all.filter((error) => !(error instanceof OwnError)).map((error) => `uncaught: ${error}`),
    ...(own === thrown ? [] : [`thrown: listeners threw ${thrown} times, reported were ${own}`]),
  ];
};

const playAll = async () => {
  const kinds = new Map();
  const bad = [];
  const begun = performance.now();
  for (let n = 0; n < runs; n++) {
    const run = await runSchedule(seed + n, { strays, without, hasFeed });
    if (counting.length > 0)
      run.faults = run.faults.filter((text) => counting.includes(text.split(/[:,]/)[0]));
    if (given.includes('--only')) tell(run);
    if (run.faults.length === 0) continue;
    bad.push(run.seed);
    for (const kind of new Set(run.faults.map((text) => text.split(':')[0])))
      kinds.set(kind, [...(kinds.get(kind) ?? []), run.seed]);
    if (bad.length <= 20)
      console.log(
        `seed ${run.seed} [${run.schedule.troubles.map(({ name }) => name)}]: ${run.faults.slice(0, 2).join('; ')}`,
      );
  }
  for (const [kind, seeds] of [...kinds].sort((a, b) => b[1].length - a[1].length))
    console.log(`${kind}: ${seeds.length} runs, such as ${seeds.slice(0, 12).join(' ')}`);
  const took = ((performance.now() - begun) / 1_000).toFixed(1);
  console.log(
    bad.length === 0
      ? `ok schedules: ${runs} runs from seed ${seed}, ${counting.length > 0 ? `nothing of ${counting}` : 'all as the service says'}, ${took} s`
      : `schedules: ${bad.length} of ${runs} runs went wrong, ${took} s; one again: npm run schedules -- --seed ${bad[0]} --only`,
  );
  process.exitCode = bad.length === 0 ? 0 : 1;
};

try {
  await (given.includes('liars') ? playLiars(strays, option('seeds', 20)) : playAll());
} catch (error) {
  console.log(`broken off: ${error?.stack}`);
  process.exitCode = 1;
}
