// Processes that are killed while they make three payments or payouts, or handle twelve events, at points: before and after
// each step of the store and each request. Another process goes on with the same store. Never two payments or two
// effects, never one lost, never a false result.
//   npm run kills                  50 points each: Node and Deno with stores in files of SQLite and in PostgreSQL; workerd
//   npm run kills -- 5             so many points each
//   npm run kills -- 5 node file   only these
//   npm run kills -- 9 payouts forgotten
//                                  the store is another one after the kill: shows that it is noticed. Only payouts
//                                  then move twice: they have no idempotency key, which those of payments derive from
import './quiet-tools.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresql } from '../test/runners/stores/postgresql.ts';
import { problemOfEvents } from './kills/events.mjs';
import { isThere, runOne } from './kills/runtimes.mjs';
import { openWorld } from './kills/world.mjs';

const [count = '50', ...words] = process.argv.slice(2);
const isForgotten = words.includes('forgotten');
const only = words.filter((word) => word !== 'forgotten');
const STORES = ['file', 'postgresql'];
const LEGS = [
  ...['node', 'deno'].flatMap((runtime) =>
    STORES.flatMap((kind) => ['payments', 'events'].map((work) => ({ runtime, kind, work }))),
  ),
  { runtime: 'node', kind: 'file', work: 'payouts' },
  { runtime: 'workerd', kind: 'object', work: 'payments' },
];
const SIDE_BY_SIDE = 3;
const folder = mkdtempSync(join(tmpdir(), 'paystate-kills-'));
const isWanted = (leg) => only.every((word) => Object.values(leg).includes(word));
const wanted = LEGS.filter(isWanted);
const hasServer = wanted.some(({ kind }) => kind === 'postgresql');
const postgresql = hasServer ? await startPostgresql() : undefined;
const failures = [];
let lives = 0;

/** A process that is killed at this point, and one that goes on; what is wrong then. */
async function play({ runtime, kind, work }, killAt) {
  const number = ++lives;
  const world = work === 'events' ? undefined : await openWorld(number, work);
  const isServer = kind === 'postgresql';
  const place = isServer ? postgresql.url : join(folder, `life-${number}`);
  const task = { ...world?.task, kind, work, place, prefix: `life_${number}` };
  const other = { place: isServer ? place : `${place}-other`, prefix: `other_${number}` };
  try {
    const first = await runOne(runtime, { ...task, killAt }, folder);
    const next = { ...task, ...(isForgotten && other), kept: first.kept, isRestart: true };
    const last = first.killed ? await runOne(runtime, next, folder) : first;
    const problem = world
      ? problemOfPayments(last.ends, await world.moved())
      : problemOfEvents(last.found);
    return { ...first, others: othersIn(last.ends), problem };
  } finally {
    await world?.close();
  }
}

/** The phases in which a payment, or a payout, was done. */
const DONE = ['paid', 'completed'];

/** How payments ended that were not paid. */
const othersIn = (ends = []) =>
  ends.filter(({ phase }) => !DONE.includes(phase)).map(({ phase }) => phase);

/**
 * What is said to be paid is what the books have. Where a quote ended before the next process came,
 * `unknown` is the truth for an address, whether it was paid or not; it is told apart below.
 */
function problemOfPayments(ends, moved) {
  const paid = ends.flatMap(({ phase, paymentId }) => (DONE.includes(phase) ? [paymentId] : []));
  const unknown = ends.filter(({ phase }) => phase === 'unknown').length;
  if (moved.length > paid.length + unknown) return 'double';
  const isTrue = paid.length === new Set(paid).size && paid.every((id) => moved.includes(id));
  return isTrue ? undefined : 'lost';
}

async function playAll(leg) {
  const name = `${leg.runtime} ${leg.kind} ${leg.work}`;
  const { points, problem } = await play(leg, 0);
  if (problem) failures.push(`${name}: undisturbed: ${problem}`);
  const places = Math.min(points, Number(count));
  const targets = Array.from({ length: places }, (_, n) => 1 + Math.floor((n * points) / places));
  const found = [];
  const lane = async () => {
    for (let killAt = targets.shift(); killAt; killAt = targets.shift())
      found.push(await play(leg, killAt));
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  const killed = found.filter((one) => one.killed).length;
  const of = (what) => found.filter((one) => one.problem === what).length;
  const others = found.flatMap((one) => one.others);
  const known = [...new Set(others)].map(
    (end) => `${others.filter((one) => one === end).length} ${end}`,
  );
  const figures = `${points} points, ${killed} kills, ${of('double')} double, ${of('lost')} lost`;
  console.log([`${name}: ${figures}`, ...known].join(', '));
  for (const one of found)
    if (one.problem)
      failures.push(`${name} at ${one.killed?.point} ${one.killed?.name}: ${one.problem}`);
}

if (hasServer)
  console.log(postgresql ? postgresql.version : 'not run: PostgreSQL is not installed');
try {
  for (const leg of wanted) {
    if (leg.kind === 'postgresql' && !postgresql) continue;
    if (isThere(leg.runtime)) await playAll(leg);
    else console.log(`not run: ${leg.runtime} is not installed`);
  }
} finally {
  await postgresql?.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
