// What each test covers, how long it takes and how many steps it makes: measured once, without a mutant.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const hashOf = (text) => createHash('sha256').update(text).digest('base64');

/** For a file of tests a text that differs where it, its helpers or the code differ. */
function versions(folder, files) {
  const tests = new Set(files);
  const others = globSync(['src/**/*.js', 'test/**/*.js', '*.mjs'], { cwd: folder })
    .sort()
    .filter((file) => !tests.has(file));
  const text = (file) => readFileSync(join(folder, file), 'utf8');
  const common = hashOf(others.map(text).join('\0'));
  return new Map(files.map((file) => [file, hashOf(common + text(file))]));
}

const known = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
};

/** Plays every test once over all players; gives `{ tests, atLoad }`. What was measured before is taken from a file. */
export async function measure(players, { folder, files, say }) {
  const [about] = await Promise.all(players.map((player) => player.restart()));
  if (about.broken) throw new Error(`the copy cannot be loaded: ${about.broken}`);
  const path = `${folder}-measured.json`;
  const before = known(path);
  const versionOf = versions(folder, files);
  const keyOf = ({ file, name }) => `${versionOf.get(file)} ${name}`;
  const tests = about.tests.map((test, id) => ({ ...before[keyOf(test)], id, ...test }));
  const waiting = tests.filter(({ places }) => !places);
  await Promise.all(
    players.map(async (player) => {
      for (let test = waiting.shift(); test; test = waiting.shift()) {
        const task = { test: test.id, place: 0, variant: 0, wantsPlaces: true };
        const outcome = await player.run(task, 120_000);
        Object.assign(test, outcome);
        if (waiting.length % 200 === 0) say(`${waiting.length} tests to measure`);
      }
    }),
  );
  const good = tests.filter(({ failure }) => !failure);
  writeFileSync(path, JSON.stringify(Object.fromEntries(good.map((test) => [keyOf(test), test]))));
  return { tests, atLoad: new Set(about.atLoad) };
}

/** For each place the tests that come by, the cheapest first. */
export function testsByPlace(tests) {
  const found = new Map();
  const usable = tests.filter(({ failure }) => !failure);
  for (const test of usable.sort((a, b) => a.milliseconds - b.milliseconds))
    for (const place of test.places) {
      if (!found.has(place)) found.set(place, []);
      found.get(place).push(test);
    }
  return found;
}
