// What is said of the mutants that were played.
import { readFileSync } from 'node:fs';

const short = (text) => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
};

/** What names a mutant although lines before it come and go. */
export const keyOf = ({ file, from, to }) => `${file} | ${short(from)} | ${short(to)}`;

/** Mutants that change nothing that could be seen, each with the reason. */
export const ignored = JSON.parse(readFileSync(new URL('ignored.json', import.meta.url), 'utf8'));

const percent = (part, all) => (all === 0 ? 'none' : `${((100 * part) / all).toFixed(1)} %`);

export const lineOf = (mutant) =>
  `  ${mutant.file}:${mutant.line}:${mutant.column}  ${short(mutant.from)}  ->  ${short(mutant.to) || '(left out)'}${mutant.covering === 0 ? '  (no test comes by)' : ''}`;

/** Score and survivors of a room, as lines. */
export function reportOf(room, mutants, { listed = true } = {}) {
  const killed = mutants.filter((mutant) => mutant.killed).length;
  const survivors = mutants.filter((mutant) => !mutant.killed);
  const order = survivors.sort((a, b) => a.file.localeCompare(b.file) || a.id - b.id);
  const score = `${room}: ${percent(killed, mutants.length)} (${killed} of ${mutants.length} noticed)`;
  return [score, ...(listed ? order.map(lineOf) : [])];
}
