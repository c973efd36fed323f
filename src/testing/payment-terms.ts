import { addMoney } from '../money/index.ts';
import type { PaymentQuote } from '../resources/payment-quotes.ts';
import type { Payment } from '../resources/payments.ts';
import { feeOf, moneyOf, rateOf } from './amounts.ts';
import { type Broken, brokenSum } from './make.ts';
import type { Members } from './members.ts';

/** What a payment and its quote cost: the fee is a thousandth, the total both together. */
export function termsOf(
  chosen: Members<Pick<Payment, 'amount' | 'totalFee' | 'totalAmount' | 'conversionRate'>>,
): Pick<PaymentQuote, 'amount' | 'totalAmount' | 'conversionRate'> & {
  readonly totalFee: NonNullable<PaymentQuote['totalFee']>;
} {
  const amount = moneyOf(chosen.amount, '12.50');
  const usualFee = feeOf(amount, '0.001');
  const totalFee = moneyOf(chosen.totalFee, usualFee.amount, usualFee.currency);
  const isSame = totalFee.currency === amount.currency;
  const { currency } = amount;
  return {
    amount,
    totalFee,
    totalAmount: isSame ? addMoney(amount, totalFee) : amount,
    ...(currency !== 'BTC' && { conversionRate: rateOf('BTC', currency, chosen.conversionRate) }),
  };
}

/** A total that is not amount and fee together. */
export function brokenTotal({
  amount,
  totalFee,
  totalAmount,
}: Payment | PaymentQuote): Broken | undefined {
  return brokenSum(['totalAmount', totalAmount], ['amount', amount], ['totalFee', totalFee]);
}
