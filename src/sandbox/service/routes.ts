import type { Bucket } from '../../core/http/index.ts';
import type { ResourceRoute } from '../resources/handlers.ts';
import { routes } from '../resources/routes.ts';
import { idFrom } from '../world/ids.ts';

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
