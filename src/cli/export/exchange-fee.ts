import { add, compare, type Decimal, multiply, subtract } from '../../money/decimal.ts';
import type { CurrencyExchangeQuote } from '../../resources/currency-exchange-quotes.ts';
import { isZero, parseSigned } from './signed.ts';

/**
 * Whether the fee of an exchange is part of what was sold: the service does not say, but what was
 * bought, at the rate that it shows, does. Absent where both would fit.
 */
export function isFeeInside(quote: CurrencyExchangeQuote): boolean | undefined {
  const { source, target, fee, conversionRate } = quote;
  if (!fee || fee.currency !== source.currency) return false;
  const [sold, bought, part] = [source, target, fee].map(({ amount }) => parseSigned(amount)) as [
    Decimal,
    Decimal,
    Decimal,
  ];
  if (isZero(part)) return false;
  if (conversionRate.sourceCurrency !== source.currency) return undefined;
  const rate = parseSigned(conversionRate.amount);
  const isInside = buys(subtract(sold, part), rate, bought);
  const isOnTop = buys(sold, rate, bought);
  return isInside === isOnTop ? undefined : isInside;
}

/**
 * The rate that is shown is rounded to its last digit, and either amount to one of its own, however
 * the exchange was asked for.
 */
function buys(net: Decimal, rate: Decimal, bought: Decimal): boolean {
  const soldStep = multiply(stepOf(net), rate);
  const step = compare(soldStep, stepOf(bought)) > 0 ? soldStep : stepOf(bought);
  const off = subtract(multiply(net, rate), bought);
  const size = off.digits < 0n ? { ...off, digits: -off.digits } : off;
  return compare(size, add(multiply(net, stepOf(rate)), step)) <= 0;
}

/** One of the last digit. */
function stepOf({ scale }: Decimal): Decimal {
  return { digits: 1n, scale };
}
