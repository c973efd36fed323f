// Current exchange rates.
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import type { Rows } from '../core/lists/index.ts';
import type { QuotedRate } from './amounts.ts';
import { RatesSchema } from './rates.schemas.ts';
import type { WatchedResource } from './resource.ts';
import { makeAnswer, makeShape } from './wire.ts';

/** GET /v1/rates/ticker @source documented */
export const listEndpoint: Endpoint<{}, void, Rows<QuotedRate>> = readEndpoint({
  operation: 'rates.list',
  path: '/v1/rates/ticker',
  scope: 'partner.rates.ticker',
  bucket: 'rates',
  output: makeAnswer(RatesSchema),
});

/**
 * Reads the current exchange rates. Only use them for display, because the rate for an exchange or
 * payment is set by its quote. `GET /v1/rates/ticker` (documented).
 *
 * @throws RefusedError `FORBIDDEN` if the credential lacks the ticker scope
 *
 * @example
 * const rates = await client.rates.list();
 */
export function list(connection: Connection, options: CallOptions = {}): Call<Rows<QuotedRate>> {
  return send(connection, listEndpoint, { where: {} }, options);
}

/**
 * All exchange rates are watched as a single value. There are no events for them, so they're read
 * at regular intervals.
 */
export const resource: WatchedResource<'rates', readonly QuotedRate[]> = {
  name: 'rates',
  idOf: () => 'all',
  stateOf: (value) => JSON.stringify(value),
  read: (connection, _all, options) => list(connection, options),
  watch: { wokenBy: 'time', shape: makeShape(RatesSchema) },
};
