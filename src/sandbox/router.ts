import { LIST_QUERY } from '../core/list.ts';
import { type AnyRow, type Group, Misfit } from '../core/row.ts';
import { SERVICE_CODES } from '../core/service-codes.ts';
import * as eventRows from '../resources/events/endpoints.ts';
import * as invoiceRows from '../resources/invoices/endpoints.ts';
import { eventHandlers } from './events.ts';
import { type Route, routesOf } from './handlers.ts';
import { invoiceHandlers } from './invoices.ts';
import type { Limiter } from './limiter.ts';
import { type FilterLimit, readListQuery } from './lists.ts';
import { BareStatus, envelopeOf, invalidData, Refusal } from './refusals.ts';
import type { Key, World } from './world.ts';

/** A request as it reaches the service. */
export interface Incoming {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** Where it comes from; limits are counted by it. */
  readonly address: string;
}

/** An answer before it becomes a `Response`. */
export interface Outgoing {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** What a path leads to. */
export interface Destination {
  readonly route: Route | undefined;
  readonly where: Readonly<Record<string, string>>;
  readonly group: Group;
}

export interface Service {
  find(method: string, path: string): Destination;
  /** Answers one request; everything happens before it returns. */
  serve(incoming: Incoming, destination: Destination): Outgoing;
}

export function createService(world: World, limiter: Limiter, filterLimit: FilterLimit): Service {
  const routes = allRoutes();

  function reply(incoming: Incoming, destination: Destination): Outgoing {
    const { method, url } = incoming;
    const line = `${method} ${url.pathname}${url.search} HTTP/1.1`;
    if (line.length > filterLimit.requestLine) throw new BareStatus(414);
    const { route, where } = destination;
    if (!route) throw new BareStatus(404);
    const key = keyOf(world, incoming.headers);
    if (key.scopes && !key.scopes.has(route.row.scope)) throw new Refusal('FORBIDDEN');
    const asked = { account: key.account, where: { ...where, ...queryOf(route.row, url, filterLimit) }, draft: draftOf(route.row, incoming) };
    const { status = route.row.statuses[0]!, body } = route.handle(world, asked);
    return json(status, body);
  }

  return {
    find: (method, path) => destinationOf(routes, method, path),
    serve(incoming, destination) {
      const traceId = world.random.uuid('trace', world.random.next('trace')).replaceAll('-', '');
      const blocked = limiter.admit(incoming.address, destination.group);
      const answer = blocked > 0 ? refused(new Refusal('RATE_LIMIT_EXCEEDED'), traceId) : attempt(() => reply(incoming, destination), traceId);
      if (blocked > 0) answer.headers['retry-after'] = `${Math.ceil(blocked / 1_000)}`;
      answer.headers['date'] = new Date(world.clock.now()).toUTCString();
      return answer;
    },
  };
}

/** Every noun of the sandbox; paths without parameters come first. */
function allRoutes(): readonly Route[] {
  const routes = [...routesOf(invoiceRows, invoiceHandlers), ...routesOf(eventRows, eventHandlers)];
  const wildness = (route: Route): number => route.segments.filter(isParameter).length;
  return routes.sort((a, b) => wildness(a) - wildness(b));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

function destinationOf(routes: readonly Route[], method: string, path: string): Destination {
  const segments = path.replace(/\/$/, '').split('/').slice(1).map(decoded);
  for (const route of routes) {
    const where = route.row.method === method ? match(route.segments, segments) : undefined;
    if (where) return { route, where, group: route.row.group };
  }
  return { route: undefined, where: {}, group: 'others' };
}

function match(pattern: readonly string[], segments: readonly (string | undefined)[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const where: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index];
    if (segment === undefined || segment === '') return undefined;
    if (isParameter(expected)) where[expected.slice(1, -1)] = segment;
    else if (segment !== expected) return undefined;
  }
  return where;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function keyOf(world: World, headers: Headers): Key {
  const [, text = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const key = world.keys.get(text);
  if (!key) throw new Refusal('UNAUTHORIZED');
  return key;
}

function queryOf(row: AnyRow, url: URL, { comparisons }: FilterLimit): Readonly<Record<string, unknown>> {
  if (row.query === LIST_QUERY) return { ...readListQuery(url.searchParams, comparisons) };
  const where: Record<string, unknown> = {};
  for (const [member, name] of Object.entries(row.query ?? {})) {
    const text = url.searchParams.get(name);
    if (text !== null && text !== 'false') where[member] = text === 'true' ? true : text;
  }
  return where;
}

function draftOf(row: AnyRow, { headers, body }: Incoming): unknown {
  if (!row.input) return undefined;
  if (body && !/^application\/json *(;|$)/i.test(headers.get('content-type') ?? '')) throw new BareStatus(415);
  try {
    return row.input.read(body ? parse(body) : {});
  } catch (thrown) {
    throw thrown instanceof Misfit ? invalidData(thrown.breaches) : thrown;
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw invalidData([{ field: 'body', code: 'INVALID_DATA', advice: 'is not JSON' }]);
  }
}

function attempt(act: () => Outgoing, traceId: string): Outgoing {
  try {
    return act();
  } catch (thrown) {
    if (thrown instanceof BareStatus) return { status: thrown.status, headers: {}, body: null };
    if (thrown instanceof Refusal) return refused(thrown, traceId);
    throw thrown;
  }
}

function refused(refusal: Refusal, traceId: string): Outgoing {
  const status = SERVICE_CODES[refusal.code];
  return json(status, envelopeOf(refusal, traceId, status));
}

export function json(status: number, body: unknown): Outgoing {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(body) };
}
