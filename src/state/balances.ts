import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import * as rows from '../resources/balances/endpoints.ts';
import type { Balance } from '../resources/balances/model.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchOne } from './watch-one.ts';

/** How balances are looked at: all at once, and again after any event, for each may have moved money. */
export const balancesKind: Kind<readonly Balance[]> = {
  name: 'balances',
  idOf: () => 'all',
  stateOf: (balances) => JSON.stringify(balances),
  find: (connection, _all, options) => send(connection, rows.list, { where: {} }, options),
};

/**
 * Watches the account's balances: what is true of them now, and how fresh that is. Never completes by itself.
 * `GET /v1/balances` (seed).
 *
 * @throws through `error`: RefusedError when the service refuses to show them, AuthenticationError when the credential is over
 * @example
 * const watch = watchBalances(client);
 * const stop = watch.subscribe(({ value }) => console.log(value.map(({ currency, available }) => `${available} ${currency}`)));
 * stop();
 */
export function watchBalances(
  client: Connection,
  options: WatchOptions = {},
): Watch<Snapshot<readonly Balance[]>> {
  return watchOne(client, balancesKind, 'all', undefined, options);
}
