import type { Id, Open } from '../../core/errors/index.ts';
import type { ConversionRate, WireMoney } from '../amounts/model.ts';
import type { PaymentState } from './states.ts';

export type PaymentId = Id<'payment'>;

/** Money on its way out. */
export interface Payment {
  readonly paymentId: string;
  readonly state: Open<PaymentState>;
  /** ISO 8601 date-time of the end. */
  readonly completed?: string | undefined;
  readonly conversionRate?: ConversionRate | undefined;
  /** What the receiver gets, in the sender's currency. */
  readonly amount: WireMoney;
  readonly totalFee?: WireMoney | undefined;
  /** What the sender spends. */
  readonly totalAmount: WireMoney;
  readonly reward?: WireMoney | undefined;
  readonly lightning?: PaymentLightning | undefined;
  readonly onchain?: PaymentOnchain | undefined;
  /** @deprecated See `state`. */
  readonly result?: Open<'PENDING' | 'SUCCESS' | 'FAILURE'> | undefined;
  /** @deprecated See `completed`; `completedOf` reads either. */
  readonly delivered?: string | undefined;
  /** @deprecated See `lightning.networkFee`; `networkFeeOf` reads either. */
  readonly lightningNetworkFee?: WireMoney | undefined;
}

/** A payment as its execution answers it: only its id is promised there. Without a state it is PENDING. */
export interface ExecutedPayment extends Omit<Payment, 'amount' | 'totalAmount'> {
  readonly amount?: WireMoney | undefined;
  readonly totalAmount?: WireMoney | undefined;
}

/** What is known of a payment over Lightning. */
export interface PaymentLightning {
  readonly networkFee?: WireMoney | undefined;
  /** Proof of payment, hex. */
  readonly preImage?: string | undefined;
}

/** What is known of a payment on the chain. */
export interface PaymentOnchain {
  readonly txnId?: string | undefined;
}
