// Tells the parts of `hostile` how much to do, and says what they saw.
import { NO_LIMITS } from '../shared/no-limits.ts';
import { numberOf } from '../shared/options.ts';

export { NO_LIMITS };

/** Part of the full count: `--part 0.1`, as inside `npm test`. */
export const part: number = numberOf(process.argv, 'part', 1) || 1;

/** The part of a list that is to be done. */
export const partOf = <T>(list: readonly T[]): readonly T[] =>
  list.filter((_, at) => part === 1 || at % Math.round(1 / part) === 0);

const MOST_SHOWN = 20;

/** Prints one line with counts, failures below it; failures make the exit code 1. */
export function report(
  name: string,
  counts: Readonly<Record<string, number>>,
  failures: readonly string[],
): void {
  const text = Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    .join(', ');
  console.log(`${failures.length === 0 ? 'ok' : 'FAIL'} ${name}: ${text}`);
  for (const failure of failures.slice(0, MOST_SHOWN)) console.log(`  ${failure}`);
  if (failures.length > MOST_SHOWN) console.log(`  and ${failures.length - MOST_SHOWN} more`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
