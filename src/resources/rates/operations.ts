// The exchange rates of this moment.
import { type Call, type CallOptions, type Connection, send } from '../../core/http/index.ts';
import type { QuotedRate } from '../amounts/model.ts';
import * as endpoints from './endpoints.ts';

/**
 * Reads the exchange rates of this moment: for showing, since only a quote holds a rate.
 * `GET /v1/rates/ticker` (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the ticker scope
 * @example
 * const rates = await client.rates.list();
 */
export function list(
  connection: Connection,
  options: CallOptions = {},
): Call<readonly QuotedRate[]> {
  return send(connection, endpoints.list, { where: {} }, options);
}
