// Random lifetimes of money: the real SDK against the real sandbox, under one clock and one seed each. Processes die at any step
// and start again with their journal, two work on one intent, machines sleep, listeners throw, the network loses, doubles and
// delays, the service stumbles. Never anything done twice, never a false result, by the service's own books.
//   npm run simulate                                     5,000 lifetimes, from another seed each time
//   npm run simulate -- --lifetimes 1000000 --seed 1     so many, from this seed on
//   npm run simulate -- --faults deaths,copies           only these faults; `none` for none
//   npm run simulate -- --only 4711                      one lifetime: its schedule and its end
//   npm run simulate -- mutants                          faults put into the SDK on purpose: each has to be noticed by its seed
//   npm run simulate -- mutants --search                 the first seed that notices each of them
//   --threads 1                                          as many as there are processors, unless you say otherwise
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { groups, play, scheduleOf, shrink } from './simulate/lives.mjs';
import { playMutants } from './simulate/mutants.mjs';

const given = process.argv.slice(2);
const option = (name, usual) =>
  given.includes(`--${name}`) ? given[given.indexOf(`--${name}`) + 1] : usual;
const faults = option('faults', groups.join(',')).split(',');
const lifetimes = Number(option('lifetimes', 5_000));
const first = Number(option('seed', Date.now() % 1_000_000));
const threads = Math.min(lifetimes, Number(option('threads', availableParallelism())));

const strange = faults.find((one) => !groups.includes(one) && one !== 'none');
if (strange) throw new Error(`--faults takes ${groups.join(', ')}`);

/** A test that brings a life back; it belongs into test/unit/flows/. */
const testOf = (schedule, [problem]) => `
import { expect } from 'chai';
import { describe, it } from '#test';
import { playSchedule } from './pay-lives.ts';

describe('a life of money', () => {
  it('does not end with: ${problem.split('\n')[0].replaceAll("'", '’')}', async () => {
    const { problems } = await playSchedule(${JSON.stringify(schedule)});
    expect(problems).to.deep.equal([]);
  });
});
`;

const playOn = (thread, bad, ends) =>
  new Promise((resolve, reject) => {
    const url = new URL('./simulate/worker.mjs', import.meta.url);
    const workerData = { first: first + thread, count: lifetimes - thread, step: threads, faults };
    new Worker(url, { workerData })
      .on('message', (told) => {
        if (!told.ends) return void bad.push(told);
        for (const [end, count] of Object.entries(told.ends)) ends[end] = (ends[end] ?? 0) + count;
      })
      .on('error', reject)
      .on('exit', resolve);
  });

const playAll = async () => {
  const [bad, ends] = [[], {}];
  const begun = performance.now();
  await Promise.all(Array.from({ length: threads }, (_, thread) => playOn(thread, bad, ends)));
  const took = (performance.now() - begun) / 1_000;
  bad.sort((a, b) => a.seed - b.seed);
  for (const { seed, end, problems } of bad.slice(0, 20))
    console.log(`seed ${seed} (${end}): ${problems.join('; ')}`);
  if (bad.length > 0) {
    const [{ seed, problems }] = bad;
    const schedule = await shrink(scheduleOf(seed, faults), problems);
    console.log(`\n// seed ${seed}, without what does not matter\n${testOf(schedule, problems)}`);
  }
  const list = Object.entries(ends).sort();
  console.log(list.map(([end, count]) => `${end} ${count}`).join(', '));
  console.log(
    `${bad.length === 0 ? 'ok simulate' : 'simulate'}: ${lifetimes} lifetimes from seed ${first}, wrong ${bad.length}, ` +
      `${took.toFixed(1)} s on ${threads} threads, ${Math.round(lifetimes / took)} a second`,
  );
  return bad.length === 0;
};

const playOne = async (seed) => {
  const schedule = scheduleOf(seed, faults);
  console.log(JSON.stringify(schedule, null, 2));
  const { end, problems } = await play(schedule);
  console.log([end, ...problems].join('\n'));
  return problems.length === 0;
};

const isRight = given.includes('mutants')
  ? await playMutants(given.includes('--search'))
  : given.includes('--only')
    ? await playOne(Number(option('only')))
    : await playAll();
process.exit(isRight ? 0 : 1);
