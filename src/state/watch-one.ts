import { type Connection, internals, stateOf } from '../core/http/index.ts';
import { type Watch, watchOf } from '../core/watch/index.ts';
import type { Watchable } from '../resources/resource.ts';
import { keyOf } from './entries.ts';
import { Hub } from './hub.ts';
import type { WatchOptions } from './watch-options.ts';
import { type KnownSnapshot, LOADING, type Snapshot, toIdle } from './snapshot.ts';

interface HubPlace {
  hub?: Hub | undefined;
  /** What new watches begin with, by its key. */
  readonly provided: Map<string, KnownSnapshot<unknown>>;
}

/** Where the hub of this client and its children is, while it has watches. */
export function hubOf(client: Connection): HubPlace {
  return stateOf(client, 'state.hub', () => ({ provided: new Map() }));
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
  const { provided } = place;
  const settles = (value: T) =>
    options.until !== 'never' && type.states?.isSettled(type.stateOf(value));
  const hub = () => (place.hub ??= new Hub(client, () => (place.hub = undefined)));
  return watchOf<Snapshot<T>>({
    status: () => place.hub?.status(type.name, id) ?? { reason: 'not watched' },
    start: (to, kept) => hub().join(type, id, created, to, options, kept),
    idle(last = LOADING) {
      if (last === LOADING) return (provided.get(keyOf(type.name, id)) as Snapshot<T>) ?? last;
      return last.asOf !== undefined && settles(last.value) ? last : toIdle(last);
    },
    clock: client[internals].clock,
  });
}
