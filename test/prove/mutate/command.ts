// Lets Stryker put small faults into a copy of a room's sources, and counts those that its tests notice.
//   npm run mutate                           lists the rooms and their last scores
//   npm run mutate -- money flows            60 mutants of each of these rooms, the same ones each time
//   npm run mutate -- all                    of every room
//   npm run mutate -- flows --sample 200 --seed 7
//   npm run mutate -- flows --sample all     all of them: hours for a large room
//   npm run mutate -- flows --file pay/run   of the files whose paths have this text
//   npm run mutate -- flows --tests unit/core,unit/flows   judged by the tests whose paths have one of these texts
//   npm run mutate -- flows --long           judged by the tests that compute for long, too (`itLong`)
//   npm run mutate -- known                  faults that went unnoticed once (known-faults.ts)
// Scores of the usual draw are kept in results.json, and README.md has a table of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensurePackages } from '../../../scripts/packages.mjs';
import { drawOf, mutantsOf } from './draw.ts';
import { playKnown } from './known.ts';
import { keepResult, rowOf } from './results.ts';
import { pathsOf, ROOMS, type Room } from './rooms.ts';
import { lineOf, outcomeOf, percentOf } from './score.ts';
import { makeStage } from './stage.ts';
import { playMutants } from './stryker.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
    tests: { type: 'string' },
    long: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const root = fileURLToPath(new URL('../../../', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const folderOf = ({ name }: Room): string => join(root, '.cache/stryker', name);
const isUsual = !values.file && values.tests === undefined;

function testsOf(room: Room): readonly string[] {
  const all = pathsOf(root, values.tests ? ['test/{unit,long,house}/**/*.test.ts'] : room.tests);
  return all.filter((path) => (values.tests ?? '').split(',').some((part) => path.includes(part)));
}

async function playRoom(room: Room): Promise<void> {
  const startedAt = performance.now();
  const files = pathsOf(root, room.files).filter((file) => file.includes(values.file));
  const all = await mutantsOf(root, files);
  const size = values.sample === 'all' ? Infinity : Number(values.sample);
  const seed = Number(values.seed);
  const drawn = drawOf(all, size, seed);
  const folder = folderOf(room);
  makeStage(root, folder, join(here, 'node_modules/mocha'));
  const { long: isWhole, verbose } = values;
  const task = { room, folder, drawn, tests: testsOf(room), isWhole, verbose };
  const { score, survivors } = outcomeOf(await playMutants(task));
  for (const survivor of survivors) console.log(lineOf(survivor));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const counts = `${score.killed} killed, ${score.survived} survived, ${score.uncovered} without a test, ${score.equivalent} equivalent`;
  const share = `${percentOf(score).toFixed(1)} %`;
  console.log(`${room.name}: ${share} (${counts}; of ${all.length}, seed ${seed}, ${seconds} s)\n`);
  writeFileSync(join(root, `.cache/mutants-${room.name}.json`), JSON.stringify(survivors));
  if (isUsual) keepResult(room.name, { seed, mutants: all.length, ...score });
}

function roomsOf(names: readonly string[]): readonly Room[] {
  const rooms = names.includes('all') ? ROOMS : ROOMS.filter(({ name }) => names.includes(name));
  const unknown = names.filter((one) => one !== 'all' && !rooms.some(({ name }) => name === one));
  if (unknown.length > 0) throw new Error(`no such room: ${unknown.join(', ')}`);
  return rooms;
}

async function play(names: readonly string[]): Promise<void> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const rooms = roomsOf(names);
  if (!(await ensurePackages(here))) throw new Error('the packages could not be installed');
  for (const room of rooms) await playRoom(room);
}

if (positionals[0] === 'known') process.exitCode = await playKnown(root, values.file);
else if (positionals.length > 0) await play(positionals);
else for (const { name } of ROOMS) console.log(rowOf(name));
