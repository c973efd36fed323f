// The table of a simulation: a row for each kind of life, with the numbers of their ends.

const addCounts = (row, counts) => {
  for (const [name, count] of Object.entries(counts)) row[name] = (row[name] ?? 0) + count;
};

/** Adds what was played. */
export const add = (table, { row, lives = 1, counts, problems }) =>
  addCounts((table[row] ??= {}), { lives, ...counts, wrong: problems.length > 0 ? 1 : 0 });

/** Adds the table of another thread. */
export const merge = (table, other) => {
  for (const [row, counts] of Object.entries(other)) addCounts((table[row] ??= {}), counts);
};

const percent = (part, whole) => (whole ? (100 * part) / whole : 0);

/** Prints it, with a row for all; says which of the demanded shares are missed. */
export const show = (table, shares) => {
  const all = {};
  for (const counts of Object.values(table)) addCounts(all, counts);
  const rows = { ...Object.fromEntries(Object.entries(table).sort()), all };
  const names = Object.keys(all).filter((name) => name !== 'lives' && name !== 'wrong');
  const shared = new Set(shares.flatMap(({ name, of }) => [name, of]));
  const ends = names.filter((name) => !shared.has(name)).sort();
  const shown = Object.entries(rows).map(([row, counts]) => [
    row,
    Object.fromEntries([
      ['lives', counts.lives],
      ...ends.map((name) => [name, counts[name] ?? 0]),
      ...shares.map(({ name, of }) => [
        name,
        `${percent(counts[name] ?? 0, counts[of] ?? 0).toFixed(2)} %`,
      ]),
      ['wrong', counts.wrong],
    ]),
  ]);
  console.table(Object.fromEntries(shown));
  return shares.flatMap(({ name, of, least = 0, most = 100, rows: only = ['all'] }) =>
    only
      .map((row) => [row, percent(rows[row]?.[name] ?? 0, rows[row]?.[of] ?? 0)])
      .filter(([row, share]) => rows[row]?.[of] > 500 && (share < least || share > most))
      .map(
        ([row, share]) =>
          `${row}: ${name} ${share.toFixed(2)} %, not ${least > 0 ? `at least ${least}` : `at most ${most}`} %`,
      ),
  );
};
