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

/**
 * Handles requests to the login server. It shares the service's URL, but has its own endpoints and
 * no rate limits.
 */
export interface LoginResponder {
  owns(url: URL): boolean;
  /** Responds to requests for the login server. Returns `undefined` for all other requests. */
  respond(incoming: IncomingRequest): OutgoingResponse | undefined;
}

interface ServiceOptions {
  readonly filterLimits: FilterLimits;
  readonly login: LoginResponder;
  /**
   * Id of this sandbox, for clients in other processes. Absent if the sandbox isn't served over
   * HTTP.
   */
  readonly worldId: string | undefined;
}

/** Cached, because the routes are the same in every sandbox. */
const staticTables = once(() => {
  const routes = allRoutes();
  return { routes, find: makeFinder(routes), locationOf: createLocations(routes) };
});

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

  accountOf(headers: Headers): string | undefined {
    return findKey(this.#world, headers)?.account.handle;
  }

  /** Starts storing earlier resource states, for reads from a lagging replica. */
  keepHistory(): void {
    this.#replica.open();
  }

  /** Returns the assumed replica lag in milliseconds. */
  lag(): number {
    return assumedTime(this.#world, 'reads.lag');
  }

  settlements(label: string): readonly Settlement[] {
    return this.#labels.settlements(label);
  }

  /** Handles one request. All of its immediate effects have happened when this returns. */
  serve(incoming: IncomingRequest, { route, where, bucket }: RouteMatch): OutgoingResponse {
    const { random, provenance, clock } = this.#world;
    const { login, worldId } = this.#options;
    const number = random.next('trace');
    // only needed for errors
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
    // a 204 response can't have a body
    return jsonResponse(status === 204 ? 200 : status, showNormalised(body));
  }

  #authorise(headers: Headers, { row }: ResourceRoute): Account {
    const { account, scopes } = requireKey(this.#world, headers);
    if (scopes && !scopes.has(row.scope)) throw new ServiceRefusal('FORBIDDEN');
    if (this.#world.clock.now() < account.readyAt) throw new ServiceRefusal('ACCOUNT_NOT_READY');
    return account;
  }

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
      provenance.check(); // if this throws, its error replaces the response
    }
  }
}

/**
 * Returns the idempotency key to use. Whether the service ignores or forgets idempotency keys is an
 * assumption.
 */
function keptKey(world: World, key: string | undefined): string | undefined {
  const kept = readAssumption(world, 'keys.kept');
  if (kept === 'ignored') return undefined;
  if (kept === 'kept' || key === undefined) return key;
  return `${key} ${Math.floor(world.clock.now() / KEY_LIFE_MS)}`;
}

const KEY_LIFE_MS = 900_000;

/**
 * Returns the `retry-after` header (RFC 9110 section 10.2.3), either in whole seconds or as a date.
 * The date is rounded up, so the block has ended by then.
 */
function retryAfter(world: World, blockedFor: number): string {
  return readAssumption(world, 'limits.unit') === 'date'
    ? httpDate(world.clock.now() + blockedFor + 999)
    : `${Math.ceil(blockedFor / 1_000)}`;
}

/**
 * Returns the error for an unknown path. Whether the service checks the API key first is an
 * assumption.
 */
function unknownRoute(world: World, headers: Headers): ServiceRefusal {
  if (readAssumption(world, 'routes.unknown') === 'credential') requireKey(world, headers);
  return new ServiceRefusal('NOT_FOUND', undefined, { behaviour: 'routes.unknown' });
}

/**
 * Returns the error for a resource that wasn't found. Depending on an assumption, another account's
 * resource returns 403, which reveals that it exists. Otherwise, the error contains the id from the
 * path.
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

/**
 * Adds a seventh fractional digit to the creation time. Only the response to a create request has
 * it, because it isn't stored.
 */
function withExactTime(shown: unknown): unknown {
  const { created } = shown as { readonly created?: string };
  if (created === undefined) return shown;
  return { ...(shown as object), created: withSeventhDigit(created) };
}

const AVAILABLE = { state: 'AVAILABLE', delay: 0 };

function requireService(world: World): void {
  const { state } = chooseNextState(world, 'service', AVAILABLE);
  if (state !== AVAILABLE.state)
    throw new ServiceRefusal(state === 'MAINTENANCE' ? 'MAINTENANCE_MODE' : 'SERVICE_UNAVAILABLE');
}

function httpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

function respond(act: () => OutgoingResponse, traceId: () => string): OutgoingResponse {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof ServiceRefusal)
      return jsonResponse(thrown.status, makeEnvelope(thrown, traceId(), thrown.status));
    // the error's values name the assumption that strict mode doesn't allow
    if (thrown instanceof AssumptionError)
      return jsonResponse(
        422,
        makeEnvelope({ code: ASSUMPTION, values: thrown.values }, traceId(), 422),
      );
    // an internal sandbox error
    const envelope = makeEnvelope({ code: 'INTERNAL_SERVER_ERROR' }, traceId(), 500);
    return { ...jsonResponse(500, envelope), failure: thrown };
  }
}

interface Version {
  readonly at: number;
  /** The resource as JSON. Absent if it didn't exist. */
  readonly text: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** Stores earlier resource states, for reads from a lagging replica. */
class Replica {
  readonly #world: World;
  /** `GET` routes that read one resource by id. Their only path parameter is at the end. */
  readonly #finders: readonly ResourceRoute[];
  readonly #versions = new Map<string, Version[]>();
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

  /** Starts storing states, beginning with every resource that events have mentioned so far. */
  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    for (const [account, ids] of this.#named) for (const id of ids) this.#keepVersion(account, id);
  }

  /** Stores resource states after a write, because a write may change them without an event. */
  noteWrite(account: Account, response: unknown, where: object): void {
    if (!this.#isOpen) return;
    const ids = [...Object.values(where), ...Object.values(response ?? {})].filter(
      (value): value is string => typeof value === 'string' && isId(value),
    );
    for (const id of new Set(ids)) this.#keepVersion(account, id, this.#world.clock.now());
  }

  /**
   * Returns the result that a read would have had at an earlier time, or throws `NOT_FOUND`.
   * `fresh` is the current result.
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

  /** Stores a resource's current state, valid since `at` or since it was created. */
  #keepVersion(account: Account, id: string, at?: number): void {
    for (const finder of this.#finders) {
      const key = makePathKey(account, finder, id);
      const known = this.#versions.get(key);
      const body = readQuietly(this.#world, finder, account, { [findParameter(finder)]: id });
      const text = body === undefined ? undefined : JSON.stringify(body);
      const since = at ?? readCreated(body) ?? -Infinity;
      if (text !== known?.at(-1)?.text)
        this.#versions.set(key, [...(known ?? []), { at: since, text }]);
      if (text !== undefined) return; // each id belongs to only one resource
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
