import type { Bucket } from '../../core/http/index.ts';
import { parameterOf, type ResourceRoute } from '../resources/repository.ts';
import { routes } from '../resources/routes.ts';
import { idFrom } from '../world/randomness.ts';

/** What a path leads to. */
export interface RouteMatch {
  readonly route: ResourceRoute | undefined;
  readonly where: Readonly<Record<string, string>>;
  readonly bucket: Bucket;
}

/** The routes of all resources; paths without parameters come first. */
export function allRoutes(): readonly ResourceRoute[] {
  const wildness = ({ segments }: ResourceRoute): number => segments.filter(isParameter).length;
  return [...routes].sort((a, b) => wildness(a) - wildness(b));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

/** Makes what finds the route of a request among those with as many segments. */
export function finderOf(
  routes: readonly ResourceRoute[],
): (method: string, path: string) => RouteMatch {
  const byShape = new Map<string, ResourceRoute[]>();
  for (const route of routes) {
    const shape = `${route.row.method} ${route.segments.length}`;
    byShape.set(shape, [...(byShape.get(shape) ?? []), route]);
  }
  return (method, path) => {
    const segments = path.replace(/\/$/, '').split('/').slice(1).map(decodeSegment);
    return destinationOf(byShape.get(`${method} ${segments.length}`) ?? [], segments);
  };
}

function destinationOf(
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
 * Makes what says where a created resource is read: the address of its `get`. What has no such
 * address, as the quote of an invoice, is identified by that of the request (RFC 9110 section
 * 15.3.2).
 */
export function createLocations(
  routes: readonly ResourceRoute[],
): (path: string, created: ResourceRoute, body: unknown) => string {
  const finders = new Map(
    routes.flatMap((route) => {
      const [resource, verb] = route.row.operation.split('.');
      return verb === 'get' ? [[resource, route] as const] : [];
    }),
  );
  return (path, { row }, body) => {
    const finder = finders.get(row.operation.split('.')[0]);
    const id = finder && ((body as Json)[parameterOf(finder)] ?? (body as Json)['id']);
    return id === undefined ? path : `/${finder!.segments.slice(0, -1).join('/')}/${String(id)}`;
  };
}

/** What is made by the first call, and the same for all later ones. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The scopes that some operation needs, in the order of the alphabet. */
export const everyScope: () => readonly string[] = /* @__PURE__ */ once(() =>
  [...new Set(allRoutes().map(({ row }) => row.scope))].sort(),
);
