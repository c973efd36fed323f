// Money sent to a bank account.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import type { ErrorFacts } from '../../core/errors/index.ts';
import { type List, listBySkip, type ListOptions } from '../../core/lists/index.ts';
import { READ_AFTER_LOSS, confirmMoved } from '../confirm-moved.ts';
import * as endpoints from './endpoints.ts';
import type { Payout, PayoutDraft, PayoutId } from './model.ts';

/**
 * Prepares a payout; no money moves. Never repeated by itself: after a lost response a second one
 * may exist, which does no harm while only one of them is initiated. Resolves to the payout, NEW.
 * `POST /v1/payouts` (documented).
 *
 * @throws InputError for a bad field · RefusedError `PAYMENT_METHOD_NOT_READY`,
 * `PAYOUT_ORIGINATOR_NOT_APPROVED` · UnreachableError with `maybeCreated` when no response came
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
  return send(connection, endpoints.create, { where: {}, draft }, options);
}

/**
 * Reads one payout. Resolves to the payout. `GET /v1/payouts/{payoutId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.payouts.get(payout.id);
 */
export function get(
  connection: Connection,
  payoutId: PayoutId,
  options: CallOptions = {},
): Call<Payout> {
  return send(connection, endpoints.get, { where: { payoutId } }, options);
}

/**
 * Lists payouts. Returns a list to iterate, to page or to count. `GET /v1/payouts` (documented).
 *
 * @example
 * for await (const payout of client.payouts.list()) console.log(payout.state);
 */
export function list(connection: Connection, options: ListOptions = {}): List<Payout> {
  return listBySkip(connection, endpoints.list, {}, (payout) => payout.id, options);
}

/**
 * Sends a payout: moves money. Resolves to the payout as it is then; after a lost response it is
 * asked for again, and what was initiated is read. `PATCH /v1/payouts/{payoutId}/initiate`
 * (documented).
 *
 * @throws RefusedError `PAYOUT_ALREADY_INITIATED`, `BALANCE_TOO_LOW` · any error with `outcome:
 * 'unknown'`: read the payout first
 * @example
 * const { state } = await client.payouts.initiate(payout.id);
 */
export function initiate(
  connection: Connection,
  payoutId: PayoutId,
  options: CallOptions = {},
): Call<Payout> {
  const resolve = (refusal: ErrorFacts, rest: CallOptions): Promise<Payout> =>
    confirmMoved(
      refusal,
      get(connection, payoutId, { ...rest, reason: READ_AFTER_LOSS }),
      ({ state }) => state !== 'NEW',
    );
  return send(connection, endpoints.initiate, { where: { payoutId }, resolve }, options);
}
