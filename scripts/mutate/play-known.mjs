// Puts the faults that are known by name into the copy, one at a time, and checks whether a test fails.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asJavaScript } from './copy.mjs';
import { knownFaults } from './known-faults.mjs';
import { firstFailure, inOrder } from './play.mjs';
import { playInSuites } from './play-suites.mjs';
import { withCopy } from './run.mjs';

const NO_PLACE = { place: 0, variant: 0 };

/** Faults whose text does not stand in its file exactly once: they have to be written anew. */
export function outdatedFaults(root) {
  return knownFaults.filter(
    ({ file, from }) => readFileSync(join(root, file), 'utf8').split(from).length !== 2,
  );
}

/** A process with the fault in it; the copy is whole again when it has been loaded. */
async function loadWith(player, { root, folder }, { file, from, to }) {
  const path = join(folder, file.replace(/\.ts$/, '.js'));
  const whole = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    await asJavaScript(readFileSync(join(root, file), 'utf8').replace(from, () => to)),
  );
  try {
    return await player.restart();
  } finally {
    writeFileSync(path, whole);
  }
}

/** Plays those whose words have this text; each gets `by`, the test that noticed it. */
export async function playKnown({ wanted = () => true, heard, ...options }) {
  const faults = knownFaults.filter(wanted);
  const inSuites = playInSuites({
    root: options.root,
    folder: `${options.folder}-suites`,
    faults: faults.filter(({ suite }) => suite),
    heard,
  });
  const portable = faults.filter(({ suite }) => !suite);
  if (portable.length === 0) return { failing: [], tests: [], played: inSuites };
  const result = await withCopy(
    { ...options, workers: 1 },
    async ({ players: [player], cheapest, byFile }) => {
      const played = [];
      for (const fault of portable) {
        const about = await loadWith(player, options, fault);
        const room = fault.file.split('/')[1];
        const tests = inOrder(byFile.get(fault.file) ?? cheapest, room);
        const found = about.broken
          ? { failure: about.broken }
          : await firstFailure(player, tests, NO_PLACE);
        played.push({ ...fault, by: found?.test?.name ?? found?.failure });
        heard(played.at(-1));
        options.say(`${played.length} of ${knownFaults.length}`);
      }
      return { played };
    },
  );
  return { ...result, played: [...result.played, ...inSuites] };
}
