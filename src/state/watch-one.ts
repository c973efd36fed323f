import { type Connection, internals, stateOf } from '../core/http/index.ts';
import { type Watch, watchOf } from '../core/watch/index.ts';
import type { Watchable } from '../resources/resource.ts';
import { Hub } from './hub.ts';
import type { WatchOptions } from './watch-options.ts';
import { type Snapshot, toIdle } from './snapshot.ts';

/** Where the hub of this client and its children is, while it has watches. */
export function hubOf(client: Connection): { hub?: Hub | undefined } {
  return stateOf(client, 'state.hub', () => ({}));
}

/**
 * Watches one resource; nothing starts before the first subscriber. `created`: whole second, if
 * known.
 */
export function watchOne<T>(
  client: Connection,
  type: Watchable<T>,
  id: string,
  options: WatchOptions,
  created?: number,
): Watch<Snapshot<T>> {
  const place = hubOf(client);
  const settles = (value: T) =>
    options.until !== 'never' && type.states?.isSettled(type.stateOf(value));
  const hub = () => (place.hub ??= new Hub(client, () => (place.hub = undefined)));
  return watchOf<Snapshot<T>>({
    status: () => place.hub?.status(type.name, id) ?? { reason: 'not watched' },
    start: (to, kept) => hub().join(type, id, created, to, options, kept),
    idle: (last) => (last?.asOf !== undefined && settles(last.value) ? last : toIdle(last)),
    clock: client[internals].clock,
  });
}
