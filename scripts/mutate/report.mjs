// What is said of the mutants that were played.
import { readFileSync } from 'node:fs';

const short = (text) => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
};

/**
 * Gives each mutant a name that stays although lines before it come and go: its file, the function around it, the change, and
 * a number where the same change is possible there more than once.
 */
export function named(mutants) {
  const seen = new Map();
  return mutants.map((mutant) => {
    const { file, inside, from, to } = mutant;
    const change = `${file} | ${inside} | ${short(from)} | ${short(to)}`;
    const count = (seen.get(change) ?? 0) + 1;
    seen.set(change, count);
    return { ...mutant, key: count > 1 ? `${change} | ${count}` : change };
  });
}

/** Mutants that change nothing that could be seen, each with the reason. */
export const ignored = JSON.parse(readFileSync(new URL('ignored.json', import.meta.url), 'utf8'));

const percent = (part, all) => (all === 0 ? 'none' : `${((100 * part) / all).toFixed(1)} %`);

export const lineOf = (mutant) =>
  `  ${mutant.file}:${mutant.line}:${mutant.column}  ${short(mutant.from)}  ->  ${short(mutant.to) || '(left out)'}${mutant.covering === 0 ? '  (no test comes by)' : ''}`;

/** Tests that are about this room. */
export const isOwnTest = (file, room) => file.includes(`/${room}/`) || file.includes(`/${room}-`);

/** Who has noticed: tests of the room itself, or others. */
export function judgesOf(room, mutants) {
  const killed = mutants.filter((mutant) => mutant.killed);
  const own = killed.filter(({ byFile }) => byFile && isOwnTest(byFile, room)).length;
  return `  ${own} by tests of the room itself, ${killed.length - own} by others`;
}

/** What is left out of a room's score for changing nothing, each with the reason. */
export const ignoredOf = (room) =>
  ignored
    .filter(({ mutant }) => mutant.startsWith(`src/${room}/`))
    .map(({ mutant, reason }) => `  left out: ${mutant}: ${reason}`);

/** Score and survivors of a room, as lines. */
export function reportOf(room, mutants, { listed = true } = {}) {
  const killed = mutants.filter((mutant) => mutant.killed).length;
  const survivors = mutants.filter((mutant) => !mutant.killed);
  const order = survivors.sort((a, b) => a.file.localeCompare(b.file) || a.id - b.id);
  const score = `${room}: ${percent(killed, mutants.length)} (${killed} of ${mutants.length} noticed)`;
  return [score, ...(listed ? order.map(lineOf) : [])];
}
