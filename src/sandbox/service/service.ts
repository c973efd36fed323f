import type { AnyEndpoint } from '../../core/http/index.ts';
import { SANDBOX_WORLD_HEADER } from '../../core/protocol.ts';
import { parseMillis } from '../../core/time.ts';
import { chooseNextState } from '../faults/rules.ts';
import { Labels, getLedger, type Settlement } from '../ledger/ledger.ts';
import { assumedTime, readAssumption } from '../provenance/alternatives.ts';
import {
  ASSUMPTION,
  AssumptionError,
  provenanceRules,
  recordQuery,
  recordUse,
} from '../provenance/recorder.ts';
import type { FilterLimits } from '../query/lists.ts';
import { badQuery } from '../query/odata.ts';
import { onEvent } from '../resources/events.ts';
import {
  type HandlerRequest,
  findParameter,
  readQuietly,
  type ResourceRoute,
} from '../resources/repository.ts';
import { withSeventhDigit } from '../time/instants.ts';
import {
  makeEnvelope,
  jsonResponse,
  notFound,
  type OutgoingResponse,
  ServiceRefusal,
} from '../world/responses.ts';
import { type Account, isId, type World } from '../world/world.ts';
import {
  allRoutes,
  createLocations,
  parseDraft,
  makeFinder,
  readIdempotencyKey,
  isParameter,
  type IncomingRequest,
  requireKey,
  findKey,
  type Limiter,
  once,
  parseQuery,
  requireId,
  type RouteMatch,
} from './incoming.ts';
import { isNormalising, normaliseDraft, showNormalised } from './normalise.ts';

/** The login server: it shares the service's address, but not its router, keys and rate limits. */
export interface LoginResponder {
  /** True if an address is the login server's. */
  owns(url: URL): boolean;
  /** Responds to what belongs to it; absent for everything else. */
  respond(incoming: IncomingRequest): OutgoingResponse | undefined;
}

interface ServiceOptions {
  readonly filterLimits: FilterLimits;
  readonly login: LoginResponder;
  /** Id of the world that answers; absent where nobody outside of the process asks. */
  readonly worldId: string | undefined;
}

/** The same for every sandbox, made with the first one. */
const staticTables = once(() => {
  const routes = allRoutes();
  return { routes, find: makeFinder(routes), locationOf: createLocations(routes) };
});

/** The service behind its network. */
export class Service {
  readonly find: (method: string, path: string) => RouteMatch;
  readonly #world: World;
  readonly #limiter: Limiter;
  readonly #options: ServiceOptions;
  readonly #replica: Replica;
  readonly #labels: Labels;
  readonly #locationOf: ReturnType<typeof createLocations>;

  constructor(world: World, limiter: Limiter, options: ServiceOptions) {
    const { routes, find, locationOf } = staticTables();
    this.find = find;
    this.#world = world;
    this.#limiter = limiter;
    this.#options = options;
    this.#replica = new Replica(world, routes);
    this.#locationOf = locationOf;
    this.#labels = new Labels(getLedger(world).postings);
  }

