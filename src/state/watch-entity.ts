import type { Connection } from '../core/http/index.ts';
import { badInput } from '../core/errors/index.ts';
import { secondsOf, ticksOf } from '../core/time/index.ts';
import type { Watch } from '../core/watch/index.ts';
import type { WatchOptions } from './hub.ts';
import type { EntityType } from './entity-type.ts';
import type { Snapshot } from './snapshot.ts';
import { watchOne } from './watch-one.ts';

/** Watches an entity that is given as itself or by its id; `created` lets many first reads share a window. */
export function watchEntity<T extends object>(
  client: Connection,
  type: EntityType<T>,
  entity: NoInfer<T> | string,
  options: WatchOptions,
  created?: string,
): Watch<Snapshot<T>> {
  const id = typeof entity === 'string' ? entity : entity && type.idOf(entity);
  if (typeof id !== 'string' || id === '')
    throw badInput(type.name, `must be the ${type.name} or its id`);
  const ticks = created === undefined ? undefined : ticksOf(created);
  return watchOne(client, type, id, ticks === undefined ? ticks : secondsOf(ticks), options);
}
