// Mutation scores: small faults are put into a copy of the code one at a time, and the portable tests have to notice.
//   npm run mutate                              200 mutants of each room, the same ones each time
//   npm run mutate -- money flows               of these rooms
//   npm run mutate -- --sample 50 --seed 7      so many, drawn by this seed
//   npm run mutate -- money --all               all of them
//   npm run mutate -- --file pay/guards.ts      all of the files whose paths have this text
//   npm run mutate -- state --tests /state/,/rx/  by the tests whose paths have one of these texts: sooner, and a lower bound
//   npm run mutate -- --again                   those that survived the last time
//   npm run mutate -- known                     faults that went unnoticed once, by name (mutate/known-faults.mjs)
// A mutant that no test covers has survived. Each may cost ten seconds of processor time of its tests (--budget), so the score
// is a lower bound, and the same on a busy machine.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { outdatedFaults, playKnown } from './mutate/play-known.mjs';
import { ignoredOf, judgesOf, reportOf } from './mutate/report.mjs';
import { mutate } from './mutate/run.mjs';

const ROOMS = ['core', 'state', 'webhooks', 'flows', 'money', 'relay'];
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    budget: { type: 'string', default: '10' },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    file: { type: 'string' },
    tests: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
  },
});
setPriority(19);

const isKnown = positionals[0] === 'known';
const rooms = positionals.length > 0 && !isKnown ? positionals : ROOMS;
const unknown = rooms.filter((room) => !ROOMS.includes(room));
if (unknown.length > 0)
  throw new Error(`no such room: ${unknown.join(', ')}; there are ${ROOMS.join(', ')}`);
const reportFile = join(cache, 'mutate.json');
const say = (text) => process.stderr.isTTY && process.stderr.write(`\r\u001b[K${text}`);
const begun = performance.now();

const options = {
  root,
  folder: join(cache, isKnown ? 'mutate-known' : 'mutate'),
  instrumented: ROOMS,
  // Tests import helpers of other folders, so all portable ones are copied.
  tests: [
    'test/unit/**/*.ts',
    'test/codes/*.ts',
    'test/model/*.ts',
    'test/long/relay-!(worlds*).ts', // relay-worlds runs in real time with the harness of the edge
  ],
  declaring: ['test/unit/**/*.test.js', 'test/long/relay-!(worlds*).test.js'],
  isWantedTest: (file) => values.tests.split(',').some((part) => file.includes(part)),
  workers: Number(values.workers),
  say,
};

const survivors = () =>
  new Set(
    JSON.parse(readFileSync(reportFile, 'utf8'))
      .filter(({ killed }) => !killed)
      .map(({ key }) => key),
  );

function wantedOf() {
  if (values.file) return ({ file }) => file.includes(values.file);
  if (!values.again) return undefined;
  const keys = survivors();
  return (mutant) => keys.has(mutant.key);
}

const ending = ({ failing, tests }) => {
  for (const { file, name, failure } of failing)
    console.log(`not used, fails without a mutant: ${file} ${name}: ${failure}`);
  const seconds = Math.round((performance.now() - begun) / 1000);
  return `${tests.length} tests, ${seconds} s`;
};

async function playRooms() {
  const result = await mutate({
    ...options,
    rooms,
    size: values.all ? Infinity : Number(values.sample),
    seed: Number(values.seed),
    budget: 1000 * Number(values.budget),
    wanted: wantedOf(),
    keep: (mutants) => writeFileSync(reportFile, JSON.stringify(mutants)),
  });
  say('');
  for (const { room, all, mutants } of result.rooms)
    console.log(
      [
        ...reportOf(room, mutants),
        judgesOf(room, mutants),
        `  played ${mutants.length} of ${all}`,
        ...ignoredOf(room),
        '',
      ].join('\n'),
    );
  for (const key of result.outdated) console.log(`outdated in scripts/mutate/ignored.json: ${key}`);
  const judges = values.tests ? `tests of ${values.tests}` : 'all portable tests';
  console.log(
    `judged by ${judges}, ${values.budget} s of processor time for a mutant; ${ending(result)}, seed ${values.seed}`,
  );
}

async function playFaults() {
  const outdated = outdatedFaults(root);
  for (const { says, file } of outdated) console.log(`outdated: ${file}: ${says}`);
  const wanted = (fault) =>
    !outdated.includes(fault) && (!values.file || fault.file.includes(values.file));
  const heard = ({ says, by, failing }) =>
    console.log(
      by ? `noticed: ${says} (${by})` : `NOT noticed: ${says}${failing ? `: ${failing}` : ''}`,
    );
  const result = await playKnown({ ...options, wanted, heard });
  say('');
  const noticed = result.played.filter(({ by }) => by).length;
  console.log(`${noticed} of ${result.played.length} noticed; ${ending(result)}`);
  process.exitCode = noticed === result.played.length && outdated.length === 0 ? 0 : 1;
}

mkdirSync(cache, { recursive: true });
await (isKnown ? playFaults() : playRooms());
