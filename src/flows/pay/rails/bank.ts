import { badInput, type Open } from '../../../core/errors/index.ts';
import { isSameMoney, type Money } from '../../../money/index.ts';
import { parseUnsignedMoney } from '../../../money/money.ts';
import type { FeePolicy } from '../../../resources/amounts.ts';
import { objection, objectionToFee, textOf } from '../guards.ts';
import {
  fingerprintOf,
  type MoveOptions,
  type MoveCommand,
  plainAmount,
  readIntent,
  readMaxFee,
  readText,
} from '../intent.ts';
import type { BankOrder, MoveLimits, MoveReason, MoveRow, Percentage } from '../row.ts';
import type { MoneyTerms } from '../terms.ts';

/** A deposit, which is drawn from a bank account, and what it may cost. */
export interface DepositFlowOptions extends MoveOptions {
  /** Id of the bank payment method. */
  readonly bankPaymentMethodId: string;
  /** Decimal text in the currency of the bank method. */
  readonly amount: string;
  /** The highest fee: money in that currency, a share of the total, or `any`. */
  readonly maxFee: Money | Percentage | 'any';
  /** Whether the fee is inside `amount` or comes on top; `EXCLUSIVE`. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

export function readBank(
  { intent, maxFee }: DepositFlowOptions,
  order: BankOrder,
  more: Partial<MoveLimits> = {},
): MoveCommand {
  const { rail, bankPaymentMethodId, amount, feePolicy = 'EXCLUSIVE' } = order;
  const { reference, originatorId } = order;
  if (typeof bankPaymentMethodId !== 'string' || bankPaymentMethodId === '')
    throw badInput('bankPaymentMethodId', 'must be the id of a bank payment method');
  readText('feePolicy', feePolicy);
  const plain = plainAmount({ amount, currency: 'USD' });
  const parts = [rail, bankPaymentMethodId, plain, feePolicy, reference, originatorId];
  return {
    intent: readIntent(intent),
    fingerprint: fingerprintOf(parts),
    order,
    limits: {
      maxFee: readMaxFee(maxFee, parseUnsignedMoney),
      maxRateSlip: 'any',
      ...more,
    },
  };
}

/** Compares the terms of a payout or a deposit with the order and with the limits. */
export function objectionToBankTerms(
  { order, limits }: MoveRow<BankOrder>,
  terms: MoneyTerms,
): MoveReason | undefined {
  const { amount, totalAmount, totalFee } = terms;
  if (!totalFee && limits.maxFee !== 'any')
    return objection('fee', 'the service names no fee to compare with maxFee');
  const found = objectionToFee(terms, limits.maxFee);
  if (found) return found;
  const named = order.feePolicy === 'INCLUSIVE' ? totalAmount : amount;
  return isSameMoney(named, parseUnsignedMoney({ ...named, amount: order.amount }))
    ? undefined
    : objection('amount', `the terms are for ${textOf(named)}, not for ${order.amount}`);
}
