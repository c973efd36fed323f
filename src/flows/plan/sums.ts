import { addMoney, type Money } from '../../money/index.ts';

/** Sums by currency, in the order in which the currencies come. */
export function sumByCurrency(amounts: Iterable<Money | undefined>): readonly Money[] {
  const sums = new Map<string, Money>();
  for (const one of amounts) {
    if (!one) continue;
    const sum = sums.get(one.currency);
    sums.set(one.currency, sum ? addMoney(sum, one) : one);
  }
  return [...sums.values()];
}

/** The sum of one currency. */
export function sumOf(currency: string, amounts: Iterable<Money | undefined>): Money {
  const all = sumByCurrency(amounts);
  return all.find((sum) => sum.currency === currency) ?? { amount: '0', currency };
}
