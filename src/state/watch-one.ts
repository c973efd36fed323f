import { type Connection, stateOf } from '../core/http/index.ts';
import { type Watch, watchOf } from '../core/watch/index.ts';
import { Hub, type WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import { type Snapshot, unwatched } from './seen.ts';

/** Where the hub of this client and its children is, while anybody watches. */
export function hubOf(client: Connection): { hub?: Hub | undefined } {
  return stateOf(client, 'state.hub', () => ({}));
}

/** Watches one entity; nothing starts before somebody subscribes. */
export function watchOne<T>(
  client: Connection,
  kind: Kind<T>,
  id: string,
  created: number | undefined,
  options: WatchOptions,
): Watch<Snapshot<T>> {
  const place = hubOf(client);
  const settles = (value: T) =>
    options.until !== 'never' && kind.life?.isSettled(kind.stateOf(value));
  const hub = () => (place.hub ??= new Hub(client, () => (place.hub = undefined)));
  return watchOf<Snapshot<T>>({
    status: () => place.hub?.status(kind.name, id) ?? { reason: 'nobody is watching' },
    start: (to, kept) => hub().join(kind, id, created, to, options, kept),
    rest: (seen) => (settles(seen.value) ? seen : unwatched(seen)),
  });
}
