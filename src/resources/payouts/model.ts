import type { Id, Open } from '../../core/errors/index.ts';
import type { FeePolicy, SpendAmount, WireMoney } from '../amounts/model.ts';
import type { PayoutState } from './states.ts';

export type PayoutId = Id<'payout'>;

/** Money to a bank account. Nothing moves before it is initiated. */
export interface Payout {
  readonly id: string;
  readonly state: Open<PayoutState>;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  readonly paymentMethodId: string;
  /** Absent where the owner of the account is the sender. */
  readonly originatorId?: string | undefined;
  /** Without the fee: what is spent is both together. */
  readonly amount: WireMoney;
  readonly fee?: SpendAmount | undefined;
  readonly reference?: string | undefined;
  readonly initiated?: string | undefined;
  /** When the money left, not when it arrived. */
  readonly completed?: string | undefined;
  /** Its name in reports and statements. */
  readonly transactionId?: string | undefined;
}

/** What is needed to prepare a payout. */
export interface PayoutDraft {
  readonly paymentMethodId: string;
  /** Decimal text in the currency of the bank method. */
  readonly amount: string;
  readonly originatorId?: string | undefined;
  /** 1 to 128 characters; fewer for most transfer types, see `longestReference`. */
  readonly reference?: string | undefined;
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}
