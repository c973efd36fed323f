import type { Id, Open } from '../../core/errors/index.ts';
import type { FeePolicy, WireMoney } from '../amounts/model.ts';
import type { DepositState } from './states.ts';

export type DepositId = Id<'deposit'>;

/** Money drawn from a bank account. */
export interface Deposit {
  readonly id: string;
  /** What the account is credited. */
  readonly amount: WireMoney;
  readonly fee: WireMoney;
  /** What the bank account is charged. */
  readonly totalAmount: WireMoney;
  readonly state: Open<DepositState>;
  readonly failureReason?: string | undefined;
}

/** What is needed to draw money from a bank account. */
export interface DepositDraft {
  readonly paymentMethodId: string;
  /** Decimal text in the currency of the bank method. */
  readonly amount: string;
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** What a deposit would cost and when it would settle. */
export interface DepositFee {
  /** What the account would be credited. */
  readonly amount: WireMoney;
  readonly fee: WireMoney;
  /** What the bank account would be charged. */
  readonly total: WireMoney;
  /** Decimal text. */
  readonly feePercent?: string | undefined;
  /** Decimal text in the currency of `fee`. */
  readonly feeFixed?: string | undefined;
  /** ISO 8601 date-time; absent: at once. */
  readonly settledAt?: string | undefined;
  /** @deprecated See `settledAt`. */
  readonly settlementPeriodInDay?: number | undefined;
}
