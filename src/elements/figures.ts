// Amounts as a checkout shows and copies them.
import { decimalText, parseDecimal } from '../money/decimal.ts';
import { addMoney, type Money } from '../money/index.ts';
import type { Invoice } from '../resources/invoices.ts';

/** Digits of a bitcoin behind the point that are whole satoshi. */
const SATOSHI_DIGITS = 8;

/**
 * Computes the price of one bitcoin at the rate of a code, from what is sent and credited; cut off
 * after two digits, for reading only. `undefined` where nothing is converted.
 */
export function rateOf(sent: Money, credited: Money): Money | undefined {
  if (sent.currency !== 'BTC' || credited.currency === 'BTC') return undefined;
  const [from, to] = [parseDecimal(sent.amount), parseDecimal(credited.amount)];
  if (!from.digits) return undefined;
  const up = 10n ** BigInt(from.scale + 2);
  const digits = (to.digits * up) / (from.digits * 10n ** BigInt(to.scale));
  return { amount: decimalText({ digits, scale: 2 }), currency: credited.currency };
}

/** The number of an amount in the unit in which it is shown: satoshi for bitcoin. */
export function plainOf({ amount, currency }: Money): string {
  if (currency !== 'BTC') return amount;
  const { digits, scale } = parseDecimal(amount);
  const finer = scale - SATOSHI_DIGITS;
  return finer > 0 ? decimalText({ digits, scale: finer }) : `${digits * 10n ** BigInt(-finer)}`;
}

/**
 * Adds up the payments of an invoice; `undefined` where they were not read, or are not of its
 * currency.
 */
export function receivedOf({ amount, transactions = [] }: Invoice): Money | undefined {
  const received = transactions.flatMap(({ state, amountReceived }) =>
    state === 'COMPLETED' ? amountReceived : [],
  );
  if (received.some(({ currency }) => currency !== amount.currency)) return undefined;
  return received.length > 0 ? received.reduce(addMoney) : undefined;
}
