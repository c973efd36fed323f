// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { List, ListOptions } from '../../core/lists/index.ts';
import type { PayoutOriginator, PayoutOriginatorDraft, PayoutOriginatorId } from './model.ts';

/** Persons and companies on whose behalf payouts are sent. */
export interface PayoutOriginators {
  /**
   * Names an originator of payouts. Never repeated by itself: after a lost response it may exist,
   * so list before you ask again. Resolves to the originator, PENDING_REVIEW.
   * `POST /v1/payout-originators` (documented).
   *
   * @throws InputError for a bad field · UnreachableError with `maybeCreated` when no response came
   * @example
   * const originator = await client.payoutOriginators.create({
   *   type: 'INDIVIDUAL',
   *   name: 'Ada Sample',
   *   address: { country: 'GB', city: 'Leeds', postCode: 'LS1 1AA', line1: '1 Sample Row' },
   * });
   */
  create(draft: PayoutOriginatorDraft, options?: CallOptions): Call<PayoutOriginator>;

  /**
   * Reads one originator. Resolves to the originator. `GET /v1/payout-originators/{originatorId}`
   * (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { state } = await client.payoutOriginators.get(originator.id);
   */
  get(originatorId: PayoutOriginatorId, options?: CallOptions): Call<PayoutOriginator>;

  /**
   * Lists originators. Returns a list to iterate, to page or to count. `GET /v1/payout-originators`
   * (documented).
   *
   * @example
   * const originators = await client.payoutOriginators.list().toArray({ limit: 20 });
   */
  list(options?: ListOptions): List<PayoutOriginator>;

  /**
   * Removes an originator. Resolves to nothing, also when a lost first try had removed it.
   * `DELETE /v1/payout-originators/{originatorId}` (documented).
   *
   * @throws RefusedError `NOT_FOUND` when it was not there
   * @example
   * await client.payoutOriginators.remove(originator.id);
   */
  remove(originatorId: PayoutOriginatorId, options?: CallOptions): Call<void>;
}
