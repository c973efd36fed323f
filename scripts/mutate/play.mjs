// Plays mutants: for each the tests that cover it, until one fails.

const limitOf = ({ milliseconds }) => 20_000 + 30 * milliseconds;
const mostStepsOf = ({ calls }) => 20_000 + 10 * calls;

/** Tests in their order, as many as fit into the time that one mutant may take. */
function within(tests, budget) {
  let sum = 0;
  return tests.filter(({ milliseconds }, at) => (sum += milliseconds) <= budget || at === 0);
}

// A few tests of the room itself know most about it; they come first, then all others.
export function inOrder(tests, room) {
  const isOwn = ({ file }) => file.includes(`/${room}/`) || file.includes(`/${room}-`);
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

/** Plays in a process that had the mutant from its first line on: for what is computed while files are loaded. */
async function playFromStart(player, tests, mutant) {
  const about = await player.restart(mutant);
  const found = about.broken
    ? { failure: about.broken }
    : await firstFailure(player, tests, mutant);
  await player.restart();
  return found;
}

async function play(player, mutant, { covering, others, atLoad, budget }) {
  const tests = within(inOrder(covering, mutant.room), budget);
  let found = await firstFailure(player, tests, mutant);
  if (found && !found.hung && (await failsAnyway(player, found.test))) {
    await player.restart();
    found = await firstFailure(player, tests, mutant);
  }
  if (found || !atLoad) return found;
  return playFromStart(player, within(others, budget), mutant);
}

/** Where no test comes by while it runs: those of the file first, then those of the room, then all. */
function forLoaded({ byFile, cheapest }, { file, room }) {
  const first = byFile.get(file) ?? [];
  return [...new Set([...inOrder(first, room), ...inOrder(cheapest, room)])];
}

/** Plays a list over all players; each mutant gets `killed` and `by`. */
export async function playAll(players, mutants, measured) {
  const { byPlace, atLoad, budget, say } = measured;
  const waiting = [...mutants];
  await Promise.all(
    players.map(async (player) => {
      await player.restart();
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const covering = byPlace.get(mutant.place) ?? [];
        const isLoaded = atLoad.has(mutant.place);
        const others = isLoaded ? forLoaded(measured, mutant) : [];
        const found = await play(player, mutant, { covering, others, atLoad: isLoaded, budget });
        Object.assign(mutant, {
          killed: Boolean(found),
          by: found?.test?.name,
          covering: covering.length + others.length,
        });
        if (waiting.length % 25 === 0) say(`${waiting.length} mutants to play`);
      }
    }),
  );
}
