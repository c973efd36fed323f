// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { List, ListOptions } from '../../core/lists/index.ts';
import type { Deposit, DepositDraft, DepositFee, DepositId } from './model.ts';
import type { DepositOptions } from './operations.ts';

/** Money drawn from a bank account. */
export interface Deposits {
  /**
   * Draws money from a bank account: moves money. Resolves to the deposit; after a lost response
   * the same key is asked again for ten minutes at most, and the deposit that was made is read.
   * `POST /v1/deposits` (documented).
   *
   * @throws InputError for a bad field · RefusedError `PAYMENT_METHOD_NOT_READY`,
   * `UNSUPPORTED_PAYMENT_METHOD`, `DEPOSIT_LIMIT_EXCEEDED`, `DUPLICATE_DEPOSIT` with
   * `values.depositId` and outcome unknown for a key that was used before · InputError
   * `IDEMPOTENCY_KEY_EXPIRED` for a key first sent over ten minutes ago, or of unknown age · any
   * error with `outcome: 'unknown'`: look through the deposits before you make another
   * @example
   * const deposit = await client.deposits.create({ paymentMethodId: method.id, amount: '500.00' });
   */
  create(draft: DepositDraft, options?: DepositOptions): Call<Deposit>;

  /**
   * Reads one deposit. Resolves to the deposit. `GET /v1/deposits/{depositId}` (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { state } = await client.deposits.get(deposit.id);
   */
  get(depositId: DepositId, options?: CallOptions): Call<Deposit>;

  /**
   * Lists deposits. Returns a list to iterate, to page or to count. `GET /v1/deposits`
   * (documented).
   *
   * @example
   * const deposits = await client.deposits.list().toArray({ limit: 20 });
   */
  list(options?: ListOptions): List<Deposit>;

  /**
   * Estimates what a deposit would cost and when it would settle. Moves no money.
   * `POST /v1/deposits/fee` (documented).
   *
   * @throws InputError for a bad field · RefusedError `UNSUPPORTED_PAYMENT_METHOD`
   * @example
   * const { fee, total } = await client.deposits.estimateFee({
   *   paymentMethodId: method.id,
   *   amount: '500.00',
   * });
   */
  estimateFee(draft: DepositDraft, options?: CallOptions): Call<DepositFee>;
}
