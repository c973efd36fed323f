import { ValidationError, type Violation } from '../../core/errors/index.ts';
import type { AnyEndpoint, Bucket, RateLimits, SchemaStructure } from '../../core/http/index.ts';
import { readAssumption } from '../provenance/alternatives.ts';
import type { ListAssumptions, ReadOptions } from '../query/lists.ts';
import { checkNames, LISTS, readParameters } from '../query/odata.ts';
import { readInvoice } from '../resources/destinations.ts';
import { findParameter, type ResourceRoute } from '../resources/repository.ts';
import { routes } from '../resources/routes.ts';
import { idFrom, isId, type Key, type World } from '../world/world.ts';
import { invalidData, ServiceRefusal, wrongValue } from '../world/responses.ts';

export interface RouteMatch {
  readonly route: ResourceRoute | undefined;
  readonly where: Readonly<Record<string, string>>;
  readonly bucket: Bucket;
}

/**
 * Returns the routes for all endpoints. Paths without parameters come first, so they match first.
 */
export function allRoutes(): readonly ResourceRoute[] {
  const wildness = ({ segments }: ResourceRoute): number => segments.filter(isParameter).length;
  return [...routes].sort((a, b) => wildness(a) - wildness(b));
}

export function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

export function makeFinder(
  routes: readonly ResourceRoute[],
): (method: string, path: string) => RouteMatch {
  const byShape = new Map<string, ResourceRoute[]>();
  for (const route of routes) {
    const shape = `${route.row.method} ${route.segments.length}`;
    byShape.set(shape, [...(byShape.get(shape) ?? []), route]);
  }
  return (method, path) => {
    const segments = path.replace(/\/$/, '').split('/').slice(1).map(decodeSegment);
    return findDestination(byShape.get(`${method} ${segments.length}`) ?? [], segments);
  };
}

function findDestination(
  routes: readonly ResourceRoute[],
  segments: readonly (string | undefined)[],
): RouteMatch {
  for (const route of routes) {
    const where = match(route.segments, segments);
    if (where) return { route, where, bucket: route.row.bucket };
  }
  return { route: undefined, where: {}, bucket: 'others' };
}

function match(
  pattern: readonly string[],
  segments: readonly (string | undefined)[],
): Record<string, string> | undefined {
  const where: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index];
    if (segment === undefined || segment === '') return undefined;
    if (isParameter(expected))
      where[expected.slice(1, -1)] = expected.endsWith('Id}') ? idFrom(segment) : segment;
    else if (segment !== expected) return undefined;
  }
  return where;
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Returns a function that finds a new resource's URL for the `location` header. It's the URL of the
 * `get` endpoint, except for invoice quotes, whose URL isn't documented.
 */
