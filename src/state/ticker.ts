import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import type { ConversionRate } from '../resources/amounts/model.ts';
import * as rows from '../resources/rates/endpoints.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchOne } from './watch-one.ts';

/** How rates are looked at: all at once, by time, for no event tells of them. */
export const tickerKind: Kind<readonly ConversionRate[]> = {
  name: 'ticker',
  silent: true,
  idOf: () => 'all',
  stateOf: (rates) => JSON.stringify(rates),
  find: (connection, _all, options) => send(connection, rows.list, { where: {} }, options),
};

/**
 * Watches the exchange rates: what they are now, and how fresh that is. Never completes by itself. For showing: only a
 * quote holds a rate. `GET /v1/rates/ticker` (seed).
 *
 * @throws through `error`: RefusedError when the service refuses to show them, AuthenticationError when the credential is over
 * @example
 * const watch = watchRates(client);
 * const stop = watch.subscribe(({ value }) => console.log(value.length));
 * stop();
 */
export function watchRates(
  client: Connection,
  options: WatchOptions = {},
): Watch<Snapshot<readonly ConversionRate[]>> {
  return watchOne(client, tickerKind, 'all', undefined, options);
}
