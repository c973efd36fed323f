// Money drawn from a bank account.
import {
  type Call,
  type CallOptions,
  type Connection,
  type KeyedOptions,
  send,
} from '../../core/http/index.ts';
import { type List, listBySkip, type ListOptions } from '../../core/lists/index.ts';
import { createWithKey } from '../create-with-key.ts';
import * as endpoints from './endpoints.ts';
import { keyAge } from './key-age.ts';
import type { Deposit, DepositDraft, DepositFee, DepositId } from './model.ts';

/** Options of `deposits.create`. */
export interface DepositOptions extends KeyedOptions {
  /**
   * When `idempotencyKey` was first sent, milliseconds since 1970: `Date.now()` for a new key.
   * Required with a key of your own that this client has not sent, for after ten minutes the
   * service may take it for a new one and debit twice.
   */
  readonly firstSentAt?: number | undefined;
}

/**
 * Draws money from a bank account: moves money. Resolves to the deposit; after a lost response the
 * same key is asked again for ten minutes at most, and the deposit that was made is read. `POST
 * /v1/deposits` (documented).
 *
 * @throws InputError for a bad field · RefusedError `PAYMENT_METHOD_NOT_READY`,
 * `UNSUPPORTED_PAYMENT_METHOD`, `DEPOSIT_LIMIT_EXCEEDED`, `DUPLICATE_DEPOSIT` with
 * `values.depositId` and outcome unknown for a key that was used before · InputError
 * `IDEMPOTENCY_KEY_EXPIRED` for a key first sent over ten minutes ago, or of unknown age · any
 * error with `outcome: 'unknown'`: look through the deposits before you make another
 * @example
 * const deposit = await client.deposits.create({ paymentMethodId: method.id, amount: '500.00' });
 */
export function create(
  connection: Connection,
  draft: DepositDraft,
  options: DepositOptions = {},
): Call<Deposit> {
  const { firstSentAt, ...keyed } = options;
  return createWithKey(connection, endpoints.create, draft, keyed, {
    lifetime: keyAge(firstSentAt),
    get: (id, rest) => get(connection, id, rest),
  });
}

/**
 * Reads one deposit. Resolves to the deposit. `GET /v1/deposits/{depositId}` (documented).
 *
 * @throws RefusedError `NOT_FOUND`
 * @example
 * const { state } = await client.deposits.get(deposit.id);
 */
export function get(
  connection: Connection,
  depositId: DepositId,
  options: CallOptions = {},
): Call<Deposit> {
  return send(connection, endpoints.get, { where: { depositId } }, options);
}

/**
 * Lists deposits. Returns a list to iterate, to page or to count. `GET /v1/deposits` (documented).
 *
 * @example
 * const deposits = await client.deposits.list().toArray({ limit: 20 });
 */
export function list(connection: Connection, options: ListOptions = {}): List<Deposit> {
  return listBySkip(connection, endpoints.list, {}, (deposit) => deposit.id, options);
}

/**
 * Estimates what a deposit would cost and when it would settle. Moves no money. `POST
 * /v1/deposits/fee` (documented).
 *
 * @throws InputError for a bad field · RefusedError `UNSUPPORTED_PAYMENT_METHOD`
 * @example
 * const { fee, total } = await client.deposits.estimateFee({
 *   paymentMethodId: method.id,
 *   amount: '500.00',
 * });
 */
export function estimateFee(
  connection: Connection,
  draft: DepositDraft,
  options: CallOptions = {},
): Call<DepositFee> {
  return send(connection, endpoints.estimateFee, { where: {}, draft }, options);
}
