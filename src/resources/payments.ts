// Payments, which result from executing payment quotes.
import { checkArgument, type Id, type Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import type { Money } from '../money/index.ts';
import type { QuotedRate } from './amounts.ts';
import { knownTexts, makeAnswer, makeShape } from './wire.ts';
import { PaymentResultSchema, PaymentSchema, PaymentStateSchema } from './payments.schemas.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
} from './resource.ts';

/** Payment id. */
export type PaymentId = Id<'payment'>;

/** An executed payment. */
export interface Payment {
  /** The payment's id. */
  readonly paymentId: string;
  /** The payment's state. PENDING is neither success nor failure. */
  readonly state: Open<PaymentState>;
  /** When the payment completed or failed, as an ISO 8601 date-time. */
  readonly completed?: string | undefined;
  /** Exchange rate between the sender's and the receiver's currencies. */
  readonly conversionRate?: QuotedRate | undefined;
  /** Amount that the receiver gets, in the sender's currency. */
  readonly amount: Money;
  /** Sum of all fees. */
  readonly totalFee?: Money | undefined;
  /** Amount that the sender spends. */
  readonly totalAmount: Money;
  /** Amount that the sender gets back. */
  readonly reward?: Money | undefined;
  /** Details of a Lightning payment. */
  readonly lightning?: PaymentLightning | undefined;
  /** Details of an on-chain payment. */
  readonly onchain?: PaymentOnchain | undefined;
  /** @deprecated See `state`. */
  readonly result?: Open<'PENDING' | 'SUCCESS' | 'FAILURE'> | undefined;
  /**
   * @deprecated Same as `completed`.
   */
  readonly delivered?: string | undefined;
  /**
   * @deprecated Same as `lightning.networkFee`.
   */
  readonly lightningNetworkFee?: Money | undefined;
}

/**
 * A payment as returned when you execute a quote. In that response, the service only guarantees the
 * payment's id. If the state is missing, it's set to PENDING.
 */
export interface ExecutedPayment extends Omit<Payment, 'amount' | 'totalAmount'> {
  /** Amount that the receiver gets, in the sender's currency. */
  readonly amount?: Money | undefined;
  /** Amount that the sender spends. */
  readonly totalAmount?: Money | undefined;
}

/** Details of a Lightning payment. */
export interface PaymentLightning {
  /** Network fee, which is part of `totalFee`. */
  readonly networkFee?: Money | undefined;
  /** Preimage that proves the payment, in hex. */
  readonly preImage?: string | undefined;
}

/** Details of an on-chain payment. */
export interface PaymentOnchain {
  /** Id of the on-chain transaction. */
  readonly txnId?: string | undefined;
}

/** A known payment state. The service may add more. */
export type PaymentState = 'PENDING' | 'COMPLETED' | 'FAILED';

/**
 * State machine for payments. The sender is charged when the payment becomes PENDING, and gets a
 * full refund if it becomes FAILED.
 */
export const paymentStates: StateMachine<PaymentState> = stateMachine<PaymentState>(
  { PENDING: ['COMPLETED', 'FAILED'], COMPLETED: [], FAILED: [] },
  ['COMPLETED', 'FAILED'],
);

/**
 * Returns a payment's state. Older responses have a `result` instead of a `state`. In that case,
 * SUCCESS is returned as COMPLETED and FAILURE as FAILED.
 *
 * @example
 * console.log(paymentStateOf({ result: 'SUCCESS' })); // COMPLETED
 */
export function paymentStateOf(
  payment: Partial<Pick<Payment, 'state' | 'result'>>,
): Open<PaymentState> | undefined {
  checkArgument('payment', payment, 'object!');
  const { state, result } = payment;
  if (state !== undefined) return state;
  if (result === 'SUCCESS') return 'COMPLETED';
  return result === 'FAILURE' ? 'FAILED' : result;
}

/**
 * Returns when a payment completed or failed, as an ISO 8601 date-time. Older responses have this
 * time in `delivered`.
 *
 * @example
 * console.log(completedAtOf(await client.payments.get(payment.paymentId)));
 */
export function completedAtOf(
  payment: Pick<Payment, 'completed' | 'delivered'>,
): string | undefined {
  checkArgument('payment', payment, 'object!');
  return payment.completed ?? payment.delivered;
}

/**
 * Returns the network fee of a Lightning payment or quote, which is part of `totalFee`. Quotes and
 * older responses have it in `lightningNetworkFee`.
 *
 * @example
 * const fee = networkFeeOf(await client.payments.get(payment.paymentId));
 */
export function networkFeeOf(
  payment: Pick<Payment, 'lightning' | 'lightningNetworkFee'>,
): Money | undefined {
  checkArgument('payment', payment, 'object!');
  return payment.lightning?.networkFee ?? payment.lightningNetworkFee;
}

/** GET /v1/payments/{paymentId} @source documented */
export const getEndpoint: Endpoint<{ paymentId: PaymentId }, void, Payment> = readEndpoint({
  operation: 'payments.get',
  path: '/v1/payments/{paymentId}',
  scope: 'partner.payment.read',
  output: makeAnswer(PaymentSchema),
  echo: { paymentId: 'paymentId' },
});

/**
 * Reads one payment. PENDING is neither success nor failure and may last for days. `GET
 * /v1/payments/{paymentId}` (documented).
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
  watch: { wokenBy: 'events', shape: makeShape(PaymentSchema) },
};

export function known(): readonly KnownTexts[] {
  return [
    knownTexts(PaymentStateSchema, paymentStates.transitions),
    knownTexts(PaymentResultSchema, { PENDING: true, SUCCESS: true, FAILURE: true }),
  ];
}
