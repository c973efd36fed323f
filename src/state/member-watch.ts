// The part of a client's `watch` members that is loaded late, with all that watches.
import type { PaystateError } from '../core/errors/index.ts';
import { type Connection, internals } from '../core/http/index.ts';
import {
  type Observer,
  type SubscribeOptions,
  type Unsubscribe,
  type Watch,
  watchOf,
} from '../core/watch.ts';
import type { Watchable } from '../resources/resource.ts';
import type { WatchEngine } from './late-watch.ts';
import type { Snapshot, WatchOptions } from './snapshot.ts';
import { watchEntity } from './watch-one.ts';

/** Makes what a client loads, from the resources that can be watched by the client's members. */
export function engineOf(watched: Readonly<Record<string, unknown>>): WatchEngine {
  const types = new Map(Object.entries(watched));
  return {
    watch<T>(client: Connection, member: string, entity: object | string, options: WatchOptions) {
      try {
        return watchEntity(client, types.get(member) as Watchable<T>, entity, options);
      } catch (thrown) {
        return failedWatch<T>(client, thrown as PaystateError);
      }
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

/** A watch that fails for every listener: `client.invoices.watch` was given no invoice and no id. */
function failedWatch<T>(client: Connection, error: PaystateError): Watch<Snapshot<T>> {
  const failed: Snapshot<T> = { freshness: 'failed', error };
  return watchOf<Snapshot<T>>({
    clock: client[internals].clock,
    idle: () => failed,
    status: () => ({ reason: error.message }),
    start(to) {
      to.next(failed);
      to.error(error);
      return { stop() {} };
    },
  });
}
