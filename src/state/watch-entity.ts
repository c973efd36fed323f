import type { Connection } from '../core/http/index.ts';
import { badInput } from '../core/errors/index.ts';
import { secondsOf, ticksOf } from '../core/time/index.ts';
import type { Watch } from '../core/watch/index.ts';
import type { WatchOptions } from './hub.ts';
import type { Kind } from './kind.ts';
import type { Snapshot } from './seen.ts';
import { watchOne } from './watch-one.ts';

/** Watches an entity that is given as itself or by its id; `created` lets many first looks share a window. */
export function watchEntity<T extends object>(
  client: Connection,
  kind: Kind<T>,
  entity: NoInfer<T> | string,
  options: WatchOptions,
  created?: string,
): Watch<Snapshot<T>> {
  const id = typeof entity === 'string' ? entity : entity && kind.idOf(entity);
  if (typeof id !== 'string' || id === '')
    throw badInput(kind.name, `must be the ${kind.name} or its id`);
  const ticks = created === undefined ? undefined : ticksOf(created);
  return watchOne(client, kind, id, ticks === undefined ? ticks : secondsOf(ticks), options);
}
