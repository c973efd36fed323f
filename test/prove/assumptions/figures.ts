// The figures of `npm run prove -- assumptions`, kept for the tables of test/README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import type { MoneyRow } from './money.ts';

const FILE = new URL('figures.json', import.meta.url);

/** The suite under some alternatives at once. */
export interface KeptSuite {
  readonly names: readonly string[];
  readonly passed: number;
  readonly failed: number;
  /** True if the long computations were played, too. */
  readonly isWhole: boolean;
}

export type KeptMoney = Omit<MoneyRow, 'wrong'>;

export interface Figures {
  /** By the first alternative of each group. */
  readonly suite: Readonly<Record<string, KeptSuite>>;
  /** By the alternative. */
  readonly money: Readonly<Record<string, KeptMoney>>;
}

export const keptFigures = (): Figures => JSON.parse(readFileSync(FILE, 'utf8')) as Figures;

const linesOf = (rows: Readonly<Record<string, object>>): string =>
  Object.entries(rows)
    .map(([name, row]) => `${JSON.stringify(name)}: ${JSON.stringify(row)}`)
    .join(',\n');

function keep({ suite, money }: Figures): void {
  writeFileSync(FILE, `{"suite": {\n${linesOf(suite)}\n},\n"money": {\n${linesOf(money)}\n}}\n`);
}

export function keepSuite(row: KeptSuite): void {
  const figures = keptFigures();
  keep({ ...figures, suite: { ...figures.suite, [row.names[0]!]: row } });
}

export function keepMoney(row: KeptMoney): void {
  const figures = keptFigures();
  keep({ ...figures, money: { ...figures.money, [row.name]: row } });
}
