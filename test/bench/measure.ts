// How everything here is measured: in processor time, which other work on the machine changes little, in turns, and by
// the middle of many rounds.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects garbage; with `minor` only what is young. */
export const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** Microseconds of processor time that this process has used. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

export type Work = () => unknown;

/** Microseconds of one run, of `count` runs in a row. */
export async function timeOf(work: Work, count: number): Promise<number> {
  const begun = processorTime();
  for (let run = 0; run < count; run++) await work();
  return (processorTime() - begun) / count;
}

/** The middle of some values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

export interface Turns {
  readonly rounds: number;
  /** Runs of each entrant in one round. */
  readonly count: number;
  /** Rounds before those that are measured. */
  readonly warm: number;
}

/** What one entrant took: microseconds, and how many times the first one of the same round. */
export type Taken = readonly [microseconds: number, ratio: number];

/** Runs all entrants in turns; ratios are those to the first one, each of its own round. */
export async function inTurns<Name extends string>(
  entrants: Readonly<Record<Name, Work>>,
  { rounds, count, warm }: Turns,
): Promise<Readonly<Record<Name, Taken>>> {
  const names = Object.keys(entrants) as Name[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -warm; round < rounds; round++)
    for (const name of names) {
      collect({ type: 'minor' }); // nobody pays for what another one has left
      const time = await timeOf(entrants[name], count);
      if (round >= 0) times.get(name)!.push(time);
    }
  const first = times.get(names[0]!)!;
  const taken = names.map((name) => {
    const all = times.get(name)!;
    const ratio = median(all.map((time, round) => time / first[round]!));
    return [name, [rounded(median(all), 2), rounded(ratio, 2)]] as const;
  });
  return Object.fromEntries(taken) as Record<Name, Taken>;
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