export function createLocations(
  routes: readonly ResourceRoute[],
): (origin: string, created: ResourceRoute, body: unknown) => string {
  const finders = new Map(
    routes.flatMap((route) => {
      const [resource, verb] = route.row.operation.split('.');
      return verb === 'get' ? [[resource, route] as const] : [];
    }),
  );
  return (origin, { row }, body) => {
    const { quoteId, ...shown } = body as Json;
    if (quoteId !== undefined) return `${origin}/v1/quotes/${String(quoteId)}`;
    const finder = finders.get(row.operation.split('.')[0])!;
    const id = shown[findParameter(finder)] ?? shown['id'];
    return [origin, ...finder.segments.slice(0, -1), String(id)].join('/');
  };
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns the scopes of all endpoints in alphabetical order. */
export const everyScope: () => readonly string[] = /* @__PURE__ */ once(() =>
  [...new Set(allRoutes().map(({ row }) => row.scope))].sort(),
);

interface Meter {
  sent: number[];
  start: number;
  blockedUntil: number;
}

export class Limiter {
  readonly #world: World;
  readonly #limits: RateLimits;
  readonly #meters = new Map<string, Meter>();
  blocks = 0;

  constructor(world: World, limits: RateLimits) {
    this.#world = world;
    this.#limits = limits;
  }

  /**
   * Counts a request toward the rate limit. Returns 0, or how long the address is blocked in
   * milliseconds. The request that exceeds the limit starts the block.
   */
  admit(address: string, group: Bucket): number {
    const { limit, window, block } = this.#limits[group];
    const now = this.#world.clock.monotonic();
    const meter = this.#meter(address, group);
    if (now < meter.blockedUntil) {
      if (readAssumption(this.#world, 'limits.fixed') === 'extended')
        meter.blockedUntil = now + block;
      return meter.blockedUntil - now;
    }
    forget(meter, now - window);
    if (meter.sent.length - meter.start >= limit) {
      this.blocks++;
      meter.blockedUntil = now + block;
      return block;
    }
    meter.sent.push(now);
    return 0;
  }

  noteRefusal(address: string, group: Bucket): void {
    if (readAssumption(this.#world, 'limits.refused') === 'free')
      this.#meter(address, group).sent.pop();
  }

  #meter(address: string, group: Bucket): Meter {
    const key = `${group} ${address}`;
    const meter = this.#meters.get(key) ?? { sent: [], start: 0, blockedUntil: -Infinity };
    this.#meters.set(key, meter);
    return meter;
  }
}

/**
 * Drops requests from before the window. Only copies the list when at least half of it is outdated.
 */
function forget(meter: Meter, before: number): void {
  while (meter.start < meter.sent.length && meter.sent[meter.start]! <= before) meter.start++;
  if (meter.start * 2 <= meter.sent.length) return;
  meter.sent = meter.sent.slice(meter.start);
  meter.start = 0;
}

/** A request that has reached the service. */
export interface IncomingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** Source IP address. Rate limits apply per IP address. */
  readonly address: string;
  readonly readOptions?: ReadOptions | undefined;
}

export function requireKey(world: World, headers: Headers): Key {
  const key = findKey(world, headers);
  if (!key || key.isRevoked || world.clock.now() >= (key.until ?? Infinity))
    throw new ServiceRefusal('UNAUTHORIZED');
  return key;
}

/**
 * Returns a request's API key or access token, even if it's revoked or expired. Returns `undefined`
 * if it's unknown.
 */
export function findKey(world: World, headers: Headers): Key | undefined {
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  return world.keys.get(text);
}

/** Rejects a payment id that isn't a UUID, as seen in recordings of the service. */
export function requireId(
  world: World,
  row: AnyEndpoint,
  { paymentId }: RouteMatch['where'],
): void {
  if (row.operation !== 'payments.get' || isId(paymentId!)) return;
  if (readAssumption(world, 'payments.id') === 'not-found') return;
  const issue = { code: 'INVALID_DATA', message: 'is not valid.' };
  throw new ServiceRefusal('INVALID_DATA', undefined, {
    validationErrors: { paymentId: [issue] },
    behaviour: 'payments.id',
  });
}

export function parseQuery(
  world: World,
  row: AnyEndpoint,
  url: URL,
  comparisons: number,
): Readonly<Record<string, unknown>> {
  const list = row.method === 'GET' ? LISTS[row.path] : undefined;
  if (list) {
    const rules = chooseListRules(world, row.path);
    const isLenient = readAssumption(world, 'lists.bounds') !== 'refused';
    const read = readParameters(list, url.searchParams, isLenient);
    return { ...read, rules, maxComparisons: comparisons };
  }
  if (row.method === 'GET') checkNames(Object.values(row.query ?? {}), url.searchParams);
  return Object.fromEntries(
    Object.entries(row.query ?? {}).map(([member, name]) => [
      member,
      flag(name, url.searchParams.get(name)),
    ]),
  );
}

const USUAL_PAGES = { 20: 20, 50: 50, 100: 100 } as const;

/**
 * Returns the assumptions for a list. The API description documents the count for events, so that
 * isn't an assumption.
 */
function chooseListRules(world: World, path: string): ListAssumptions {
  const isEvents = path === '/v1/events';
  return {
    usualPage: USUAL_PAGES[readAssumption(world, 'lists.page')],
    most: readAssumption(world, 'lists.bounds') === 'fifty' ? 50 : 100,
    isCounted: isEvents || readAssumption(world, 'lists.count') === 'exact',
    isAnyCase: readAssumption(world, 'filters.texts') === 'any-case',
  };
}

/** Parses a boolean parameter. All other parameters belong to lists. */
function flag(field: string, text: string | null): true | undefined {
  if (text === 'true') return true;
  if (text === null || text === 'false') return undefined;
  throw invalidData([wrongValue(field, 'must be true or false')]);
}

export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key');
  if (key === null) return undefined;
  if (isId(key)) return idFrom(key);
  throw invalidData([wrongValue('idempotency-key', 'must be a UUID')]);
}

const NOT_JSON = { field: 'body', code: 'INVALID_DATA', advice: 'must be application/json' };

export function parseDraft(row: AnyEndpoint, { headers, body }: IncomingRequest): unknown {
  if (!row.input) return undefined;
  if (body && !/^application\/json *(;|$)/i.test(headers.get('content-type') ?? ''))
    throw invalidData([NOT_JSON], { behaviour: 'bodies.type' });
  const sent = body ? parse(body) : {};
  try {
    return withUnknown(row.input.read(keepKnown(row.input.schema, sent)), sent);
  } catch (thrown) {
    if (!(thrown instanceof ValidationError)) throw thrown;
    if (thrown.violations.every(isMissingAmount)) requireReadable(sent);
    throw invalidData(thrown.violations);
  }
}

function isMissingAmount({ field, code }: Violation): boolean {
  return field === 'amount' && code === 'INVALID_DATA_REQUIRED';
}

/**
 * Throws if the BOLT11 invoice is invalid, because that error is more useful than one about a
 * missing amount.
 */
function requireReadable(sent: unknown): void {
  if (isObject(sent) && typeof sent['lnInvoice'] === 'string') readInvoice(sent['lnInvoice']);
}

/** Removes unknown fields, which the schema would reject. */
function keepKnown(schema: SchemaStructure | undefined, value: unknown): unknown {
  if (schema?.wrapped) return keepKnown(schema.wrapped, value);
  if (schema?.item && Array.isArray(value))
    return value.map((item) => keepKnown(schema.item, item));
  if (!schema?.entries || !isObject(value)) return value;
  const { entries } = schema;
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(entries, name));
  return Object.fromEntries(
    known.map(([name, member]) => [name, keepKnown(entries[name], member)]),
  );
}

/**
 * Restores the removed fields after validation, because the service ignores unknown fields instead
 * of rejecting them.
 */
function withUnknown(read: unknown, sent: unknown): unknown {
  if (read === sent) return read;
  if (Array.isArray(read) && Array.isArray(sent))
    return read.map((item, at) => withUnknown(item, sent[at]));
  if (!isObject(read) || !isObject(sent)) return read;
  const all: [string, unknown][] = Object.entries(sent).map(([name, member]) => [
    name,
    Object.hasOwn(read, name) ? withUnknown(read[name], member) : member,
  ]);
  return Object.fromEntries(
    all.filter(([name]) => !['__proto__', 'constructor', 'prototype'].includes(name)),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw invalidData([{ field: 'body', code: 'INVALID_DATA', advice: 'is not JSON' }], {
      behaviour: 'bodies.json',
    });
  }
}
