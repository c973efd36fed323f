import { millisOf } from '../../core/time.ts';
import { onEvent } from '../resources/events.ts';
import type { Account, World } from '../world/world.ts';
import { parameterOf, readQuietly, type ResourceRoute } from '../resources/repository.ts';
import { notFound } from '../world/responses.ts';

/** The state of an entity from a time on. */
interface Version {
  readonly at: number;
  /** JSON; absent where the entity was not found. */
  readonly text: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Keeps former states of entities, for reads from a replica that lags. */
export interface Replica {
  /** Begins to keep states. Every entity that events have named so far is read once. */
  open(): void;
  /** A command has written something, perhaps without an event. */
  noteWrite(account: Account, response: unknown, where: object): void;
  /**
   * What a read would have returned at a time, given its result of now; `NOT_FOUND` where there was
   * nothing.
   */
  asOf(time: number, account: Account, route: ResourceRoute, where: Json, fresh: unknown): unknown;
}

/** Routes that read one entity by its id: `GET` with one parameter, at the end. */
function findersOf(routes: readonly ResourceRoute[]): readonly ResourceRoute[] {
  return routes.filter(
    ({ row, segments }) =>
      row.method === 'GET' && segments.findIndex(isParameter) === segments.length - 1,
  );
}

export function createReplica(world: World, routes: readonly ResourceRoute[]): Replica {
  return new LaggingReplica(world, findersOf(routes));
}

class LaggingReplica implements Replica {
  readonly #world: World;
  readonly #finders: readonly ResourceRoute[];
  readonly #versions = new Map<string, Version[]>();
  /** Ids that events have named. */
  readonly #named = new Map<Account, Set<string>>();
  #isOpen = false;

  constructor(world: World, finders: readonly ResourceRoute[]) {
    this.#world = world;
    this.#finders = finders;
    onEvent(world, (account, { entityId }) => {
      const ids = this.#named.get(account) ?? new Set();
      this.#named.set(account, ids.add(entityId));
      if (this.#isOpen) this.#keepVersion(account, entityId, world.clock.now());
    });
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const [account, ids] of this.#named) for (const id of ids) this.#keepVersion(account, id);
  }

  noteWrite(account: Account, response: unknown, where: object): void {
    if (!this.#isOpen) return;
    const ids = [...Object.values(where), ...Object.values(response ?? {})].filter(
      (value): value is string => typeof value === 'string' && ID.test(value),
    );
    for (const id of new Set(ids)) this.#keepVersion(account, id, this.#world.clock.now());
  }

  asOf(time: number, account: Account, route: ResourceRoute, where: Json, fresh: unknown): unknown {
    if (this.#finders.includes(route)) {
      const id = where[parameterOf(route)] as string;
      const then = this.#versionAt(time, keyOf(account, route, id), fresh);
      if (then === undefined) throw notFound();
      return then;
    }
    const finder = this.#finders.find(
      ({ segments }) => segments.slice(0, -1).join('/') === route.segments.join('/'),
    );
    const { items } = (fresh ?? {}) as { items?: readonly Json[] };
    if (!finder || !items) return fresh;
    const shown = items.map((item) => {
      const id = (item[parameterOf(finder)] ?? item['id']) as string;
      return this.#versionAt(time, keyOf(account, finder, id), item) ?? item;
    });
    return { ...(fresh as object), items: shown };
  }

  /** Reads an entity and keeps its state from `at` on; without a time, from its creation on. */
  #keepVersion(account: Account, id: string, at?: number): void {
    for (const finder of this.#finders) {
      const key = keyOf(account, finder, id);
      const known = this.#versions.get(key);
      const body = readQuietly(this.#world, finder, account, { [parameterOf(finder)]: id });
      const text = body === undefined ? undefined : JSON.stringify(body);
      const since = at ?? createdOf(body) ?? -Infinity;
      if (text !== known?.at(-1)?.text)
        this.#versions.set(key, [...(known ?? []), { at: since, text }]);
      if (text !== undefined) return; // an id belongs to one resource
    }
  }

  #versionAt(time: number, key: string, fresh: unknown): unknown {
    const known = this.#versions.get(key) ?? [];
    const version = known.findLast(({ at }) => at <= time);
    if (version)
      return version.text === undefined ? undefined : (JSON.parse(version.text) as unknown);
    return known.length === 0 || (createdOf(fresh) ?? Infinity) <= time ? fresh : undefined;
  }
}

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function keyOf(account: Account, finder: ResourceRoute, id: string): string {
  return `${account.id} ${finder.row.path} ${id}`;
}

function createdOf(body: unknown): number | undefined {
  return millisOf(String((body as { created?: unknown } | undefined)?.created));
}
