import { badInput } from '../core/errors/index.ts';
import type { Connection } from '../core/http/index.ts';
import type { ResourceName } from '../resources/any-resource.ts';
import { tellChange } from './told.ts';

/** All names: the table compiles only while it has each resource that is watched. */
const NAMES: Readonly<Record<ResourceName, null>> = {
  invoice: null,
  payment: null,
  payout: null,
  deposit: null,
  receiveRequest: null,
  currencyExchangeQuote: null,
  bankPaymentMethod: null,
  payoutOriginator: null,
  balances: null,
  rates: null,
};

/** Resources of which a client has one. */
type Single = 'balances' | 'rates';

/**
 * Says that a resource may have changed: its watches read it soon. Nothing is sent where it is not
 * watched.
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
  if (!isSingle && !id) throw badInput('id', `must be an id: ${resource} has many`);
  tellChange(client, resource, isSingle ? 'all' : id!);
}

/** Refuses a word that names no resource. */
export function checkName(resource: string): void {
  if (!Object.hasOwn(NAMES, resource))
    throw badInput('resource', `must be one of ${Object.keys(NAMES).join(', ')}`);
}
