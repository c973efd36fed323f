// Plays mutants: for each the tests that cover it, until one fails.
import { isOwnTest } from './report.mjs';

const limitOf = ({ milliseconds }) => 20_000 + 30 * milliseconds;
const mostStepsOf = ({ calls }) => 20_000 + 10 * calls;

/** Tests in their order, as many as fit into the time that one mutant may take. */
function within(tests, budget) {
  let sum = 0;
  return tests.filter(({ milliseconds }, at) => (sum += milliseconds) <= budget || at === 0);
}

// A few tests of the room itself know most about it; they come first, then all others.
export function inOrder(tests, room) {
  const isOwn = ({ file }) => isOwnTest(file, room);
  return [...tests.filter(isOwn), ...tests.filter((test) => !isOwn(test))];
}

/** The first test that fails with this mutant, and how. */
export async function firstFailure(player, tests, { place, variant }) {
  for (const test of tests) {
    const task = { test: test.id, place, variant, most: mostStepsOf(test) };
    const outcome = await player.run(task, limitOf(test));
    if (outcome.failure) return { test, ...outcome };
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
async function playFromStart(player, tests, mutant) {
  const about = await player.restart(mutant);
  return about.broken ? { failure: about.broken } : firstFailure(player, tests, mutant);
}

/**
 * Those that have noticed most faults of the file so far for the time that they take come first, and those of the room itself
 * and of the file before others; as many as fit.
 */
function chosen(tests, { file, room }, { noticed, budget, byFile }) {
  const counts = noticed.get(file);
  const ofFile = new Set(byFile.get(file));
  const worth = (test) => {
    const nearness = (isOwnTest(test.file, room) ? 5 : 1) * (ofFile.has(test) ? 100 : 1);
    return (nearness * (1 + 20 * (counts?.get(test.id) ?? 0))) / (5 + test.milliseconds);
  };
  return within(
    tests
      .map((test) => [worth(test), test])
      .sort(([a], [b]) => b - a)
      .map(([, test]) => test),
    budget,
  );
}

async function play(player, mutant, { covering, others, isLoaded, ...limits }) {
  if (isLoaded) {
    const all = [...new Set([...covering, ...others])];
    return playFromStart(player, chosen(all, mutant, limits), mutant);
  }
  const tests = chosen(covering, mutant, limits);
  let found = await firstFailure(player, tests, mutant);
  if (found && !found.hung && (await failsAnyway(player, found.test))) {
    await player.restart();
    found = await firstFailure(player, tests, mutant);
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
