// The costs of watching, and the time until it is right again, as the proofs `watching` and
// `trouble` measured it last.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHAPTER, nameOf, titleOf } from '../prove/watching/cells.ts';
import { keptRows } from '../prove/watching/rows.ts';
import { table } from './markdown.ts';
import { root } from './source.ts';

interface Recovery {
  readonly 'false live': number;
  readonly 'all live after': string;
}

interface Figures {
  readonly trouble: Readonly<Record<string, Readonly<Record<string, Recovery>>>>;
}

const figures = (): Figures =>
  JSON.parse(readFileSync(join(root, 'test/prove/trouble/figures.json'), 'utf8')) as Figures;

const seconds = (value: number | undefined): string =>
  value === undefined ? '–' : `${value.toFixed(1)} s`;

/** Requests and delays of half an hour, and those of lists in turn, computed. */
export function costTable(): string {
  const rows = keptRows();
  return table(
    [
      'watched',
      'requests in the worst minute',
      'in the emptiest',
      'in ten minutes',
      'seen, p50',
      'p99',
      'p99 of lists in turn',
      'longest silence',
      '`stale`',
    ],
    CHAPTER.flatMap((cell) => {
      const row = rows[nameOf(cell)];
      if (!row) return [];
      return [
        [
          titleOf(cell),
          `${row.worstMinute}`,
          `${row.emptiestMinute}`,
          `${row.worstTenMinutes}`,
          seconds(row.p50),
          seconds(row.p99),
          seconds(row.inTurnP99),
          seconds(row.silence),
          `${row.stale}`,
        ],
      ];
    }),
  );
}

const SIZES = ['1', '200', '1000', '10000'];

/** Writes the time from a trouble until all was live again, by the number of watches. */
export function troubleTable(): string {
  const rows = Object.entries(figures().trouble).map(([name, cells]) => [
    name,
    ...SIZES.map((size) => cells[size]?.['all live after'] ?? '–'),
    `${Object.values(cells).reduce((sum, cell) => sum + cell['false live'], 0)}`,
  ]);
  return table(['trouble', ...SIZES.map((size) => `${size} watched`), 'false `live`'], rows);
}
