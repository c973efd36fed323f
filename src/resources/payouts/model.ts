import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { FeePolicy, SpendAmount } from '../amounts/model.ts';
import type { PayoutState } from './states.ts';

/** Id of a payout. */
export type PayoutId = Id<'payout'>;

/** Money to a bank account. Nothing moves before it is initiated. */
export interface Payout {
  /** Id of the payout. */
  readonly id: string;
  /** Where it stands. */
  readonly state: Open<PayoutState>;
  /** ISO 8601 date-time with offset. */
  readonly created: string;
  /** Id of the bank payment method that is paid. */
  readonly paymentMethodId: string;
  /** Absent where the owner of the account is the sender. */
  readonly originatorId?: string | undefined;
  /** Without the fee: what is spent is both together. */
  readonly amount: Money;
  /** Fee, and whether it comes on top. */
  readonly fee?: SpendAmount | undefined;
  /** What the receiver's statement shows. */
  readonly reference?: string | undefined;
  /** ISO 8601 date-time at which it was initiated. */
  readonly initiated?: string | undefined;
  /** When the money left, not when it arrived. */
  readonly completed?: string | undefined;
  /** Its name in reports and statements. */
  readonly transactionId?: string | undefined;
}

/** What is needed to prepare a payout. */
export interface PayoutDraft {
  /** Id of the bank payment method to pay. */
  readonly paymentMethodId: string;
  /** Decimal text in the currency of the bank method. */
  readonly amount: string;
  /** On whose behalf, where the owner of the account is not the sender. */
  readonly originatorId?: string | undefined;
  /** 1 to 128 characters; fewer for most transfer types, see `payoutReferenceLengths` of
   * `paystate/endpoints`. */
  readonly reference?: string | undefined;
  /** The service's default is EXCLUSIVE. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}
