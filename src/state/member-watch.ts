// The part of a client's `watch` members that is loaded late, with all that watches.
import type { Connection } from '../core/http/index.ts';
import type { Observer, SubscribeOptions, Unsubscribe, Watch } from '../core/watch.ts';
import type { Watchable } from '../resources/resource.ts';
import type { WatchEngine } from './late-watch.ts';
import type { Snapshot, WatchOptions } from './snapshot.ts';
import { watchEntity } from './watch-one.ts';

/** Makes what a client loads, from the resources that can be watched by the client's members. */
export function engineOf(watched: Readonly<Record<string, unknown>>): WatchEngine {
  const types = new Map(Object.entries(watched));
  return {
    watch<T>(client: Connection, member: string, entity: object | string, options: WatchOptions) {
      return watchEntity(client, types.get(member) as Watchable<T>, entity, options);
    },
    join,
  };
}

function join<T>(
  watch: Watch<Snapshot<T>>,
  to: Partial<Observer<Snapshot<T>>>,
  options: SubscribeOptions | undefined,
  shown: Snapshot<T>,
): Unsubscribe {
  let isFirst = true;
  const next = (snapshot: Snapshot<T>) => {
    const isRepeated = snapshot.freshness === 'loading' && snapshot.error === shown.error;
    if (!isFirst || !isRepeated) to.next?.(snapshot);
    isFirst = false;
  };
  const complete = () => to.complete?.();
  const error = (reason: unknown) => to.error!(reason);
  return watch.subscribe(to.error ? { next, complete, error } : { next, complete }, options);
}
