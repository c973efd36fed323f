// Keeps what was measured: the tables of src/state/plan/README.md are made from it by `npm run generate -- tables`.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('figures.json', import.meta.url);

/** Figures of one cell that the chapter shows. */
export interface KeptCell {
  readonly 'false live': number;
  readonly 'all live after': string;
  readonly 'requests in 10 min': number;
  readonly 429: number;
  readonly 'own calls late': number;
}

type KeptRow = Readonly<Record<number, KeptCell>>;

interface Figures {
  readonly trouble: Readonly<Record<string, KeptRow>>;
}

/** Keeps the cells of one trouble, by how many were watched; those that are there are replaced. */
export function keepRow(name: string, cells: KeptRow): void {
  const figures = JSON.parse(readFileSync(FILE, 'utf8')) as Figures;
  const trouble = { ...figures.trouble, [name]: cells };
  writeFileSync(FILE, `${JSON.stringify({ ...figures, trouble }, null, 2)}\n`);
}
