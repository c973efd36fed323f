// Kills processes that make payments or payouts, or handle events, at any step: nothing is lost and nothing done twice.
// Each makes three payments or payouts, or handles twelve events, and is killed before or after a step of the store or a
// request. Another process goes on with the same store, or every second time with an older copy of it, which is declared; it
// stops the last payment. Never two payments or two effects, never one lost, never a false result.
//   npm run prove -- kills              50 points each: Node and Deno with stores in files of SQLite and in PostgreSQL; workerd
//   npm run prove -- kills 5            so many points each
//   npm run prove -- kills 5 node file  only these
//   npm run prove -- kills 9 payouts forgotten
//                                       the store is another one after the kill: shows that it is noticed. Only payouts
//                                       then move twice: they have no idempotency key, which those of payments derive from
import '../../runners/quiet-tools.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresql } from '../../runners/stores/postgresql.ts';
import { problemOfEvents, type Problem } from './events.ts';
import { isThere, runOne, type Runtime } from './runtimes.ts';
import type { Ended, MoneyEnd, Point, StoreKind, Task } from './task.ts';
import { openWorld } from './world.ts';

interface Leg {
  readonly runtime: Runtime;
  readonly store: StoreKind;
  readonly work: 'payments' | 'payouts' | 'events';
}

const [count = '50', ...words] = process.argv.slice(2);
const isForgotten = words.includes('forgotten');
const only = words.filter((word) => word !== 'forgotten');
const EACH: readonly Leg[] = (['node', 'deno'] as const).flatMap((runtime) =>
  (['file', 'postgresql'] as const).flatMap((store) =>
    (['payments', 'events'] as const).map((work) => ({ runtime, store, work })),
  ),
);
const LEGS: readonly Leg[] = [
  ...EACH,
  { runtime: 'node', store: 'file', work: 'payouts' },
  { runtime: 'workerd', store: 'object', work: 'payments' },
];
const SIDE_BY_SIDE = 3;
const MOST_SHOWN = 20;
const wordsOf = ({ runtime, store, work }: Leg): readonly string[] => [runtime, store, work];
const wanted = LEGS.filter((leg) => only.every((word) => wordsOf(leg).includes(word)));
const hasServer = wanted.some(({ store }) => store === 'postgresql');

const folder = mkdtempSync(join(tmpdir(), 'paystate-kills-'));
const postgresql = hasServer ? await startPostgresql() : undefined;
const failures: string[] = [];
let lives = 0;

/** The result of one life. */
interface Played {
  readonly end: Ended;
  /** The point at which its first process was killed. */
  readonly at: Point | undefined;
  readonly problem: Problem;
}

/** A process that is killed at this point, and one that goes on; what is wrong then. */
async function play(
  { runtime, store, work }: Leg,
  killAt: number,
  isRestored: boolean,
): Promise<Played> {
  const number = ++lives;
  const world = work === 'events' ? undefined : await openWorld(number, work);
  const place = store === 'postgresql' ? postgresql!.url : join(folder, `life-${number}`);
  const prefix = `life_${number}`;
  const money = world?.task;
  const task: Task = { store, place, prefix, money, killAt, kept: [], isRestart: false };
  const forgotten = {
    place: store === 'postgresql' ? place : `${place}-other`,
    prefix: `other_${number}`,
  };
  try {
    const first = await runOne(runtime, task, folder);
    if (first.said !== 'killed')
      return { end: first, at: undefined, problem: await problemOf(first, world) };
    const { at, kept } = first;
    const other = {
      ...((isForgotten || isRestored) && forgotten),
      ...(isRestored && { restoredFrom: money?.time.from }),
    };
    const next = { ...task, ...other, killAt: 0, kept, isRestart: true };
    const last = await runOne(runtime, next, folder);
    if (last.said === 'killed') throw new Error('the second process was killed too');
    return { end: last, at, problem: await problemOf(last, world) };
  } finally {
    await world?.close();
  }
}

async function problemOf(
  end: Ended,
  world: { moved(): Promise<readonly string[]> } | undefined,
): Promise<Problem> {
  if (end.said === 'handled') return problemOfEvents(end.found);
  return problemOfPayments(end.ends, (await world?.moved()) ?? []);
}

const isDone = ({ phase }: MoneyEnd): boolean => phase === 'paid' || phase === 'completed';

/**
 * Returns the fault of payments that are said to be paid and are not in the books, or the reverse.
 * Where a quote ended before the next process came, `unknown` is the truth for an address, whether
 * it was paid or not; it is counted apart.
 */
function problemOfPayments(ends: readonly MoneyEnd[], moved: readonly string[]): Problem {
  const paid = ends.filter(isDone).map(({ id }) => id ?? '');
  const unknown = ends.filter(({ phase }) => phase === 'unknown').length;
  if (moved.length > paid.length + unknown) return 'double';
  const isTrue = paid.length === new Set(paid).size && paid.every((id) => moved.includes(id));
  return isTrue ? undefined : 'lost';
}

/** Phases in which payments ended that were not paid. */
const othersIn = ({ end }: Played): readonly string[] =>
  end.said === 'moved' ? end.ends.filter((one) => !isDone(one)).map(({ phase }) => phase) : [];

async function playAll(leg: Leg): Promise<void> {
  const name = wordsOf(leg).join(' ');
  const undisturbed = await play(leg, 0, false);
  const { points } = undisturbed.end;
  if (undisturbed.problem) failures.push(`${name}: undisturbed: ${undisturbed.problem}`);
  const places = Math.min(points, Number(count));
  const targets = Array.from({ length: places }, (_, n) => 1 + Math.floor((n * points) / places));
  const found: Played[] = [];
  const lane = async (): Promise<void> => {
    for (let killAt = targets.shift(); killAt; killAt = targets.shift()) {
      const isRestored = leg.work !== 'events' && !isForgotten && targets.length % 2 === 0;
      found.push(await play(leg, killAt, isRestored));
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, lane));
  const killed = found.filter(({ at }) => at).length;
  const of = (what: Problem): number => found.filter(({ problem }) => problem === what).length;
  const others = found.flatMap(othersIn);
  const known = [...new Set(others)].map(
    (phase) => `${others.filter((one) => one === phase).length} ${phase}`,
  );
  const figures = `${points} points, ${killed} kills, ${of('double')} double, ${of('lost')} lost`;
  console.log([`${name}: ${figures}`, ...known].join(', '));
  for (const { at, problem } of found)
    if (problem) failures.push(`${name} at ${at?.point} ${at?.name}: ${problem}`);
}

if (hasServer)
  console.log(postgresql ? postgresql.version : 'not run: PostgreSQL is not installed');
try {
  for (const leg of wanted) {
    if (leg.store === 'postgresql' && !postgresql) continue;
    if (isThere(leg.runtime)) await playAll(leg);
    else console.log(`not run: ${leg.runtime} is not installed`);
  }
} finally {
  await postgresql?.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures.slice(0, MOST_SHOWN)) console.log(`  ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);
