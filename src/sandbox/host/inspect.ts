import type { ServiceEvent } from '../../resources/events.ts';
import { findParameter, readQuietly, type ResourceRoute } from '../resources/repository.ts';
import { allRoutes, once } from '../service/incoming.ts';
import { quoteStore, showQuote } from '../resources/invoice-store.ts';
import { type Movable, stateOfSubject } from '../resources/moves.ts';
import { onEvent } from '../resources/events.ts';
import { type Account, requireAccount, type World } from '../world/world.ts';

/**
 * An account's resources by name, such as `invoices` or `payment-methods/bank`, newest first.
 * `account` has the account's settings. `api-keys` has its keys, oldest first, each with `apiKey`,
 * `scopes` and `isRevoked`. If `scopes` is absent, the key has all scopes.
 */
export type Inspection = Readonly<Record<string, readonly object[]>>;

const MOST = 50;
/** Exchange rates are excluded, because they don't belong to an account. */
const LIST = /^\/v1\/((?!rates\/)[a-z/-]+)$/;
const ONE = /^\/v1\/([a-z/-]+)\/\{\w+\}$/;

/** Cached, because the routes are the same in every sandbox. */
const inspected = once(() => {
  const routes = allRoutes().filter(({ row }) => row.method === 'GET');
  const routesBy = (pattern: RegExp): ReadonlyMap<string, ResourceRoute> =>
    new Map(
      routes.flatMap((route) => {
        const [, name] = pattern.exec(route.row.path) ?? [];
        return name === undefined ? [] : [[name, route]];
      }),
    );
  return { lists: routesBy(LIST), finds: routesBy(ONE) };
});

/**
 * Reads all of an account's resources. Includes resources that no list returns if an event mentions
 * them. Makes no requests, so it doesn't affect rate limits, random numbers or the log.
 */
export function createInspector(world: World): (handle?: string) => Inspection {
  const inspect = (handle?: string): Inspection => {
    const { lists, finds } = inspected();
    const account = requireAccount(world, handle);
    const ask = (route: ResourceRoute, where: object): unknown =>
      readQuietly(world, route, account, where);
    const shown: Record<string, object[]> = {};
    for (const [name, route] of lists) {
      const items = findItems(ask(route, { top: MOST }));
      if (items) shown[name] = items.slice(0, MOST);
    }
    for (const [name, id] of idsIn(shown['events'] as readonly ServiceEvent[] | undefined)) {
      const route = shown[name] && lists.has(name) ? undefined : finds.get(name);
      const found = route && ask(route, { [findParameter(route)]: id });
      if (found) shown[name] = [...(shown[name] ?? []), found];
    }
    shown['invoice-quotes'] = (shown['invoices'] ?? []).flatMap((invoice) => {
      const { invoiceId } = invoice as { readonly invoiceId: string };
      const newest = quoteStore(world).ofInvoice.get(invoiceId)?.at(-1);
      return newest ? [{ invoiceId, ...showQuote(newest) }] : [];
    });
    shown['account'] = [account];
    shown['api-keys'] = listKeys(world, account);
    return shown;
  };
  worlds.set(inspect, world);
  return inspect;
}

const worlds = new WeakMap<object, World>();

export interface HappenedEvent {
  readonly id: string;
  /** Time of the event on the sandbox's clock, in milliseconds since 1970. */
  readonly at: number;
  readonly account: string;
  readonly eventType: string;
  readonly entityId: string;
  /** Id of the received payment, if the event is about a receive request. */
  readonly receiveId?: string | undefined;
  /** Returns the current state of a resource, or `undefined` if its id is unknown. */
  stateOf(subject: Movable, id: string): string | undefined;
}

export function followEvents(
  inspect: (handle?: string) => Inspection,
  listener: (event: HappenedEvent) => void,
): void {
  const world = worlds.get(inspect);
  if (!world) throw new Error('this inspector is not connected to a sandbox');
  onEvent(world, ({ handle }, { id, eventType, entityId, receiveId }) =>
    listener({
      id,
      at: world.clock.now(),
      account: handle,
      eventType,
      entityId,
      receiveId,
      stateOf: (subject, subjectId) => stateOfSubject(world, subject, subjectId),
    }),
  );
}

/** Lists an account's API keys. Omits access tokens from the login server. */
function listKeys({ keys }: World, account: Account): object[] {
  return [...keys].flatMap(([apiKey, { account: owner, scopes, isRevoked = false, until }]) =>
    owner === account && !until ? [{ apiKey, scopes: scopes && [...scopes], isRevoked }] : [],
  );
}

/** Returns the path and id of each resource mentioned in the events, without duplicates. */
function idsIn(events: readonly ServiceEvent[] = []): readonly (readonly [string, string])[] {
  const ids = new Map(
    events.map(({ eventType, data: { entityId } }) => [entityId, `${eventType.split('.')[0]}s`]),
  );
  return [...ids].map(([id, name]) => [name, id]);
}

function findItems(body: unknown): object[] | undefined {
  const items = Array.isArray(body)
    ? body
    : (body as { readonly items?: unknown } | undefined)?.items;
  return Array.isArray(items) ? (items as object[]) : undefined;
}
