import { parameterOf, type ResourceRoute } from '../resources/handlers.ts';

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
