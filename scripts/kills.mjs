// Processes that are killed while they make three payments, at numbered points: before and after each step of the journal and each
// request. Another process goes on with the same journal. Never two payments, never one lost, never a false result.
//   npm run kills                  50 points each: Node and Deno with journals in files, SQLite and PostgreSQL; workerd
//   npm run kills -- 5             so many points each
//   npm run kills -- 5 node file   only these
//   npm run kills -- 9 forgotten   the journal is another one after the kill: shows that doubles are noticed
import './quiet-tools.mjs';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresql } from '../test/runners/stores/postgresql.ts';
import { isThere, runOne } from './kills/runtimes.mjs';
import { openWorld } from './kills/world.mjs';

const [count = '50', ...words] = process.argv.slice(2);
const isForgotten = words.includes('forgotten');
const only = words.filter((word) => word !== 'forgotten');
const JOURNALS = {
  node: ['file', 'sqlite', 'postgresql'],
  deno: ['file', 'sqlite', 'postgresql'],
  workerd: ['sqlite'],
};
const SIDE_BY_SIDE = 3;
const folder = mkdtempSync(join(tmpdir(), 'paystate-kills-'));
let lives = 0;

/** One life: a process that is killed at this point, and one that goes on. */
async function play(runtime, kind, postgresql, killAt) {
  const number = ++lives;
  const world = await openWorld(number);
  const place = kind === 'postgresql' ? postgresql.url : join(folder, `life-${number}`);
  if (runtime === 'workerd') mkdirSync(place);
  const task = { ...world.task, kind, place, prefix: `life_${number}` };
  const next = isForgotten
    ? { place: kind === 'postgresql' ? place : `${place}-other`, prefix: `other_${number}` }
    : {};
  try {
    const first = await runOne(runtime, { ...task, killAt }, folder);
    const last = first.killed
      ? await runOne(runtime, { ...task, ...next, isRestart: true }, folder)
      : first;
    const moved = await world.moved();
    return { ...first, phases: phasesOf(last.ends), problem: problemOf(last.ends, moved) };
  } finally {
    await world.close();
  }
}

const phasesOf = (ends) => [...new Set(ends.map(({ phase }) => phase))].join(' and ');

/** What is said to be paid is what the books have, each once. */
function problemOf(ends, moved) {
  if (ends.some(({ phase }) => phase === 'unknown')) return 'unknown';
  const paid = ends.filter(({ phase }) => phase === 'paid').map(({ paymentId }) => paymentId);
  if (new Set(paid).size < paid.length) return 'lost';
  if (moved.some((id) => !paid.includes(id))) return 'double';
  return paid.every((id) => moved.includes(id)) ? undefined : 'lost';
}

const failures = [];
async function playAll(runtime, kind, postgresql) {
  const { points, phases } = await play(runtime, kind, postgresql, 0);
  if (phases !== 'paid') failures.push(`${runtime} ${kind}: undisturbed it is ${phases}`);
  const places = Math.min(points, Number(count));
  const targets = Array.from({ length: places }, (_, n) => 1 + Math.floor((n * points) / places));
  const found = [];
  const lane = async () => {
    for (let killAt = targets.shift(); killAt; killAt = targets.shift())
      found.push(await play(runtime, kind, postgresql, killAt));
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  const killed = found.filter((one) => one.killed);
  const of = (problem) => found.filter((one) => one.problem === problem).length;
  const ends = [...new Set(found.map((one) => one.phases))].join(', ');
  const figures = `${of('double')} double, ${of('lost')} lost, ${of('unknown')} unknown`;
  console.log(`${runtime} ${kind}: ${points} points, ${killed.length} kills: ${figures} (${ends})`);
  for (const { killed: at, problem, phases: end } of found)
    if (problem)
      failures.push(`${runtime} ${kind} at ${at?.point} ${at?.name}: ${problem}, ${end}`);
}

const isWanted = (...names) => only.every((word) => names.includes(word));
const postgresql = await startPostgresql();
console.log(postgresql ? postgresql.version : 'not run: PostgreSQL is not installed');
try {
  for (const [runtime, kinds] of Object.entries(JOURNALS))
    for (const kind of kinds) {
      if (!isWanted(runtime, kind)) continue;
      if (kind === 'postgresql' && !postgresql) continue;
      if (isThere(runtime)) await playAll(runtime, kind, postgresql);
      else console.log(`not run: ${runtime} is not installed`);
    }
} finally {
  await postgresql?.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
