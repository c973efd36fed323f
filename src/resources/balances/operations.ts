// What the account has of each of its currencies.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import * as endpoints from './endpoints.ts';
import type { Balance } from './model.ts';

/**
 * Reads the balances of the account, one for each of its currencies. Only `available` can be spent.
 * `GET /v1/balances` (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the balances scope
 * @example
 * const [first] = await client.balances.list();
 */
export function list(connection: Connection, options: CallOptions = {}): Call<readonly Balance[]> {
  return send(connection, endpoints.list, { where: {} }, options);
}
