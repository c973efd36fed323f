// Account balances, one per currency.
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
 * An account's balance in one currency. Amounts are decimal strings in that currency, with a minus
 * sign if negative.
 */
export interface Balance {
  /** Currency code. */
  readonly currency: Open<CurrencyCode>;
  /**
   * Current balance. It includes deposits that haven't settled yet, which can be exchanged but not
   * paid out.
   */
  readonly current: string;
  /** Amount of deposits that haven't settled yet. */
  readonly pending: string;
  /** Amount reserved for outgoing transactions. */
  readonly reserved: string;
  /** Amount available to spend. The service may omit it. */
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
 * Reads the account's balances, one per currency. The field `available` is the amount you can
 * spend. `GET /v1/balances` (documented).
 *
 * @throws RefusedError `FORBIDDEN` if the credential lacks the balances scope
 *
 * @example
 * const [first] = await client.balances.list();
 */
export function list(connection: Connection, options: CallOptions = {}): Call<Rows<Balance>> {
  return send(connection, listEndpoint, { where: {} }, options);
}

/**
 * All balances are watched as a single value. Any event triggers a read, because any event may have
 * changed a balance.
 */
export const resource: WatchedResource<'balances', readonly Balance[]> = {
  name: 'balances',
  idOf: () => 'all',
  stateOf: (value) => JSON.stringify(value),
  read: (connection, _all, options) => list(connection, options),
  watch: { wokenBy: 'every-event', shape: makeShape(BalancesSchema) },
};
