// Keeps the scores of the usual draws, and writes their table into README.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOMS } from './rooms.ts';
import { percentOf, type Score } from './score.ts';

export interface Result extends Score {
  readonly seed: number;
  /** All mutants of the room, of which some were drawn. */
  readonly mutants: number;
}

export type Results = Readonly<Record<string, Result>>;

const here = fileURLToPath(new URL('.', import.meta.url));
const FILE = join(here, 'results.json');
const README = join(here, 'README.md');
const START = '<!-- table: scores -->';
const END = '<!-- /table -->';

export const resultsOf = (): Results => JSON.parse(readFileSync(FILE, 'utf8')) as Results;

/** A room's last score, as a row. */
export function rowOf(name: string): string {
  const result = resultsOf()[name];
  if (!result) return `| \`${name}\` | not played | | | | | | |`;
  const { killed, survived, uncovered, equivalent, seed, mutants } = result;
  const cells = [killed, survived, uncovered, equivalent, mutants, seed].join(' | ');
  return `| \`${name}\` | ${percentOf(result).toFixed(1)} | ${cells} |`;
}

const HEAD = [
  '| room | % | killed | survived | no test comes by | equivalent | mutants in all | seed |',
  '|---|---|---|---|---|---|---|---|',
];

/** The README with the table of the kept scores. */
export function readmeOf(text: string): string {
  const from = text.indexOf(START) + START.length;
  const rows = ROOMS.map(({ name }) => rowOf(name));
  const table = [...HEAD, ...rows].join('\n');
  return `${text.slice(0, from)}\n${table}\n${text.slice(text.indexOf(END, from))}`;
}

export const readme = (): string => readFileSync(README, 'utf8');

export function keepResult(name: string, result: Result): void {
  const results = { ...resultsOf(), [name]: result };
  const sorted = ROOMS.flatMap((room) =>
    results[room.name] ? [[room.name, results[room.name]] as const] : [],
  );
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
  writeFileSync(README, readmeOf(readme()));
}
