import type { ServiceEvent } from '../../resources/events.ts';
import { findParameter, readQuietly, type ResourceRoute } from '../resources/repository.ts';
import { allRoutes, once } from '../service/incoming.ts';
import { quoteStore, showQuote } from '../resources/invoice-store.ts';
import { type Movable, stateOfSubject } from '../resources/moves.ts';
import { onEvent } from '../resources/events.ts';
import { type Account, requireAccount, type World } from '../world/world.ts';

/**
 * The lists of an account, by the service's word for them, such as `invoices` or
 * `payment-methods/bank`; the newest first. `account` is how it was set up, `api-keys` are its
 * keys, the oldest first, each with `apiKey`, `scopes` (absent: all) and `isRevoked`.
 */
export type Inspection = Readonly<Record<string, readonly object[]>>;

const MOST = 50;
/** Rates belong to no account. */
const LIST = /^\/v1\/((?!rates\/)[a-z/-]+)$/;
const ONE = /^\/v1\/([a-z/-]+)\/\{\w+\}$/;

/** All lists, and all that is found by its id; the same in every sandbox. */
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
 * Makes the function behind `Sandbox.inspect`: it reads all lists that need no parameter, and what
 * only events name. It makes no request: nothing is counted, drawn or logged.
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

/** The world behind each inspector. */
const worlds = new WeakMap<object, World>();

/** An event at the moment at which it happens. */
export interface HappenedEvent {
  readonly id: string;
  /** Clock time, milliseconds since 1970. */
  readonly at: number;
  /** Handle of the account whose event it is. */
  readonly account: string;
  readonly eventType: string;
  readonly entityId: string;
  /** Id of the receipt, for a receive request. */
  readonly receiveId?: string | undefined;
  /** In which state a subject is now; absent where nothing has this id. */
  stateOf(subject: Movable, id: string): string | undefined;
}

/** Calls `listener` after each event of the sandbox that has this inspector. */
export function followEvents(
  inspect: (handle?: string) => Inspection,
  listener: (event: HappenedEvent) => void,
): void {
  const world = worlds.get(inspect);
  if (!world) throw new Error('no sandbox has this inspector');
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

/** The tokens of the login server, which end by themselves, are no API keys. */
function listKeys({ keys }: World, account: Account): object[] {
  return [...keys].flatMap(([apiKey, { account: owner, scopes, isRevoked = false, until }]) =>
    owner === account && !until ? [{ apiKey, scopes: scopes && [...scopes], isRevoked }] : [],
  );
}

/** The entities that events name, each once: the path of its resource, and its id. */
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