  /** Handle of the account whose key it is. */
  accountOf(headers: Headers): string | undefined {
    return findKey(this.#world, headers)?.account.handle;
  }

  /** From now on former states are kept, for reads from a replica that lags. */
  keepHistory(): void {
    this.#replica.open();
  }

  /** Milliseconds by which reads lag. */
  lag(): number {
    return assumedTime(this.#world, 'reads.lag');
  }

  /** Each time that money of a command which carried this text was settled. */
  settlements(label: string): readonly Settlement[] {
    return this.#labels.settlements(label);
  }

  /** Handles one request; its whole effect happens before it returns. */
  serve(incoming: IncomingRequest, { route, where, bucket }: RouteMatch): OutgoingResponse {
    const { random, provenance, clock } = this.#world;
    const { login, worldId } = this.#options;
    const number = random.next('trace');
    // drawn for refusals only
    const traceId = (): string => random.uuid('trace', number).replaceAll('-', '');
    const isLogin = login.owns(incoming.url);
    const blockedFor = isLogin ? 0 : this.#limiter.admit(incoming.address, bucket);
    provenance.begin();
    const response = respond(
      () =>
        this.#recordProvenance(route?.row, where, () => {
          if (blockedFor > 0) throw new ServiceRefusal('RATE_LIMIT_EXCEEDED');
          return login.respond(incoming) ?? this.#handle(incoming, route, where);
        }),
      traceId,
    );
    const behaviours = provenance.end(route?.row);
    const now = clock.now();
    if (blockedFor > 0) response.headers['retry-after'] = retryAfter(this.#world, blockedFor);
    else if (!isLogin && response.status >= 400)
      this.#limiter.noteRefusal(incoming.address, bucket);
    response.headers['date'] = httpDate(now);
    if (worldId !== undefined) response.headers[SANDBOX_WORLD_HEADER] = worldId;
    return { ...response, behaviours };
  }

  #handle(
    incoming: IncomingRequest,
    route: ResourceRoute | undefined,
    where: RouteMatch['where'],
  ): OutgoingResponse {
    const { method, url, headers, readOptions } = incoming;
    const { filterLimits } = this.#options;
    const line = `${method} ${url.pathname}${url.search} HTTP/1.1`;
    if (line.length > filterLimits.requestLineBytes) throw badQuery('requests.line');
    if (!route) throw unknownRoute(this.#world, headers);
    requireService(this.#world);
    const read = (): Omit<
      HandlerRequest<Readonly<Record<string, unknown>>, unknown>,
      'account'
    > => {
      requireId(this.#world, route.row, where);
      return {
        where: {
          ...where,
          ...parseQuery(this.#world, route.row, url, filterLimits.comparisons),
          ...readOptions,
        },
        draft: parseDraft(route.row, incoming),
        idempotencyKey: keptKey(this.#world, readIdempotencyKey(headers)),
      };
    };
    const early = readAssumption(this.#world, 'requests.checks') === 'data' ? read() : undefined;
    const account = this.#authorise(headers, route);
    const asked = { account, ...(early ?? read()) };
    if (method === 'GET') recordQuery(this.#world, route.row, url.searchParams);
    const isNormalised = isNormalising(this.#world);
    const kept = isNormalised ? { ...asked, draft: normaliseDraft(asked.draft) } : asked;
    const { status = route.row.statuses[0]!, body } = route.handle(this.#world, kept);
    if (method !== 'GET') {
      this.#labels.note([...Object.values(asked.draft ?? {}), asked.idempotencyKey], where, body);
      this.#replica.noteWrite(account, body, where);
    }
    const asOf = method === 'GET' ? readOptions?.asOf : undefined;
    const shown = asOf === undefined ? body : this.#replica.asOf(asOf, account, route, where, body);
    if (shown === undefined && !isNormalised) return { status, headers: {}, body: null };
    const exact = isCreation(route.row) ? withExactTime(shown) : shown;
    const outgoing = isNormalised
      ? this.#showNormalised(status, exact ?? { id: Object.values(where)[0] })
      : jsonResponse(status, exact);
    if (status === 201) outgoing.headers['location'] = this.#locationOf(url.origin, route, body);
    return outgoing;
  }

  #showNormalised(status: number, body: unknown): OutgoingResponse {
    recordUse(this.#world, 'responses.form');
    // a body does not go with 204
    return jsonResponse(status === 204 ? 200 : status, showNormalised(body));
  }

  /** The account of the key, where the key may do this. */
  #authorise(headers: Headers, { row }: ResourceRoute): Account {
    const { account, scopes } = requireKey(this.#world, headers);
    if (scopes && !scopes.has(row.scope)) throw new ServiceRefusal('FORBIDDEN');
    if (this.#world.clock.now() < account.readyAt) throw new ServiceRefusal('ACCOUNT_NOT_READY');
    return account;
  }

  /** Records what a response rests on, by endpoint and code, and by what a refusal itself says. */
  #recordProvenance(
    row: AnyEndpoint | undefined,
    where: RouteMatch['where'],
    act: () => OutgoingResponse,
  ): OutgoingResponse {
    const { provenance } = this.#world;
    const recordRules = (code: string): void => {
      if (row) for (const id of provenanceRules(row, code)) provenance.record(id);
    };
    try {
      const outgoing = act();
      recordRules('ok');
      return outgoing;
    } catch (thrown) {
      if (thrown instanceof ServiceRefusal) {
        if (thrown.behaviour !== undefined) provenance.record(thrown.behaviour);
        recordRules(thrown.code);
      }
      throw shownRefusal(this.#world, where, thrown);
    } finally {
      provenance.check(); // what it throws replaces the response
    }
  }
}

/** The key as the service knows it: it may ignore keys, or forget them. */
function keptKey(world: World, key: string | undefined): string | undefined {
  const kept = readAssumption(world, 'keys.kept');
  if (kept === 'ignored') return undefined;
  if (kept === 'kept' || key === undefined) return key;
  return `${key} ${Math.floor(world.clock.now() / KEY_LIFE_MS)}`;
}

const KEY_LIFE_MS = 900_000;

/** RFC 9110 section 10.2.3: whole seconds, or the date at which the block has surely ended. */
function retryAfter(world: World, blockedFor: number): string {
  return readAssumption(world, 'limits.unit') === 'date'
    ? httpDate(world.clock.now() + blockedFor + 999)
    : `${Math.ceil(blockedFor / 1_000)}`;
}

/** The refusal of a path or method that no route has, or of its credential. */
function unknownRoute(world: World, headers: Headers): ServiceRefusal {
  if (readAssumption(world, 'routes.unknown') === 'credential') requireKey(world, headers);
  return new ServiceRefusal('NOT_FOUND', undefined, { behaviour: 'routes.unknown' });
}

/**
 * The service may say that a resource of another account exists, and is not theirs; where there is
 * none it names the id of the path.
 */
function shownRefusal(world: World, where: RouteMatch['where'], thrown: unknown): unknown {
  if (!(thrown instanceof ServiceRefusal) || thrown.code !== 'NOT_FOUND') return thrown;
  const { behaviour, values } = thrown;
  if (behaviour === 'others.not-found' && readAssumption(world, 'others.not-found') === '403')
    return new ServiceRefusal('FORBIDDEN');
  const name = Object.keys(where).find((one) => one.endsWith('Id'));
  return values || name === undefined
    ? thrown
    : new ServiceRefusal('NOT_FOUND', { id: where[name] }, { behaviour });
}

function isCreation({ operation }: AnyEndpoint): boolean {
  return /\.create/.test(operation);
}

/** The response to a creation has the seventh digit of its time, which is not stored. */
function withExactTime(shown: unknown): unknown {
  const { created } = shown as { readonly created?: string };
  if (created === undefined) return shown;
  return { ...(shown as object), created: withSeventhDigit(created) };
}

const AVAILABLE = { state: 'AVAILABLE', delay: 0 };

/** Refuses everything while a state rule says that the service is away. */
function requireService(world: World): void {
  const { state } = chooseNextState(world, 'service', AVAILABLE);
  if (state !== AVAILABLE.state)
    throw new ServiceRefusal(state === 'MAINTENANCE' ? 'MAINTENANCE_MODE' : 'SERVICE_UNAVAILABLE');
}

/** Whole seconds, rounded down. */
function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Makes a response of a thrown error. */
function respond(act: () => OutgoingResponse, traceId: () => string): OutgoingResponse {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof ServiceRefusal)
      return jsonResponse(thrown.status, makeEnvelope(thrown, traceId(), thrown.status));
    // strict mode does not allow an assumption: the response names it, and what to do
    if (thrown instanceof AssumptionError)
      return jsonResponse(
        422,
        makeEnvelope({ code: ASSUMPTION, values: thrown.values }, traceId(), 422),
      );
    // the sandbox itself has failed: that is no refusal, and no broken connection either
    const envelope = makeEnvelope({ code: 'INTERNAL_SERVER_ERROR' }, traceId(), 500);
    return { ...jsonResponse(500, envelope), failure: thrown };
  }
}

/** The state of an entity from a time on. */
interface Version {
  readonly at: number;
  /** JSON; absent where the entity was not found. */
  readonly text: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Keeps former states of entities, for reads from a replica that lags. */
class Replica {
  readonly #world: World;
  /** Routes that read one entity by its id: `GET` with one parameter, at the end. */
  readonly #finders: readonly ResourceRoute[];
  readonly #versions = new Map<string, Version[]>();
  /** Ids that events have named. */
  readonly #named = new Map<Account, Set<string>>();
  #isOpen = false;

  constructor(world: World, routes: readonly ResourceRoute[]) {
    this.#world = world;
    this.#finders = routes.filter(
      ({ row, segments }) =>
        row.method === 'GET' && segments.findIndex(isParameter) === segments.length - 1,
    );
    onEvent(world, (account, { entityId }) => {
      const ids = this.#named.get(account) ?? new Set();
      this.#named.set(account, ids.add(entityId));
      if (this.#isOpen) this.#keepVersion(account, entityId, world.clock.now());
    });
  }

  /** Begins to keep states. Every entity that events have named so far is read once. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const [account, ids] of this.#named) for (const id of ids) this.#keepVersion(account, id);
  }

  /** A command has written something, perhaps without an event. */
  noteWrite(account: Account, response: unknown, where: object): void {
    if (!this.#isOpen) return;
    const ids = [...Object.values(where), ...Object.values(response ?? {})].filter(
      (value): value is string => typeof value === 'string' && isId(value),
    );
    for (const id of new Set(ids)) this.#keepVersion(account, id, this.#world.clock.now());
  }

  /**
   * The result that a read would have had at a time, given its result of now; `NOT_FOUND` where
   * there was nothing.
   */
  asOf(time: number, account: Account, route: ResourceRoute, where: Json, fresh: unknown): unknown {
    if (this.#finders.includes(route)) {
      const id = where[findParameter(route)] as string;
      const then = this.#versionAt(time, makePathKey(account, route, id), fresh);
      if (then === undefined) throw notFound();
      return then;
    }
    const finder = this.#finders.find(
      ({ segments }) => segments.slice(0, -1).join('/') === route.segments.join('/'),
    );
    const { items } = (fresh ?? {}) as { items?: readonly Json[] };
    if (!finder || !items) return fresh;
    const shown = items.map((item) => {
      const id = (item[findParameter(finder)] ?? item['id']) as string;
      return this.#versionAt(time, makePathKey(account, finder, id), item) ?? item;
    });
    return { ...(fresh as object), items: shown };
  }

  /** Reads an entity and keeps its state from `at` on; without a time, from its creation on. */
  #keepVersion(account: Account, id: string, at?: number): void {
    for (const finder of this.#finders) {
      const key = makePathKey(account, finder, id);
      const known = this.#versions.get(key);
      const body = readQuietly(this.#world, finder, account, { [findParameter(finder)]: id });
      const text = body === undefined ? undefined : JSON.stringify(body);
      const since = at ?? readCreated(body) ?? -Infinity;
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
    return known.length === 0 || (readCreated(fresh) ?? Infinity) <= time ? fresh : undefined;
  }
}

function makePathKey(account: Account, finder: ResourceRoute, id: string): string {
  return `${account.id} ${finder.row.path} ${id}`;
}

function readCreated(body: unknown): number | undefined {
  return parseMillis(String((body as { created?: unknown } | undefined)?.created));
}
