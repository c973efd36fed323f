// Payouts, which send money to a bank account.
import type { Id, Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import {
  type List,
  listBySkip,
  type ListOptions,
  type Page,
  SKIP_QUERY,
  type SkipQuery,
} from '../core/lists/index.ts';
import type { Money } from '../money/index.ts';
import type { FeePolicy, SpendAmount } from './amounts.ts';
import { knownTexts, makeAnswer, makeShape, makeDraftShape } from './wire.ts';
import { confirmMoved } from './lost-responses.ts';
import {
  PayoutDraftSchema,
  PayoutPageSchema,
  PayoutSchema,
  PayoutStateSchema,
} from './payouts.schemas.ts';
import {
  type KnownTexts,
  type StateMachine,
  stateMachine,
  type WatchedResource,
  type Extendable,
} from './resource.ts';

/** Payout id. */
export type PayoutId = Id<'payout'>;

/** A transfer of money to a bank account. The money only moves when you initiate the payout. */
export interface Payout {
  /** The payout's id. */
  readonly id: string;
  /** The payout's state. */
  readonly state: Open<PayoutState>;
  /** When the payout was created, as an ISO 8601 date-time with offset. */
  readonly created: string;
  /** Id of the bank payment method that receives the money. */
  readonly paymentMethodId: string;
  /** The payout originator's id. Absent if the sender is the account's owner. */
  readonly originatorId?: string | undefined;
  /** Payout amount without the fee. The account is charged the amount plus the fee. */
  readonly amount: Money;
  /** Fee for the payout. */
  readonly fee?: SpendAmount | undefined;
  /** Reference on the receiver's bank statement. */
  readonly reference?: string | undefined;
  /** When the payout was initiated, as an ISO 8601 date-time. */
  readonly initiated?: string | undefined;
  /** When the money left the account, as an ISO 8601 date-time. It may arrive later. */
  readonly completed?: string | undefined;
  /** Id that identifies the payout in reports and statements. */
  readonly transactionId?: string | undefined;
}

/** Input for preparing a payout. */
export interface PayoutDraft extends Extendable {
  /** Id of the bank payment method to pay. */
  readonly paymentMethodId: string;
  /** Amount to pay, as a decimal string in the currency of the bank payment method. */
  readonly amount: string;
  /** Id of the payout originator, if the sender isn't the account's owner. */
  readonly originatorId?: string | undefined;
  /**
   * Reference on the receiver's bank statement. Most transfer types only allow a few characters.
   * See `payoutReferenceLengths` in `paystate/endpoints`.
   */
  readonly reference?: string | undefined;
  /** Whether the amount includes the fee. Defaults to `EXCLUSIVE`. */
  readonly feePolicy?: Open<FeePolicy> | undefined;
}

/** A known payout state. The service may add more. */
export type PayoutState = 'NEW' | 'INITIATED' | 'COMPLETED' | 'FAILED' | 'REVERSED';

/**
 * State machine for payouts. COMPLETED means that the money has left the account, but it may not
 * have arrived yet. A bank may still return it.
 */
export const payoutStates: StateMachine<PayoutState> = stateMachine(
  {
    NEW: ['INITIATED'],
    INITIATED: ['COMPLETED', 'FAILED'],
    COMPLETED: ['FAILED', 'REVERSED'],
    FAILED: [],
    REVERSED: [],
  },
  ['COMPLETED', 'FAILED', 'REVERSED'],
);

/**
 * Maximum length of a payout reference in characters, by transfer type. The service hasn't
 * published limits for other transfer types.
 *
 * @example
 * payoutReferenceLengths['ACH']; // 10
 */
export const payoutReferenceLengths: Readonly<Record<string, number>> = {
  ACH: 10,
  US_DOMESTIC_WIRE: 15,
  SEPA: 128,
  FPS: 5,
};

/** POST /v1/payouts @source documented */
export const createEndpoint: Endpoint<{}, PayoutDraft, Payout> = {
  operation: 'payouts.create',
  method: 'POST',
  path: '/v1/payouts',
  scope: 'partner.payout.create',
  bucket: 'others',
  idempotency: 'none',
  statuses: [201, 200],
  input: makeDraftShape(PayoutDraftSchema),
  output: makeAnswer(PayoutSchema),
  agrees: {
    ids: { paymentMethodId: 'paymentMethodId', originatorId: 'originatorId' },
    text: { reference: 'reference' },
    amount: { amount: 'amount' },
  },
};

/** GET /v1/payouts/{payoutId} @source documented */
export const getEndpoint: Endpoint<{ payoutId: PayoutId }, void, Payout> = readEndpoint({
  operation: 'payouts.get',
  path: '/v1/payouts/{payoutId}',
  scope: 'partner.payout.read',
  output: makeAnswer(PayoutSchema),
  echo: { payoutId: 'id' },
});

/** GET /v1/payouts @source documented */
export const listEndpoint: Endpoint<SkipQuery, void, Page<Payout>> = readEndpoint({
  operation: 'payouts.list',
  path: '/v1/payouts',
  scope: 'partner.payout.read',
  priority: 'low',
  output: makeAnswer(PayoutPageSchema),
  query: SKIP_QUERY,
});

/** PATCH /v1/payouts/{payoutId}/initiate @source documented */
export const initiateEndpoint: Endpoint<{ payoutId: PayoutId }, void, Payout> = {
  operation: 'payouts.initiate',
  method: 'PATCH',
  path: '/v1/payouts/{payoutId}/initiate',
  scope: 'partner.payout.initiate',
  bucket: 'others',
  priority: 'critical',
  idempotency: 'same-request',
  statuses: [200],
  output: makeAnswer(PayoutSchema),
  echo: { payoutId: 'id' },
  original: { code: 'PAYOUT_ALREADY_INITIATED', id: 'payoutId' },
  attemptTimeout: 45_000,
};

/**
 * Prepares a payout, without moving money. The SDK never retries this request. If the response was
 * lost, the payout may exist. You can still create another one, as long as you initiate only one of
 * them. Resolves to the payout, which has the state NEW. `POST /v1/payouts` (documented).
 *
 * @throws InputError for a bad field · RefusedError `PAYMENT_METHOD_NOT_READY`,
 * `PAYOUT_ORIGINATOR_NOT_APPROVED` · UnreachableError with `maybeCreated` if there was no response
 *
 * @example
 * const payout = await client.payouts.create({
 *   paymentMethodId: method.id,
 *   amount: '250.00',
 *   reference: 'INV 88',
 * });
 */
export function create(
  connection: Connection,
  draft: PayoutDraft,
  options: CallOptions = {},
): Call<Payout> {
  return send(connection, createEndpoint, { where: {}, draft }, options);
}

/**
 * Reads one payout. `GET /v1/payouts/{payoutId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 *
 * @example
 * const { state } = await client.payouts.get(payout.id);
 */
export function get(
  connection: Connection,
  payoutId: PayoutId,
  options: CallOptions = {},
): Call<Payout> {
  return send(connection, getEndpoint, { where: { payoutId } }, options);
}

/**
 * Lists payouts. `GET /v1/payouts` (documented).
 *
 * @example
 * for await (const payout of client.payouts.list()) console.log(payout.state);
 */
export function list(connection: Connection, options: ListOptions = {}): List<Payout> {
  return listBySkip(connection, listEndpoint, {}, (payout) => payout.id, options);
}

/**
 * Initiates a payout, which moves money. Resolves to the current payout. If the response was lost,
 * the SDK repeats the request, and reads the payout if it was already initiated. `PATCH
 * /v1/payouts/{payoutId}/initiate` (documented).
 *
 * @throws RefusedError `PAYOUT_ALREADY_INITIATED`, `BALANCE_TOO_LOW` · any error with `outcome:
 * 'unknown'`: read the payout first
 *
 * @example
 * const { state } = await client.payouts.initiate(payout.id);
 */
export function initiate(
  connection: Connection,
  payoutId: PayoutId,
  options: CallOptions = {},
): Call<Payout> {
  const resolve = confirmMoved(
    (rest) => get(connection, payoutId, rest),
    ({ state }) => state !== 'NEW',
  );
  return send(connection, initiateEndpoint, { where: { payoutId }, resolve }, options);
}

export const resource: WatchedResource<'payout', Payout> = {
  name: 'payout',
  events: 'payout',
  states: payoutStates,
  idOf: ({ id }) => id,
  stateOf: ({ state }) => state,
  read: get,
  watch: { wokenBy: 'events', shape: makeShape(PayoutSchema), page: makeShape(PayoutPageSchema) },
};

export function known(): readonly KnownTexts[] {
  return [knownTexts(PayoutStateSchema, payoutStates.transitions)];
}
