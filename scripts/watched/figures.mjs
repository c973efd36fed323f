// Keeps what was measured: the tables of src/state/plan/README.md are made from it by `npm run tables`.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('figures.json', import.meta.url);

/** Adds rows to one of the tables, by their names; a row that is there is replaced. */
export const keepFigures = (name, rows) => {
  const figures = JSON.parse(readFileSync(FILE, 'utf8'));
  figures[name] = { ...figures[name], ...rows };
  writeFileSync(FILE, `${JSON.stringify(figures, null, 2)}\n`);
};
