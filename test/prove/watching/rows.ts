// Rows of the watching table: what is wrong with one, and its line.
import type { Row } from './play.ts';

/**
 * The longest time without a request, seconds. The plan sends one in 18 seconds at least; it may
 * wait for the next time of the base period's grid, up to 2 seconds, and takes 0.1 s each way.
 */
const LONGEST_SILENCE_S = 20.5;

/** The bounds that a row does not keep. */
export function faultsOf(row: Row): readonly string[] {
  const { p99, bound, blocks, falseLive, missed, stale, mostStale, silence } = row;
  const { ownFailures, ended } = row;
  return [
    p99 !== undefined && p99 > bound && `p99 > ${bound.toFixed(1)}`,
    missed > 0 && `${missed} missed`,
    blocks > 0 && `${blocks} blocks`,
    falseLive > 0 && `${falseLive} false live, ${row.longestFalse.toFixed(0)} s`,
    stale > mostStale && `stale > ${mostStale}`,
    silence > LONGEST_SILENCE_S && `silent for ${silence.toFixed(1)} s`,
    ended > 0 && `${ended} watches ended`,
    ownFailures > 0 && `${ownFailures} own reads failed`,
  ].filter((fault) => fault !== false);
}

const digits = (value: number | undefined): string => value?.toFixed(1) ?? '–';

type Column = readonly [title: string, width: number, of: (row: Row) => string];

const COLUMNS: readonly Column[] = [
  ['max/min', 7, (row) => `${row.worstMinute}`],
  ['all/10', 6, (row) => `${row.allInTenMinutes}`],
  ['paid', 5, (row) => `${row.changes}`],
  ['p50', 6, (row) => digits(row.p50)],
  ['p99', 6, (row) => digits(row.p99)],
  ['worst', 6, (row) => digits(row.worst)],
  ['silent', 6, (row) => digits(row.silence)],
  ['stale', 6, (row) => `${row.stale}`],
  ['429', 3, (row) => `${row.blocks}`],
  ['false', 5, (row) => `${row.falseLive}`],
];

const NAME_WIDTH = 44;

export const headLine: string = [
  'watched'.padEnd(NAME_WIDTH),
  ...COLUMNS.map(([title, width]) => title.padStart(width)),
].join(' ');

export const lineOf = (row: Row): string => {
  const faults = faultsOf(row);
  return [
    row.name.padEnd(NAME_WIDTH),
    ...COLUMNS.map(([, width, of]) => of(row).padStart(width)),
    faults.length === 0 ? 'ok' : `over: ${faults.join('; ')}`,
  ].join(' ');
};
