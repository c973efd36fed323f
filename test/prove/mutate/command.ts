// Lets Stryker put small faults into a copy of a room's sources, and counts those that its tests
// notice.
//   npm run mutate                       lists the rooms
//   npm run mutate -- money flows        60 mutants of each of these rooms, always the same ones
//   npm run mutate -- all                of every room
//   npm run mutate -- changed            60 of each room on the lines that differ from main
//   npm run mutate -- changed --since v0.1.0        on the lines that differ from this commit
//   npm run mutate -- flows --sample 200 --seed 7
//   npm run mutate -- flows --sample all             all of them: hours for a large room
//   npm run mutate -- flows --file pay/run           of the files whose paths have this text
//   npm run mutate -- core --tests unit/core,unit/rx judged by the tests with one of these texts
//   npm run mutate -- known              faults that went unnoticed once (known-faults.ts)
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensurePackages } from '../../../scripts/packages.mjs';
import { changedSpans, isOn } from './changed.ts';
import { drawOf, type Mutant, mutantsOf } from './draw.ts';
import { playKnown } from './known.ts';
import { type Part, pathsOf, ROOMS, type Room, sourcesOf } from './rooms.ts';
import {
  joined,
  lineOf,
  type Outcome,
  outcomeOf,
  outdatedEquivalents,
  percentOf,
} from './score.ts';
import { makeStage } from './stage.ts';
import { playMutants } from './stryker.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    file: { type: 'string', default: '' },
    tests: { type: 'string' },
    since: { type: 'string', default: 'main' },
    verbose: { type: 'boolean', default: false },
  },
});

const root = fileURLToPath(new URL('../../../', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));

function testsOf({ tests }: Part): readonly string[] {
  const all = pathsOf(root, values.tests ? ['test/{unit,long,house}/**/*.test.ts'] : tests);
  return all.filter((path) => (values.tests ?? '').split(',').some((text) => path.includes(text)));
}

type Spans = ReturnType<typeof changedSpans>;

/** Returns the room's files that mutants can be in: all of them, or those that have changed. */
const filesIn = (room: Room, changed: Spans | undefined): readonly string[] =>
  sourcesOf(root, room).filter(
    (file) => file.includes(values.file) && (!changed || changed.has(file)),
  );

/** The mutants of the room that are played, and how many it has. */
async function drawFrom(
  room: Room,
  changed: Spans | undefined,
): Promise<{ drawn: readonly Mutant[]; all: number }> {
  const found = await mutantsOf(root, filesIn(room, changed));
  const all = found.filter(
    ({ fileName, location }) => !changed || isOn(changed.get(fileName)!, location),
  );
  const size = values.sample === 'all' ? Infinity : Number(values.sample);
  return { drawn: drawOf(all, size, Number(values.seed)), all: all.length };
}

async function playParts({ name, parts }: Room, drawn: readonly Mutant[]): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  const folder = join(root, '.cache/stryker', name);
  let rest = drawn;
  for (const part of parts) {
    const files = pathsOf(root, part.files);
    const own = rest.filter(({ fileName }) => files.includes(fileName));
    rest = rest.filter((mutant) => !own.includes(mutant));
    if (own.length === 0) continue;
    makeStage(root, folder, join(here, 'node_modules/mocha'));
    const { verbose } = values;
    const task = { room: name, part, folder, drawn: own, tests: testsOf(part), verbose };
    outcomes.push(outcomeOf(await playMutants(task)));
  }
  return joined(outcomes);
}

async function playRoom(room: Room, changed: Spans | undefined): Promise<void> {
  const startedAt = performance.now();
  const { drawn, all } = await drawFrom(room, changed);
  const { score, survivors } = await playParts(room, drawn);
  for (const survivor of survivors) console.log(lineOf(survivor));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const { killed, survived, uncovered, equivalent } = score;
  const missed = `${survived} survived, ${uncovered} without a test, ${equivalent} equivalent`;
  const counts = `${killed} killed, ${missed}`;
  const share = `${percentOf(score).toFixed(1)} %`;
  console.log(`${room.name}: ${share} (${counts}; of ${all}, seed ${values.seed}, ${seconds} s)\n`);
  writeFileSync(join(root, `.cache/mutants-${room.name}.json`), JSON.stringify(survivors));
}

function roomsOf(names: readonly string[]): readonly Room[] {
  const rooms = names.includes('all') ? ROOMS : ROOMS.filter(({ name }) => names.includes(name));
  const unknown = names.filter((one) => one !== 'all' && !rooms.some(({ name }) => name === one));
  if (unknown.length > 0) throw new Error(`no such room: ${unknown.join(', ')}`);
  return rooms;
}

/** Plays mutants of these rooms. With `changed`, only those on lines that have changed. */
async function play(rooms: readonly Room[], changed?: Spans): Promise<void> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  if (!(await ensurePackages(here))) throw new Error('the packages could not be installed');
  for (const { file, line } of outdatedEquivalents(root))
    console.log(`outdated in equivalents.ts: ${file}: ${line}`);
  for (const room of rooms) await playRoom(room, changed);
}

async function playChanged(): Promise<void> {
  const changed = changedSpans(root, values.since);
  const rooms = ROOMS.filter((room) => filesIn(room, changed).length > 0);
  if (rooms.length === 0) console.log(`no line of a room differs from ${values.since}`);
  else await play(rooms, changed);
}

if (positionals[0] === 'known') process.exitCode = await playKnown(root, values.file);
else if (positionals[0] === 'changed') await playChanged();
else if (positionals.length > 0) await play(roomsOf(positionals));
else for (const { name } of ROOMS) console.log(name);
