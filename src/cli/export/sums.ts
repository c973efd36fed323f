import { type Decimal, subtract } from '../../money/decimal.ts';
import type { Balance } from '../../resources/balances.ts';
import type { ExportLine } from './lines.ts';
import { isZero, parseSigned, signedText, sum, ZERO } from './signed.ts';

/** One currency: what was there, what the lines did, what is there now. */
export interface CurrencySum {
  readonly currency: string;
  /** What was there before; where it was not said, what has been there if the lines are all. */
  readonly opening: string;
  readonly lines: string;
  readonly closing: string;
  /** What no line explains; 0 where the opening was not said. */
  readonly rest: string;
  /** Lines whose effect is not known. */
  readonly undecided: number;
}

/** Adds up all lines, and holds them against the balances. */
export function sumsOf(
  lines: readonly ExportLine[],
  balances: readonly Balance[],
  openings: ReadonlyMap<string, Decimal>,
): readonly CurrencySum[] {
  const currencies = new Set([
    ...balances.map(({ currency }) => currency),
    ...lines.map(({ currency }) => currency),
    ...openings.keys(),
  ]);
  return [...currencies].sort().map((currency) => {
    const own = lines.filter((line) => line.currency === currency);
    const moved = sum(own.flatMap(({ effect }) => effect ?? []));
    const current = balances.find((balance) => balance.currency === currency)?.current ?? '0';
    const closing = parseSigned(current);
    const implied = subtract(closing, moved);
    const opening = openings.size > 0 ? (openings.get(currency) ?? ZERO) : implied;
    return {
      currency,
      opening: signedText(opening),
      lines: signedText(moved),
      closing: signedText(closing),
      rest: signedText(subtract(implied, opening)),
      undecided: own.filter(({ effect }) => effect === undefined).length,
    };
  });
}

/** Whether the lines explain the balances. */
export function isExplained({ rest, undecided }: CurrencySum): boolean {
  return undecided === 0 && isZero(parseSigned(rest));
}
