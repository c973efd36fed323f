import { isSameMoney, parseMoney } from '../../money/index.ts';
import { objection, objectionToFee, textOf } from './guards.ts';
import type { Asking, RowDecision } from './rail.ts';
import type { AgreedQuote, BankOrder, PayReason, PayRow } from './row.ts';
import { LEAST_LEFT } from './schedule.ts';

/** What something would cost. */
export type MoneyTerms = Pick<AgreedQuote, 'amount' | 'totalFee' | 'totalAmount'>;

/** The terms of money to or from a bank, against what was asked for and the limits. */
export function objectionToBankTerms(
  { order, limits }: PayRow<BankOrder>,
  terms: MoneyTerms,
): PayReason | undefined {
  const { amount, totalAmount, totalFee } = terms;
  if (!totalFee && limits.maxFee !== 'any')
    return objection('fee', 'the service names no fee to compare with maxFee');
  const found = objectionToFee(terms, limits.maxFee);
  if (found) return found;
  const named = order.feePolicy === 'INCLUSIVE' ? totalAmount : amount;
  return isSameMoney(named, parseMoney({ ...named, amount: order.amount }))
    ? undefined
    : objection('amount', `the terms are for ${textOf(named)}, not for ${order.amount}`);
}

/** MoneyTerms that nothing is against are agreed to, unless they end too soon. */
export function agreeTo(
  { round }: PayRow,
  quote: AgreedQuote,
  { now }: Pick<Asking, 'now'>,
): RowDecision {
  return quote.endsAt - now() < LEAST_LEFT
    ? { is: 'guard-failed', why: objection('quote-end', 'the quote ends too soon to be executed') }
    : { is: 'agreed', quote, round };
}
