// Bank accounts: where deposits come from and payouts go.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import { type List, listBySkip, type ListOptions } from '../../core/lists/index.ts';
import * as endpoints from './endpoints.ts';
import type {
  BankPaymentMethod,
  BankPaymentMethodDraft,
  BankPaymentMethodFilter,
  BankPaymentMethodId,
} from './model.ts';

/**
 * Adds a bank account. Never repeated by itself: after a lost response it may exist, so list before
 * you ask again. Resolves to the method, PENDING until the bank is verified. `POST
 * /v1/payment-methods/bank` (documented).
 *
 * @throws InputError for a bad field · RefusedError `PLAID_LINKING_FAILED` · UnreachableError with
 * `maybeCreated` when no response came
 * @example
 * const method = await client.bankPaymentMethods.create({
 *   transferType: 'SEPA',
 *   accountNumber: 'DE00000000000000000000',
 *   beneficiaries: [{ type: 'COMPANY', name: 'Sample GmbH' }],
 * });
 */
export function create(
  connection: Connection,
  draft: BankPaymentMethodDraft,
  options: CallOptions = {},
): Call<BankPaymentMethod> {
  return send(connection, endpoints.create, { where: {}, draft }, options);
}

/**
 * Reads one bank payment method. Resolves to the method. `GET
 * /v1/payment-methods/bank/{bankMethodId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.bankPaymentMethods.get(method.id);
 */
export function get(
  connection: Connection,
  bankMethodId: BankPaymentMethodId,
  options: CallOptions = {},
): Call<BankPaymentMethod> {
  return send(connection, endpoints.get, { where: { bankMethodId } }, options);
}

/**
 * Lists bank payment methods, those for deposits too. Returns a list to iterate, to page or to
 * count. `GET /v1/payment-methods/bank` (documented).
 *
 * @example
 * const methods = await client.bankPaymentMethods
 *   .list({ supportedAction: 'WITHDRAWAL' })
 *   .toArray({ limit: 20 });
 */
export function list(
  connection: Connection,
  filter: BankPaymentMethodFilter = {},
  options: ListOptions = {},
): List<BankPaymentMethod> {
  return listBySkip(connection, endpoints.list, filter, (method) => method.id, options);
}

/**
 * Removes a bank payment method. Resolves to nothing, also when a lost first try had removed it.
 * `DELETE /v1/payment-methods/bank/{bankMethodId}` (seed; its scope is inferred).
 *
 * @throws RefusedError `NOT_FOUND` when it was not there
 * @example
 * await client.bankPaymentMethods.remove(method.id);
 */
export function remove(
  connection: Connection,
  bankMethodId: BankPaymentMethodId,
  options: CallOptions = {},
): Call<void> {
  return send(
    connection,
    endpoints.remove,
    { where: { bankMethodId }, resolve: async () => {} },
    options,
  );
}
