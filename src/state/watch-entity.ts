import type { Connection } from '../core/http/index.ts';
import { badInput } from '../core/errors/index.ts';
import type { Watch } from '../core/watch.ts';
import type { Watchable } from '../resources/resource.ts';
import { createdOf } from './entries/entry.ts';
import type { WatchOptions } from './watch-options.ts';
import type { Snapshot } from './entries/snapshot.ts';
import { watchOne } from './watch-one.ts';

/** Watches a resource that is given as itself, as something with its id, or by its id. */
export function watchEntity<T>(
  client: Connection,
  type: Watchable<T>,
  entity: object | string,
  options: WatchOptions,
): Watch<Snapshot<T>> {
  const id = typeof entity === 'string' ? entity : entity && type.idOf(entity as T);
  if (typeof id !== 'string' || id === '')
    throw badInput(type.name, `must be the ${type.name} or its id`);
  return watchOne(client, type, id, options, createdOf(type, entity));
}
