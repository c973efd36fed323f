import type { Money } from '../../money/model.ts';
import type { Id, Open } from '../../core/errors/index.ts';
import type { QuotedRate } from '../amounts/model.ts';
import type { PaymentState } from './states.ts';

/** Id of a payment. */
export type PaymentId = Id<'payment'>;

/** Money on its way out. */
export interface Payment {
  /** Id of the payment. */
  readonly paymentId: string;
  /** Where it stands; PENDING is neither success nor failure. */
  readonly state: Open<PaymentState>;
  /** ISO 8601 date-time of the end. */
  readonly completed?: string | undefined;
  /** Rate between the currencies of sender and receiver. */
  readonly conversionRate?: QuotedRate | undefined;
  /** What the receiver gets, in the sender's currency. */
  readonly amount: Money;
  /** All fees together. */
  readonly totalFee?: Money | undefined;
  /** What the sender spends. */
  readonly totalAmount: Money;
  /** What the sender gets back. */
  readonly reward?: Money | undefined;
  /** Of payments over Lightning. */
  readonly lightning?: PaymentLightning | undefined;
  /** Of payments on the chain. */
  readonly onchain?: PaymentOnchain | undefined;
  /** @deprecated See `state`. */
  readonly result?: Open<'PENDING' | 'SUCCESS' | 'FAILURE'> | undefined;
  /** @deprecated The same as `completed`. */
  readonly delivered?: string | undefined;
  /** @deprecated The same as `lightning.networkFee`. */
  readonly lightningNetworkFee?: Money | undefined;
}

/**
 * A payment as the response to its execution shows it: only its id is promised there. Without a
 * state it is PENDING.
 */
export interface ExecutedPayment extends Omit<Payment, 'amount' | 'totalAmount'> {
  /** What the receiver gets, in the sender's currency. */
  readonly amount?: Money | undefined;
  /** What the sender spends. */
  readonly totalAmount?: Money | undefined;
}

/** What is known of a payment over Lightning. */
export interface PaymentLightning {
  /** Fee of the network; part of `totalFee`. */
  readonly networkFee?: Money | undefined;
  /** Proof of payment, hex. */
  readonly preImage?: string | undefined;
}

/** What is known of a payment on the chain. */
export interface PaymentOnchain {
  /** Id of the transaction on the chain. */
  readonly txnId?: string | undefined;
}
