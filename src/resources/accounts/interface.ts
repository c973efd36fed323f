// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { AccountId, AccountLimits, AccountProfile } from './model.ts';

/** Limits of the account, and the profiles that accounts show to others. */
export interface Accounts {
  /**
   * Reads what the account may still deposit, send and withdraw. Resolves to the limits with what
   * is used of them. `GET /v1/accounts/limits` (documented).
   *
   * @throws RefusedError `FORBIDDEN` without the scope for the own profile, which is another than
   * that for profiles
   * @example
   * const { deposit } = await client.accounts.getLimits();
   */
  getLimits(options?: CallOptions): Call<AccountLimits>;

  /**
   * Reads what an account shows to others. Resolves to the profile.
   * `GET /v1/accounts/{accountId}/profile` (documented).
   *
   * @throws RefusedError `NOT_FOUND`, also for a private one
   * @example
   * const { handle } = await client.accounts.getProfile(invoice.receiverId);
   */
  getProfile(accountId: AccountId, options?: CallOptions): Call<AccountProfile>;

  /**
   * Reads what the account with this handle shows to others. Resolves to the profile.
   * `GET /v1/accounts/handle/{handle}/profile` (documented).
   *
   * @throws RefusedError `NOT_FOUND`, also for a private one
   * @example
   * const { currencies } = await client.accounts.getProfileByHandle('shop');
   */
  getProfileByHandle(handle: string, options?: CallOptions): Call<AccountProfile>;
}
