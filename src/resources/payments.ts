// Payments that were executed.
import type { Id, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  send,
} from '../core/http/index.ts';
import type { Money } from '../money/index.ts';
import type { QuotedRate } from './amounts.ts';
import { knownTexts } from './known-texts.ts';
import { PaymentResultSchema, PaymentSchema, PaymentStateSchema } from './payments.schemas.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
} from './resource.ts';
import { shapeOf } from './wire.ts';

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

/** The states that are known; the service may add others. */
export type PaymentState = 'PENDING' | 'COMPLETED' | 'FAILED';

/**
 * The states of a payment: while PENDING the sender has been charged; FAILED gives everything back.
 */
export const paymentStates: StateMachine<PaymentState> = stateMachine<PaymentState>(
  { PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);

/** GET /v1/payments/{paymentId} @source documented */
export const getEndpoint: Endpoint<{ paymentId: PaymentId }, void, Payment> = {
  operation: 'payments.get',
  method: 'GET',
  path: '/v1/payments/{paymentId}',
  scope: 'partner.payment.read',
  bucket: 'others',
  idempotency: 'safe',
  statuses: [200],
  output: shapeOf(PaymentSchema),
  echo: { paymentId: 'paymentId' },
};

/**
 * Reads one payment. Resolves to the payment; PENDING is neither success nor failure, and may last
 * for days. `GET /v1/payments/{paymentId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.payments.get(payment.paymentId);
 */
export function get(
  connection: Connection,
  paymentId: PaymentId,
  options: CallOptions = {},
): Call<Payment> {
  return send(connection, getEndpoint, { where: { paymentId } }, options);
}

export const resource: WatchedResource<'payment', Payment> = {
  name: 'payment',
  events: 'payment',
  states: paymentStates,
  idOf: ({ paymentId }) => paymentId,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', shape: shapeOf(PaymentSchema) },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(PaymentStateSchema, paymentStates.transitions),
    knownTexts(PaymentResultSchema, { PENDING: true, SUCCESS: true, FAILURE: true }),
  ];
}
