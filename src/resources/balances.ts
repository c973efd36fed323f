// The balances of an account, one for each of its currencies.
import type { Open } from '../core/errors/index.ts';
import {
  type Call,
  type CallOptions,
  type Connection,
  type Endpoint,
  readEndpoint,
  send,
} from '../core/http/index.ts';
import type { Rows } from '../core/lists/index.ts';
import type { CurrencyCode } from './amounts.ts';
import { BalancesSchema } from './balances.schemas.ts';
import type { WatchedResource } from './resource.ts';
import { makeAnswer, makeShape } from './wire.ts';

/**
 * The balance of an account in one currency. All figures are decimal texts in that currency;
 * negative ones begin with a minus sign.
 */
export interface Balance {
  /** Code of the currency. */
  readonly currency: Open<CurrencyCode>;
  /** Includes deposits that have not settled yet. Exchanges can use it; payments cannot. */
  readonly current: string;
  /** Deposits that have not settled yet. */
  readonly pending: string;
  /** Reserved for movements that are on their way out. */
  readonly reserved: string;
  /** Can be spent. The service may leave it out. */
  readonly available?: string | undefined;
  /** @deprecated See `reserved`. */
  readonly outgoing?: string | undefined;
  /** @deprecated See `current`. */
  readonly total?: string | undefined;
}

/** GET /v1/balances @source documented */
export const listEndpoint: Endpoint<{}, void, Rows<Balance>> = readEndpoint({
  operation: 'balances.list',
  path: '/v1/balances',
  scope: 'partner.balances.read',
  output: makeAnswer(BalancesSchema),
});

/**
 * Reads the balances of the account, one for each of its currencies. Only `available` can be spent.
 * `GET /v1/balances` (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the balances scope
 * @example
 * const [first] = await client.balances.list();
 */
export function list(connection: Connection, options: CallOptions = {}): Call<Rows<Balance>> {
  return send(connection, listEndpoint, { where: {} }, options);
}

/**
 * All balances are one value. Every event triggers a read, because any event may have moved money.
 */
export const resource: WatchedResource<'balances', readonly Balance[]> = {
  name: 'balances',
  idOf: () => 'all',
  stateOf: (value) => JSON.stringify(value),
  read: (connection, _all, options) => list(connection, options),
  watch: { wokenBy: 'every-event', shape: makeShape(BalancesSchema) },
};
