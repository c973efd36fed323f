// The tables of documents that are made of what `npm run bench` measured last. Times are in them only as ratios to what
// was measured beside them in the same run.
import { readFileSync } from 'node:fs';
import { code, table } from '../house/markdown.ts';
import type { Growth } from './growth.ts';
import type { Taken } from './measure.ts';

type Times = Readonly<Record<string, Taken>>;

interface Results {
  readonly calls: { readonly reads: Times; readonly creations: Times };
  readonly start: { readonly loads: Times; readonly clients: Times; readonly workers: Times };
  readonly growth: readonly Growth[];
  readonly memory: Readonly<Record<string, number>>;
  readonly money: Readonly<Record<string, Times>>;
}

const resultsNow = (): Results =>
  JSON.parse(readFileSync(new URL('results.json', import.meta.url), 'utf8')) as Results;

const bold = (isOurs: boolean, text: string): string => (isOurs ? `**${text}**` : text);

/** What one read and one creation cost compared with other clients. */
export function benchTable(): string {
  const { reads, creations } = resultsNow().calls;
  const ratioOf = (name: string, times: Times): string => times[name]?.[1].toFixed(2) ?? '–';
  const rows = Object.entries(reads)
    .sort(([, [, a]], [, [, b]]) => a - b)
    .map(([name]) => {
      const isOurs = name === 'paystate';
      const title = isOurs ? '**paystate**, checked' : name.replace('bare fetch', 'bare `fetch`');
      return [title, ...[reads, creations].map((times) => bold(isOurs, ratioOf(name, times)))];
    });
  return table(['client', 'a read, × bare `fetch`', 'a creation, × bare `fetch`'], rows);
}

/** What it takes to load an entry in Node, compared with Node's own fetch. */
export function startTable(): string {
  const { loads } = resultsNow().start;
  const rows = Object.entries(loads)
    .sort(([, [, a]], [, [, b]]) => a - b)
    .map(([name, [, ratio]]) => {
      const isOurs = name.startsWith('paystate');
      return [isOurs ? code(name) : name, bold(isOurs, ratio.toFixed(2))];
    });
  return table(['a process of Node that loads', '× one that touches `fetch`'], rows);
}

/** How the work grows with what there is of it. */
export function growthTable(): string {
  const rows = resultsNow().growth.map(({ what, is, points, exponent }) => [
    what,
    `${points[0]![0]} to ${points.at(-1)![0]}`,
    is === 'whole' ? 'all of it' : 'one step',
    exponent.toFixed(2),
  ]);
  return table(['what', 'how many', 'measured', 'exponent'], rows);
}

/** What is taken of the heap. */
export function memoryTable(): string {
  const rows = Object.entries(resultsNow().memory).map(([name, bytes]) => [name, `${bytes}`]);
  return table(['what', 'bytes'], rows);
}

/** Amounts and BOLT11 texts beside other packages. */
export function moneyTable(): string {
  const rows = Object.entries(resultsNow().money).map(([name, times]) => [
    name,
    Object.entries(times)
      .slice(1)
      .map(([other, [, ratio]]) => `${other} ${ratio.toFixed(2)}`)
      .join(', '),
  ]);
  return table(['work', '× the time of paystate'], rows);
}

/** A client and a Worker. */
export function clientTable(): string {
  const { clients, workers } = resultsNow().start;
  const rows = [...Object.entries(clients), ...Object.entries(workers)].map(([name, [, ratio]]) => [
    name,
    ratio.toFixed(2),
  ]);
  return table(['what', 'ratio'], rows);
}
