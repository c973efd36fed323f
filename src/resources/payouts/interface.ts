// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { List, ListOptions } from '../../core/lists/index.ts';
import type { Payout, PayoutDraft, PayoutId } from './model.ts';

/** Money sent to a bank account. */
export interface Payouts {
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
  create(draft: PayoutDraft, options?: CallOptions): Call<Payout>;

  /**
   * Reads one payout. Resolves to the payout. `GET /v1/payouts/{payoutId}` (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { state } = await client.payouts.get(payout.id);
   */
  get(payoutId: PayoutId, options?: CallOptions): Call<Payout>;

  /**
   * Lists payouts. Returns a list to iterate, to page or to count. `GET /v1/payouts` (documented).
   *
   * @example
   * for await (const payout of client.payouts.list()) console.log(payout.state);
   */
  list(options?: ListOptions): List<Payout>;

  /**
   * Sends a payout: moves money. Resolves to the payout as it is then; after a lost response it is
   * asked for again, and what was initiated is read. `PATCH /v1/payouts/{payoutId}/initiate`
   * (documented).
   *
   * @throws RefusedError `PAYOUT_ALREADY_INITIATED`, `BALANCE_TOO_LOW` · any error with
   * `outcome: 'unknown'`: read the payout first
   * @example
   * const { state } = await client.payouts.initiate(payout.id);
   */
  initiate(payoutId: PayoutId, options?: CallOptions): Call<Payout>;
}
