// Limits of the account, and the profiles that accounts show to others.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import * as endpoints from './endpoints.ts';
import type { AccountId, AccountLimits, AccountProfile } from './model.ts';

/**
 * Reads what the account may still deposit, send and withdraw. Resolves to the limits with what is
 * used of them. `GET /v1/accounts/limits` (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the scope for the own profile, which is another than
 * that for profiles
 * @example
 * const { deposit } = await client.accounts.getLimits();
 */
export function getLimits(connection: Connection, options: CallOptions = {}): Call<AccountLimits> {
  return send(connection, endpoints.getLimits, { where: {} }, options);
}

/**
 * Reads what an account shows to others. Resolves to the profile. `GET
 * /v1/accounts/{accountId}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private one
 * @example
 * const { handle } = await client.accounts.getProfile(invoice.receiverId);
 */
export function getProfile(
  connection: Connection,
  accountId: AccountId,
  options: CallOptions = {},
): Call<AccountProfile> {
  return send(connection, endpoints.getProfile, { where: { accountId } }, options);
}

/**
 * Reads what the account with this handle shows to others. Resolves to the profile.
 * `GET /v1/accounts/handle/{handle}/profile` (documented).
 *
 * @throws RefusedError `NOT_FOUND`, also for a private one
 * @example
 * const { currencies } = await client.accounts.getProfileByHandle('shop');
 */
export function getProfileByHandle(
  connection: Connection,
  handle: string,
  options: CallOptions = {},
): Call<AccountProfile> {
  return send(connection, endpoints.getProfileByHandle, { where: { handle } }, options);
}
