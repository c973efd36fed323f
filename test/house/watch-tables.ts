// What watching costs and how soon it is right again, as `npm run watching` and `npm run trouble` measured it last.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from './markdown.ts';
import { root } from './source.ts';

interface Cost {
  readonly 'worst minute': number;
  readonly 'worst ten minutes': number;
  readonly p99: string;
  readonly stale: number;
  readonly 'feed silent, at most': string;
}

interface Recovery {
  readonly 'false live': number;
  readonly 'all live after': string;
}

interface Figures {
  readonly costs: Readonly<Record<string, Cost>>;
  readonly trouble: Readonly<Record<string, Readonly<Record<string, Recovery>>>>;
}

const figures = (): Figures =>
  JSON.parse(readFileSync(join(root, 'scripts/watched/figures.json'), 'utf8')) as Figures;

/** Requests and delays over 70 minutes, while one in a hundred is paid. */
export function costTable(): string {
  return table(
    [
      'watched',
      'requests in the worst minute',
      'in ten minutes',
      'seen, p99',
      '`stale`',
      'feed silent',
    ],
    Object.entries(figures().costs).map(([name, cost]) => [
      name,
      `${cost['worst minute']}`,
      `${cost['worst ten minutes']}`,
      cost.p99,
      `${cost.stale}`,
      cost['feed silent, at most'],
    ]),
  );
}

const SIZES = ['1', '200', '1000', '10000'];

/** How long after a trouble all was live again, by how many were watched. */
export function troubleTable(): string {
  const rows = Object.entries(figures().trouble).map(([name, cells]) => [
    name,
    ...SIZES.map((size) => cells[size]?.['all live after'] ?? '–'),
    `${Object.values(cells).reduce((sum, cell) => sum + cell['false live'], 0)}`,
  ]);
  return table(['trouble', ...SIZES.map((size) => `${size} watched`), 'false `live`'], rows);
}
