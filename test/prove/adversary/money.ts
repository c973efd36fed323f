// Amounts of the adversary's intents, and comparisons of them.
import type { Money } from 'paystate';
import { addMoney, compareMoney, subtractMoney } from 'paystate/money';

/** Writes a whole number of cents. */
export const cents = (number: number): string =>
  `${Math.floor(number / 100)}.${String(number % 100).padStart(2, '0')}`;

export const isAmount = (money: Money | undefined, amount: string, currency: string): boolean =>
  money?.currency === currency && compareMoney(money, { amount, currency }) === 0;

export const isSame = (one: Money | undefined, other: Money | undefined): boolean =>
  one !== undefined && other !== undefined && isAmount(one, other.amount, other.currency);

/** Tells whether this amount is sold, with the fee inside it, on top of it or apart from it. */
export function isWithFee(
  { source, fee }: { readonly source: Money; readonly fee?: Money | undefined },
  amount: string,
  currency: string,
): boolean {
  if (isAmount(source, amount, currency)) return true;
  if (fee?.currency !== currency || source.currency !== currency) return false;
  return [addMoney(source, fee), subtractMoney(source, fee)].some((one) =>
    isAmount(one, amount, currency),
  );
}
