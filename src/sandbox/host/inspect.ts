import type { ServiceEvent } from '../../resources/events.ts';
import { findParameter, readQuietly, type ResourceRoute } from '../resources/repository.ts';
import { allRoutes, once } from '../service/incoming.ts';
import { quoteStore, showQuote } from '../resources/invoice-store.ts';
import { type Movable, stateOfSubject } from '../resources/moves.ts';
import { onEvent } from '../resources/events.ts';
import { type Account, requireAccount, type World } from '../world/world.ts';

/**
 * An account's lists by the service's resource names, such as `invoices` or `payment-methods/bank`,
 * newest first. `account` is how it was set up. `api-keys` are its keys, oldest first, each with
 * `apiKey`, `scopes` (absent means all) and `isRevoked`.
 */
export type Inspection = Readonly<Record<string, readonly object[]>>;

const MOST = 50;
/** Rates belong to no account. */
const LIST = /^\/v1\/((?!rates\/)[a-z/-]+)$/;
const ONE = /^\/v1\/([a-z/-]+)\/\{\w+\}$/;

/** The same in every sandbox. */
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
 * Reads all lists without parameters, and resources only named in events. Makes no request, so
 * nothing is counted, drawn or logged.
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
  /** Clock time, in milliseconds since 1970. */
  readonly at: number;
  readonly account: string;
  readonly eventType: string;
  readonly entityId: string;
  /** Id of the receipt, for a receive request. */
  readonly receiveId?: string | undefined;
  /** Returns `undefined` for an unknown id. */
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

/** Omits the login server's tokens, which expire on their own and aren't API keys. */
function listKeys({ keys }: World, account: Account): object[] {
  return [...keys].flatMap(([apiKey, { account: owner, scopes, isRevoked = false, until }]) =>
    owner === account && !until ? [{ apiKey, scopes: scopes && [...scopes], isRevoked }] : [],
  );
}

/** Returns each resource once, with its path and its id. */
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
