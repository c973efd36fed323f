import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { FeePolicy } from '../amounts/model.ts';
import type { DepositState } from './states.ts';

/** Id of a deposit. */
export type DepositId = Id<'deposit'>;

/** Money drawn from a bank account. */
export interface Deposit {
  /** Id of the deposit. */
  readonly id: string;
  /** What the account is credited. */
  readonly amount: Money;
  /** Fee of the deposit. */
  readonly fee: Money;
  /** What the bank account is charged. */
  readonly totalAmount: Money;
  /** Where it stands. */
  readonly state: Open<DepositState>;
  /** Why it failed, in words of the service. */
  readonly failureReason?: string | undefined;
}

/** What is needed to draw money from a bank account. */
export interface DepositDraft {
  /** Id of the bank payment method to draw from. */
  readonly paymentMethodId: string;
  /** Decimal text in the currency of the bank method. */
  readonly amount: string;
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** What a deposit would cost and when it would settle. */
export interface DepositFee {
  /** What the account would be credited. */
  readonly amount: Money;
  /** What the deposit would cost. */
  readonly fee: Money;
  /** What the bank account would be charged. */
  readonly total: Money;
  /** Decimal text. */
  readonly feePercent?: string | undefined;
  /** Decimal text in the currency of `fee`. */
  readonly feeFixed?: string | undefined;
  /** ISO 8601 date-time; absent: at once. */
  readonly settledAt?: string | undefined;
  /** @deprecated See `settledAt`. */
  readonly settlementPeriodInDay?: number | undefined;
}
