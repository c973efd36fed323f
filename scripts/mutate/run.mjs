// One run: a copy with all mutants, what the tests cover, a sample of each room, its score.
import { globSync } from 'node:fs';
import { makeCopy } from './copy.mjs';
import { measure, testsByPlace } from './measure.mjs';
import { playAll } from './play.mjs';
import { createPlayer } from './player.mjs';
import { ignored } from './report.mjs';

/** A generator of numbers below one, the same for the same seed. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many of a list, drawn by the seed; all of them where no number is given. */
export function sampleOf(list, size, seed) {
  const next = numbers(seed);
  const drawn = list.map((value) => [next(), value]).sort(([a], [b]) => a - b);
  return drawn.slice(0, size).map(([, value]) => value);
}

const cheapestOf = (tests) =>
  [...tests].filter(({ failure }) => !failure).sort((a, b) => a.milliseconds - b.milliseconds);

/** Tests by file of the sources: those that come by any of its places. */
function testsByFile(mutants, byPlace) {
  const found = new Map();
  for (const { file, place } of mutants) {
    const tests = found.get(file) ?? new Set();
    for (const test of byPlace.get(place) ?? []) tests.add(test);
    found.set(file, tests);
  }
  return new Map([...found].map(([file, tests]) => [file, cheapestOf(tests)]));
}

const IGNORED = new Set(ignored.map(({ mutant }) => mutant));

/** The copy, its tests and what they cover, given to `use` with the processes that play. */
export async function withCopy(
  { root, folder, instrumented, tests, declaring, isWantedTest = () => true, workers, say },
  use,
) {
  const { places, mutants } = await makeCopy({ root, folder, rooms: instrumented, tests });
  const files = globSync(declaring, { cwd: folder }).filter(isWantedTest).sort();
  const players = Array.from({ length: workers }, () => createPlayer({ folder, places, files }));
  try {
    const { tests: measured, atLoad } = await measure(players, { folder, files, say });
    const byPlace = testsByPlace(measured);
    const byFile = testsByFile(mutants, byPlace);
    const cheapest = cheapestOf(measured);
    const failing = measured.filter(({ failure }) => failure);
    return {
      ...(await use({ players, mutants, cheapest, byPlace, byFile, atLoad })),
      failing,
      tests: measured,
    };
  } finally {
    for (const player of players) player.stop();
  }
}

/** Plays; gives the mutants of each room that were played, and what could not be measured. */
export function mutate({ rooms, size, seed, budget, wanted, keep = () => {}, ...options }) {
  return withCopy(options, async ({ players, mutants, ...measured }) => {
    const keys = new Set(mutants.map(({ key }) => key));
    const outdated = [...IGNORED].filter((key) => !keys.has(key));
    const chosen = rooms.map((room) => {
      const all = mutants.filter(
        (mutant) => mutant.file.startsWith(`src/${room}/`) && !IGNORED.has(mutant.key),
      );
      const drawn = wanted ? all.filter(wanted) : sampleOf(all, size, seed);
      return { room, all: all.length, mutants: drawn.map((mutant) => ({ ...mutant, room })) };
    });
    const list = chosen.flatMap((room) => room.mutants);
    const say = (text) => {
      options.say(text);
      keep(list); // a run that is stopped has not been for nothing
    };
    await playAll(players, list, { ...measured, budget, say });
    keep(list);
    return { rooms: chosen, outdated };
  });
}
