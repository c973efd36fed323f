import type { Group } from '../../core/row.ts';
import * as eventRows from '../../resources/events/endpoints.ts';
import * as invoiceRows from '../../resources/invoices/endpoints.ts';
import * as subscriptionRows from '../../resources/subscriptions/endpoints.ts';
import { eventHandlers } from '../nouns/events.ts';
import { type Route, routesOf } from './handlers.ts';
import { invoiceHandlers } from '../nouns/invoices.ts';
import { subscriptionHandlers } from '../nouns/subscriptions.ts';

/** What a path leads to. */
export interface Destination {
  readonly route: Route | undefined;
  readonly where: Readonly<Record<string, string>>;
  readonly group: Group;
}

/** Every noun of the sandbox; paths without parameters come first. */
export function allRoutes(): readonly Route[] {
  const routes = [
    ...routesOf(invoiceRows, invoiceHandlers),
    ...routesOf(eventRows, eventHandlers),
    ...routesOf(subscriptionRows, subscriptionHandlers),
  ];
  const wildness = (route: Route): number => route.segments.filter(isParameter).length;
  return routes.sort((a, b) => wildness(a) - wildness(b));
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{');
}

export function destinationOf(routes: readonly Route[], method: string, path: string): Destination {
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
