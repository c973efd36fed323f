// Plays mutants: for each the tests that cover it, until one fails.
import { isOwnTest } from './report.mjs';

const limitOf = ({ milliseconds }) => 20_000 + 30 * milliseconds;
const mostStepsOf = ({ calls }) => 20_000 + 10 * calls;

// A few tests of the room itself know most about it; they come first, then all others.
export function inOrder(tests, room) {
  const isOwn = ({ file }) => isOwnTest(file, room);
  return [...tests.filter(isOwn), ...tests.filter((test) => !isOwn(test))];
}

/**
 * The first test that fails with this mutant, and how. No further one is begun when `budget` milliseconds of processor time
 * are spent: other work on the machine changes no score. `limitOf` is only for what hangs.
 */
export async function firstFailure(player, tests, { place, variant }, budget = Infinity) {
  let spent = 0;
  for (const test of tests) {
    if (spent >= budget) break;
    const task = { test: test.id, place, variant, most: mostStepsOf(test) };
    const outcome = await player.run(task, limitOf(test));
    if (outcome.failure) return { test, ...outcome };
    spent += outcome.milliseconds;
  }
  return undefined;
}

/** Whether a test fails without any mutant too: then something was left behind by an earlier one. */
async function failsAnyway(player, test) {
  const task = { test: test.id, place: 0, variant: 0 };
  return Boolean((await player.run(task, limitOf(test))).failure);
}

/**
 * Plays in a process that had the mutant from its first line on: for what is computed while files are loaded. The process
 * keeps it, so these come last.
 */
async function playFromStart(player, tests, mutant, budget) {
  const about = await player.restart(mutant);
  return about.broken ? { failure: about.broken } : firstFailure(player, tests, mutant, budget);
}

/**
 * Those that have noticed most faults of the file so far for the time that they take come first, and those of the room itself
 * and of the file before others.
 */
function inOrderOfWorth(tests, { file, room }, { noticed, byFile }) {
  const counts = noticed.get(file);
  const ofFile = new Set(byFile.get(file));
  const worth = (test) => {
    const nearness = (isOwnTest(test.file, room) ? 5 : 1) * (ofFile.has(test) ? 100 : 1);
    return (nearness * (1 + 20 * (counts?.get(test.id) ?? 0))) / (5 + test.milliseconds);
  };
  return tests
    .map((test) => [worth(test), test])
    .sort(([a], [b]) => b - a)
    .map(([, test]) => test);
}

async function play(player, mutant, { covering, others, isLoaded, budget, ...known }) {
  if (isLoaded) {
    const all = [...new Set([...covering, ...others])];
    return playFromStart(player, inOrderOfWorth(all, mutant, known), mutant, budget);
  }
  const tests = inOrderOfWorth(covering, mutant, known);
  let found = await firstFailure(player, tests, mutant, budget);
  if (found && !found.hung && (await failsAnyway(player, found.test))) {
    await player.restart();
    found = await firstFailure(player, tests, mutant, budget);
  }
  return found;
}

/** Where no test comes by while it runs: those that come by the rest of its file first, then all. */
const forLoaded = ({ byFile, cheapest }, { file }) => [
  ...new Set([...(byFile.get(file) ?? []), ...cheapest]),
];

/** Plays a list over all players; each mutant gets `killed` and `by`. */
export async function playAll(players, mutants, measured) {
  const { byPlace, atLoad, budget, say } = measured;
  const isLoaded = ({ place, isAtTop }) => isAtTop || atLoad.has(place);
  const waiting = [...mutants.filter((one) => !isLoaded(one)), ...mutants.filter(isLoaded)];
  const noticed = new Map();
  await Promise.all(
    players.map(async (player) => {
      await player.restart();
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const covering = byPlace.get(mutant.place) ?? [];
        const others = isLoaded(mutant) ? forLoaded(measured, mutant) : [];
        const found = await play(player, mutant, {
          covering,
          others,
          isLoaded: isLoaded(mutant),
          budget,
          noticed,
          byFile: measured.byFile,
        });
        noteNoticed(noticed, mutant, found?.test);
        Object.assign(mutant, {
          killed: Boolean(found),
          by: found?.test?.name,
          byFile: found?.test?.file,
          covering: covering.length + others.length,
        });
        if (waiting.length % 25 === 0) say(`${waiting.length} mutants to play`);
      }
    }),
  );
}

function noteNoticed(noticed, { file }, test) {
  if (!test) return;
  const tests = noticed.get(file) ?? new Map();
  tests.set(test.id, (tests.get(test.id) ?? 0) + 1);
  noticed.set(file, tests);
}
