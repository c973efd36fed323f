import { badInput } from '../core/errors/index.ts';
import { type Connection, internals, rootOf, type Slot, stateOf } from '../core/http/index.ts';
import type { Clock } from '../core/time.ts';
import {
  type Observer,
  type Watch,
  watchOf,
  type WatchSource,
  type WatchStatus,
  type Work,
} from '../core/watch.ts';
import type { Watchable } from '../resources/resource.ts';
import { createdOf } from './entry.ts';
import { Hub } from './hub.ts';
import { keyOf } from './known.ts';
import {
  type KnownSnapshot,
  LOADING,
  type Snapshot,
  toIdle,
  type WatchOptions,
} from './snapshot.ts';

interface HubPlace {
  hub?: Hub | undefined;
  /** When changes were announced lately, by key; monotonic. */
  readonly recent: Map<string, number>;
  /** What new watches begin with, by its key. */
  readonly provided: Map<string, KnownSnapshot<unknown>>;
}

const HUB: Slot<HubPlace> = {
  name: 'state.hub',
  make: () => ({ recent: new Map(), provided: new Map() }),
};

/** Where the hub of this client and its children is, while it has watches. */
export function hubOf(client: Connection): HubPlace {
  return stateOf(client, HUB);
}

/** One resource as the source of a watch. */
class EntitySource<T> implements WatchSource<Snapshot<T>> {
  readonly #client: Connection;
  readonly #type: Watchable<T>;
  readonly #id: string;
  readonly #created: number | undefined;
  readonly #options: WatchOptions | undefined;

  constructor(
    client: Connection,
    type: Watchable<T>,
    id: string,
    options: WatchOptions,
    created: number | undefined,
  ) {
    this.#client = client;
    this.#type = type;
    this.#id = id;
    this.#created = created;
    this.#options = options.signal || options.until ? options : undefined; // many hold nothing
  }

  get clock(): Clock {
    return this.#client[internals].clock;
  }

  status(): WatchStatus {
    const { hub } = hubOf(this.#client);
    return hub?.status(this.#type.name, this.#id) ?? { reason: 'not watched' };
  }

  start(to: Observer<Snapshot<T>>, kept: Snapshot<T>): Work {
    const place = hubOf(this.#client);
    const root = rootOf(this.#client); // the options of one of its watches are not those of all
    const hub = (place.hub ??= new Hub(root, place.recent, () => (place.hub = undefined)));
    return hub.join(this.#type, this.#id, this.#created, to, this.#options ?? {}, kept);
  }

  idle(last: Snapshot<T> = LOADING): Snapshot<T> {
    const { provided } = hubOf(this.#client);
    if (last === LOADING)
      return (provided.get(keyOf(this.#type.name, this.#id)) as Snapshot<T>) ?? last;
    return last.asOf !== undefined && this.#settles(last.value) ? last : toIdle(last);
  }

  #settles(value: T): boolean | undefined {
    const { states, stateOf } = this.#type;
    return this.#options?.until !== 'never' && states?.isSettled(stateOf(value));
  }
}

/** The source of a watch of one resource, or of one list. */
export function sourceOf<T>(
  client: Connection,
  type: Watchable<T>,
  id: string,
  options: WatchOptions,
): WatchSource<Snapshot<T>> {
  return new EntitySource(client, type, id, options, undefined);
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
  return watchOf(new EntitySource(client, type, id, options, created));
}

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
