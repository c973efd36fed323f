import { type Connection, send } from '../core/http/index.ts';
import type { Watch } from '../core/watch/index.ts';
import type { ConversionRate } from '../resources/amounts/model.ts';
import * as rows from '../resources/rates/endpoints.ts';
import type { WatchOptions } from './hub.ts';
import type { EntityType } from './entity-type.ts';
import type { Snapshot } from './snapshot.ts';
import { watchOne } from './watch-one.ts';

/** How rates are looked at: all at once, by time, for no event tells of them. */
export const tickerKind: EntityType<readonly ConversionRate[]> = {
  name: 'rates',
  hasNoEvents: true,
  idOf: () => 'all',
  stateOf: (rates) => JSON.stringify(rates),
  get: (connection, _all, options) => send(connection, rows.list, { where: {} }, options),
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
