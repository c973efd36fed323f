// Made from operations.ts by `npm run interfaces`: change functions and comments there.
import type { Call, CallOptions } from '../../core/http/index.ts';
import type { Balance } from './model.ts';

/** What the account has of each of its currencies. */
export interface Balances {
  /**
   * Reads the balances of the account, one for each of its currencies. Only `available` can be
   * spent. `GET /v1/balances` (documented).
   *
   * @throws RefusedError `FORBIDDEN` without the balances scope
   * @example
   * const [first] = await client.balances.list();
   */
  list(options?: CallOptions): Call<readonly Balance[]>;
}
