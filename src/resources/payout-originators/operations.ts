// Persons and companies on whose behalf payouts are sent.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import { type List, listBySkip, type ListOptions } from '../../core/lists/index.ts';
import * as endpoints from './endpoints.ts';
import type { PayoutOriginator, PayoutOriginatorDraft, PayoutOriginatorId } from './model.ts';

/**
 * Names an originator of payouts. Never repeated by itself: after a lost response it may exist, so
 * list before you ask again. Resolves to the originator, PENDING_REVIEW. `POST
 * /v1/payout-originators` (documented).
 *
 * @throws InputError for a bad field · UnreachableError with `maybeCreated` when no response came
 * @example
 * const originator = await client.payoutOriginators.create({
 *   type: 'INDIVIDUAL',
 *   name: 'Ada Sample',
 *   address: { country: 'GB', city: 'Leeds', postCode: 'LS1 1AA', line1: '1 Sample Row' },
 * });
 */
export function create(
  connection: Connection,
  draft: PayoutOriginatorDraft,
  options: CallOptions = {},
): Call<PayoutOriginator> {
  return send(connection, endpoints.create, { where: {}, draft }, options);
}

/**
 * Reads one originator. Resolves to the originator. `GET /v1/payout-originators/{originatorId}`
 * (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.payoutOriginators.get(originator.id);
 */
export function get(
  connection: Connection,
  originatorId: PayoutOriginatorId,
  options: CallOptions = {},
): Call<PayoutOriginator> {
  return send(connection, endpoints.get, { where: { originatorId } }, options);
}

/**
 * Lists originators. Returns a list to iterate, to page or to count. `GET /v1/payout-originators`
 * (documented).
 *
 * @example
 * const originators = await client.payoutOriginators.list().toArray({ limit: 20 });
 */
export function list(connection: Connection, options: ListOptions = {}): List<PayoutOriginator> {
  return listBySkip(connection, endpoints.list, {}, (originator) => originator.id, options);
}

/**
 * Removes an originator. Resolves to nothing, also when a lost first try had removed it.
 * `DELETE /v1/payout-originators/{originatorId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND` when it was not there
 * @example
 * await client.payoutOriginators.remove(originator.id);
 */
export function remove(
  connection: Connection,
  originatorId: PayoutOriginatorId,
  options: CallOptions = {},
): Call<void> {
  return send(
    connection,
    endpoints.remove,
    { where: { originatorId }, resolve: async () => {} },
    options,
  );
}
