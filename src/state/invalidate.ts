import { badInput } from '../core/errors/index.ts';
import type { Connection } from '../core/http/index.ts';
import { RESOURCE_NAMES, type ResourceName } from './resource-name.ts';
import { hubOf } from './watch-one.ts';

/** Resources of which a client has one. */
type Single = 'balances' | 'rates';

/**
 * Says that a resource may have changed: its watches read it soon. Nothing is sent where it is not watched.
 *
 * @param id none for `balances` and `rates`
 * @throws InputError for a name that is none, or where an id is missing
 * @example
 * invalidate(client, 'invoice', invoiceId);
 * invalidate(client, 'balances');
 */
export function invalidate(client: Connection, resource: Single): void;
export function invalidate(
  client: Connection,
  resource: Exclude<ResourceName, Single>,
  id: string,
): void;
export function invalidate(client: Connection, resource: ResourceName, id?: string): void {
  checkName(resource);
  const isSingle = resource === 'balances' || resource === 'rates';
  if (!isSingle && !id) throw badInput('id', `must be the id of a ${resource}`);
  hubOf(client).hub?.changed(resource, isSingle ? 'all' : id!, 'invalidated');
}

/** Refuses a word that names no resource. */
export function checkName(resource: string): void {
  if (!(RESOURCE_NAMES as readonly string[]).includes(resource))
    throw badInput('resource', `must be one of ${RESOURCE_NAMES.join(', ')}`);
}
