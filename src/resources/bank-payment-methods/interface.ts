// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { List, ListOptions } from '../../core/lists/index.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodFilter,
  BankPaymentMethodId,
} from './model.ts';

/** Bank accounts: where deposits come from and payouts go. */
export interface BankPaymentMethods {
  /**
   * Adds a bank account. Never repeated by itself: after a lost response it may exist, so list
   * before you ask again. Resolves to the method, PENDING until the bank is verified.
   * `POST /v1/payment-methods/bank` (documented).
   *
   * @throws InputError for a bad field · RefusedError `PLAID_LINKING_FAILED` · UnreachableError
   * with `maybeCreated` when no response came
   * @example
   * const method = await client.bankPaymentMethods.create({
   *   transferType: 'SEPA',
   *   accountNumber: 'DE00000000000000000000',
   *   beneficiaries: [{ type: 'COMPANY', name: 'Sample GmbH' }],
   * });
   */
  create(draft: BankPaymentMethodDraft, options?: CallOptions): Call<BankPaymentMethod>;

  /**
   * Reads one bank payment method. Resolves to the method.
   * `GET /v1/payment-methods/bank/{bankMethodId}` (documented).
   *
   * @throws RefusedError `NOT_FOUND`
   * @example
   * const { state } = await client.bankPaymentMethods.get(method.id);
   */
  get(bankMethodId: BankPaymentMethodId, options?: CallOptions): Call<BankPaymentMethod>;

  /**
   * Lists bank payment methods, those for deposits too. Returns a list to iterate, to page or to
   * count. `GET /v1/payment-methods/bank` (documented).
   *
   * @example
   * const methods = await client.bankPaymentMethods
   *   .list({ supportedAction: 'WITHDRAWAL' })
   *   .toArray({ limit: 20 });
   */
  list(filter?: BankPaymentMethodFilter, options?: ListOptions): List<BankPaymentMethod>;

  /**
   * Removes a bank payment method. Resolves to nothing, also when a lost first try had removed it.
   * `DELETE /v1/payment-methods/bank/{bankMethodId}` (seed; its scope is inferred).
   *
   * @throws RefusedError `NOT_FOUND` when it was not there
   * @example
   * await client.bankPaymentMethods.remove(method.id);
   */
  remove(bankMethodId: BankPaymentMethodId, options?: CallOptions): Call<void>;
}
