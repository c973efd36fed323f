import { convertMoney, type Money, multiplyMoney } from '../money/index.ts';
import type { QuotedRate } from '../resources/amounts.ts';
import type { Members } from './members.ts';

/** The amount that was chosen, or in the chosen currency the usual one. */
export function moneyOf(
  chosen: Members<Money> | undefined,
  amount: string,
  currency = 'EUR',
): Money {
  return { amount: chosen?.amount ?? amount, currency: chosen?.currency ?? currency };
}

/** What one of a currency costs in another: easy figures, which hold still. */
export function rateOf(
  source: string,
  target: string,
  chosen: Members<QuotedRate> | undefined,
): QuotedRate {
  const amount = source === 'BTC' ? '60000.00' : target === 'BTC' ? '0.00002' : '1.25';
  return {
    amount: chosen?.amount ?? amount,
    sourceCurrency: chosen?.sourceCurrency ?? source,
    targetCurrency: chosen?.targetCurrency ?? target,
  };
}

/** An amount in the other currency of a rate. */
export function convert(money: Money, rate: QuotedRate): Money {
  return convertMoney(money, rate, { asOf: 0, rounding: 'up' }).value;
}

/** A small part of an amount, in whole units of its currency. */
export function feeOf(money: Money, part: string): Money {
  return multiplyMoney(money, part, { rounding: 'up' });
}
