// The table of a simulation: a row for each kind of life, with the numbers of their ends.
import type { Played, Share } from './plan.ts';

type Counts = Record<string, number>;
/** Counts by row. */
export type Table = Record<string, Counts>;

/** A share is demanded only of more lives than these. */
const LEAST_LIVES = 500;

function addCounts(row: Counts, counts: Readonly<Counts>): void {
  for (const [name, count] of Object.entries(counts)) row[name] = (row[name] ?? 0) + count;
}

const addTo = (table: Table, row: string, counts: Readonly<Counts>): void =>
  addCounts((table[row] ??= {}), counts);

/** Adds what was played. */
export function add(table: Table, { row, lives = 1, counts, problems }: Played): void {
  addTo(table, row, { lives, ...counts, wrong: problems.length > 0 ? 1 : 0 });
}

/** Adds the table of another thread. */
export function merge(table: Table, other: Table): void {
  for (const [row, counts] of Object.entries(other)) addTo(table, row, counts);
}

/** Lives of all rows. */
export const livesIn = (table: Table): number =>
  Object.values(table).reduce((sum, { lives = 0 }) => sum + lives, 0);

function shareIn(counts: Readonly<Counts> | undefined, { name, of }: Share): number {
  const whole = counts?.[of] ?? 0;
  return whole === 0 ? 0 : (100 * (counts?.[name] ?? 0)) / whole;
}

/** Says which of the demanded shares are missed. */
function missedIn(rows: Table, shares: readonly Share[]): readonly string[] {
  return shares.flatMap((share) => {
    const { name, of, least = 0, most = 100, rows: only = ['all'] } = share;
    return only.flatMap((row) => {
      const part = shareIn(rows[row], share);
      const isCounted = (rows[row]?.[of] ?? 0) > LEAST_LIVES;
      if (!isCounted || (part >= least && part <= most)) return [];
      const bound = least > 0 ? `at least ${least}` : `at most ${most}`;
      return [`${row}: ${name} ${part.toFixed(2)} %, not ${bound} %`];
    });
  });
}

/** Prints it, with a row for all; returns which of the demanded shares are missed. */
export function show(table: Table, shares: readonly Share[]): readonly string[] {
  const all: Counts = {};
  for (const counts of Object.values(table)) addCounts(all, counts);
  const rows: Table = { ...Object.fromEntries(Object.entries(table).sort()), all };
  const shared = new Set(['lives', 'wrong', ...shares.flatMap(({ name, of }) => [name, of])]);
  const ends = Object.keys(all)
    .filter((name) => !shared.has(name))
    .sort();
  const shown = Object.entries(rows).map(([row, counts]) => [
    row,
    Object.fromEntries([
      ['lives', counts['lives']],
      ...ends.map((name) => [name, counts[name] ?? 0]),
      ...shares.map((share) => [share.name, `${shareIn(counts, share).toFixed(2)} %`]),
      ['wrong', counts['wrong']],
    ]),
  ]);
  console.table(Object.fromEntries(shown));
  return missedIn(rows, shares);
}
