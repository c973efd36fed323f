import {
  addMoney,
  compareMoney,
  convertMoney,
  fromMsat,
  type Money,
  subtractMoney,
} from '../../money/index.ts';
import type { LnurlDetails, PaymentQuote } from '../../resources/payment-quotes/model.ts';
import { objection, shareOf, textOf } from './guards.ts';
import type { PayOrder, PayReason } from './row.ts';

/** An amount of another currency is compared give or take so much. */
const SLACK = { percent: '1' } as const;

/** What a Lightning address or LNURL takes, against what it is to get. */
export function objectionToRange(
  { description = '' }: PayOrder,
  { amount, conversionRate }: Pick<PaymentQuote, 'amount' | 'conversionRate'>,
  { minSendable, maxSendable, commentAllowed = 0 }: LnurlDetails,
): PayReason | undefined {
  if ([...description].length > commentAllowed)
    return objection('range', `the receiver takes comments of ${commentAllowed} characters`);
  const [least, most] = [minSendable, maxSendable].map((msat) => fromMsat(`${msat}`)) as [
    Money,
    Money,
  ];
  const bitcoin = bitcoinOf(amount, conversionRate);
  if (!bitcoin) return undefined; // the service has compared it, and refuses such a quote
  const [low, high] = bitcoin.isExact ? [least, most] : rangeAround(least, most);
  return compareMoney(bitcoin.value, low) < 0 || compareMoney(bitcoin.value, high) > 0
    ? objection('range', `the receiver takes ${textOf(least)} to ${textOf(most)}`)
    : undefined;
}

function bitcoinOf(
  amount: Money,
  rate: PaymentQuote['conversionRate'],
): { readonly value: Money; readonly isExact: boolean } | undefined {
  if (amount.currency === 'BTC') return { value: amount, isExact: true };
  const pair = [rate?.sourceCurrency, rate?.targetCurrency];
  if (!rate || !pair.includes('BTC') || !pair.includes(amount.currency)) return undefined;
  const options = { asOf: 0, digits: 12, rounding: 'half-even' } as const;
  return { value: convertMoney(amount, rate, options).value, isExact: false };
}

function rangeAround(least: Money, most: Money): readonly [Money, Money] {
  return [subtractMoney(least, shareOf(least, SLACK)), addMoney(most, shareOf(most, SLACK))];
}
