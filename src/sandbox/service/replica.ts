import { millisOf } from '../../core/time/index.ts';
import { onEvent } from '../resources/events.ts';
import type { Account, World } from '../world/world.ts';
import type { ResourceRoute } from '../resources/handlers.ts';
import { Refusal } from '../world/refusals.ts';

/** What an entity looked like from a time on. */
interface Version {
  readonly at: number;
  /** JSON; absent where it was gone. */
  readonly text: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Remembers what entities looked like, for reads that are behind. */
export interface Replica {
  /** Begins to remember. Everything that events have named until now is looked at once. */
  open(): void;
  /** Something was written that may have no event. */
  wrote(account: Account, answer: unknown, where: object): void;
  /** What a read would have answered at a time, for its answer of now; `NOT_FOUND` where there was nothing. */
  asOf(time: number, account: Account, route: ResourceRoute, where: Json, fresh: unknown): unknown;
}

/** What finds one thing by its id: `GET` with one parameter, at the end. */
function findersOf(routes: readonly ResourceRoute[]): readonly ResourceRoute[] {
  return routes.filter(
    ({ row, segments }) =>
      row.method === 'GET' && segments.findIndex(isParameter) === segments.length - 1,
  );
}

export function createReplica(world: World, routes: readonly ResourceRoute[]): Replica {
  const finders = findersOf(routes);
  const versions = new Map<string, Version[]>();
  const named = new Map<Account, Set<string>>();
  let isOpen = false;

  function textOf(account: Account, finder: ResourceRoute, id: string): string | undefined {
    try {
      const where = { [parameterOf(finder)]: id };
      return JSON.stringify(
        finder.handle(world, { account, where, draft: undefined, idempotencyKey: undefined }).body,
      );
    } catch (thrown) {
      if (thrown instanceof Refusal) return undefined;
      throw thrown;
    }
  }

  /** Without a time: it looks so since it was created. */
  function note(account: Account, id: string, at?: number): void {
    for (const finder of finders) {
      const key = keyOf(account, finder, id);
      const known = versions.get(key);
      const text = textOf(account, finder, id);
      const since = at ?? createdOf(text && JSON.parse(text)) ?? -Infinity;
      if (text !== known?.at(-1)?.text) versions.set(key, [...(known ?? []), { at: since, text }]);
      if (text !== undefined) return; // an id is of one noun
    }
  }

  function versionAt(
    time: number,
    account: Account,
    finder: ResourceRoute,
    id: string,
    fresh: unknown,
  ): unknown {
    const known = versions.get(keyOf(account, finder, id)) ?? [];
    const version = known.findLast(({ at }) => at <= time);
    if (version)
      return version.text === undefined ? undefined : (JSON.parse(version.text) as unknown);
    return known.length === 0 || (createdOf(fresh) ?? Infinity) <= time ? fresh : undefined;
  }

  onEvent(world, (account, { entityId }) => {
    const ids = named.get(account) ?? new Set();
    named.set(account, ids.add(entityId));
    if (isOpen) note(account, entityId, world.clock.now());
  });

  return {
    open() {
      if (isOpen) return;
      isOpen = true;
      for (const [account, ids] of named) for (const id of ids) note(account, id);
    },
    wrote(account, answer, where) {
      if (!isOpen) return;
      const ids = [...Object.values(where), ...Object.values(answer ?? {})].filter(
        (value): value is string => typeof value === 'string' && ID.test(value),
      );
      for (const id of new Set(ids)) note(account, id, world.clock.now());
    },
    asOf(time, account, route, where, fresh) {
      if (finders.includes(route)) {
        const id = where[parameterOf(route)] as string;
        const then = versionAt(time, account, route, id, fresh);
        if (then === undefined) throw new Refusal('NOT_FOUND', { id });
        return then;
      }
      const finder = finders.find(
        ({ segments }) => segments.slice(0, -1).join('/') === route.segments.join('/'),
      );
      const { items } = (fresh ?? {}) as { items?: readonly Json[] };
      if (!finder || !items) return fresh;
      const shown = items.map(
        (item) =>
          versionAt(
            time,
            account,
            finder,
            (item[parameterOf(finder)] ?? item['id']) as string,
            item,
          ) ?? item,
      );
      return { ...(fresh as object), items: shown };
    },
  };
}

const ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function parameterOf({ segments }: ResourceRoute): string {
  return segments.at(-1)!.slice(1, -1);
}

function keyOf(account: Account, finder: ResourceRoute, id: string): string {
  return `${account.id} ${finder.row.path} ${id}`;
}

function createdOf(answer: unknown): number | undefined {
  return millisOf(String((answer as { created?: unknown } | undefined)?.created));
}
