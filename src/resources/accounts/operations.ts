// Limits of the account, and the profiles that accounts show to others.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import * as rows from './endpoints.ts';
import type { AccountId, AccountLimits, AccountProfile } from './model.ts';

/**
 * Reads what the account may still deposit, send and withdraw. Resolves to the limits with what is used of them.
 * `GET /v1/accounts/limits` (seed).
 *
 * @throws RefusedError `FORBIDDEN` without the scope for the own profile, which is another than that for profiles
 * @example
 * const { deposit } = await client.accounts.findLimits();
 */
export function findLimits(connection: Connection, options: CallOptions = {}): Call<AccountLimits> {
  return send(connection, rows.findLimits, { where: {} }, options);
}

/**
 * Reads what an account shows to others. Resolves to the profile. `GET /v1/accounts/{accountId}/profile` (seed).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private one
 * @example
 * const { handle } = await client.accounts.findProfile(invoice.receiverId);
 */
export function findProfile(
  connection: Connection,
  accountId: AccountId,
  options: CallOptions = {},
): Call<AccountProfile> {
  return send(connection, rows.findProfile, { where: { accountId } }, options);
}

/**
 * Reads what the account with this handle shows to others. Resolves to the profile.
 * `GET /v1/accounts/handle/{handle}/profile` (seed).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private one
 * @example
 * const { currencies } = await client.accounts.findProfileByHandle('shop');
 */
export function findProfileByHandle(
  connection: Connection,
  handle: string,
  options: CallOptions = {},
): Call<AccountProfile> {
  return send(connection, rows.findProfileByHandle, { where: { handle } }, options);
}
