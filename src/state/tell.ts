import {
  badInput,
  type ValidationCode,
  validationErrorOf,
  type Violation,
} from '../core/errors/index.ts';
import { type Connection, internals, tellListeners } from '../core/http/index.ts';
import type { ResourceName, ResourceValues } from '../resources/any-resource.ts';
import { resource as balances } from '../resources/balances.ts';
import { resource as bankPaymentMethod } from '../resources/bank-payment-methods.ts';
import { resource as currencyExchangeQuote } from '../resources/currency-exchange-quotes.ts';
import { resource as deposit } from '../resources/deposits.ts';
import { resource as invoice } from '../resources/invoices.ts';
import { resource as payment } from '../resources/payments.ts';
import { resource as payoutOriginator } from '../resources/payout-originators.ts';
import { resource as payout } from '../resources/payouts.ts';
import { resource as rates } from '../resources/rates.ts';
import { resource as receiveRequest } from '../resources/receive-requests.ts';
import type { Watchable } from '../resources/resource.ts';
import { knownOf } from './known.ts';
import type { PushedQuote } from './sources/relay.ts';
import { hubOf } from './watch-one.ts';

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
function checkName(resource: string): void {
  if (!Object.hasOwn(NAMES, resource))
    throw badInput('resource', `must be one of ${Object.keys(NAMES).join(', ')}`);
}

const RESOURCES: { readonly [Name in ResourceName]: Watchable<ResourceValues[Name]> } = {
  balances,
  bankPaymentMethod,
  currencyExchangeQuote,
  deposit,
  invoice,
  payment,
  payout,
  payoutOriginator,
  rates,
  receiveRequest,
};

/**
 * Hands a value that was read elsewhere, such as by your own server, to the watches of its resource.
 * They show it as `stale` where it is newer than what they have, and read it at once: only a read
 * makes it `live`, or ends a watch because it is settled. Without a listener they show it as `stale`
 * for five minutes, so that a page begins as its server has rendered it.
 *
 * @param value the whole resource, as the service gives it
 * @param options `asOf`: when it was read, milliseconds since 1970; a time in the future counts as now
 * @throws InputError for an unknown name, for an `asOf` that is no time, or for a value that is not
 * what the resource is: it names the member
 * @example
 * provide(client, 'invoice', invoice, { asOf: Date.now() - 500 });
 */
export function provide<Name extends ResourceName>(
  client: Connection,
  resource: Name,
  value: ResourceValues[Name],
  options: { readonly asOf: number },
): void {
  checkName(resource);
  if (!Number.isFinite(options?.asOf)) throw badInput('asOf', 'must be milliseconds since 1970');
  const type: Watchable<ResourceValues[Name]> = RESOURCES[resource];
  const read = readProvided(type, value);
  const asOf = Math.min(options.asOf, client[internals].clock.now());
  const id = type.idOf(read);
  if (!hubOf(client).hub?.provide(resource, id, read, asOf))
    knownOf(client).provide(type, id, read, asOf);
}

/** The value as its schema reads it. */
function readProvided<T extends object>({ watch }: Watchable<T>, value: T): T {
  try {
    watch.shape.read(value);
    return value;
  } catch (thrown) {
    const [{ field, advice, code }] = validationErrorOf(thrown).violations as [Violation];
    const path = field === 'body' ? 'value' : `value.${field}`;
    throw badInput(path, advice, { validation: code as ValidationCode });
  }
}

/** Tells the watches of a resource, and those who follow it without one, that it may have changed. */
export function tellChange(client: Connection, resource: string, id: string): void {
  const { hub } = hubOf(client);
  if (hub) hub.invalidate('invalidated', resource, id);
  else knownOf(client).announce(resource, id);
  tellListeners(client, id);
}

/** The code that the relay has pushed for this invoice last, as it came. */
export function pushedQuote(client: Connection, invoiceId: string): PushedQuote | undefined {
  return hubOf(client).hub?.quoteOf(invoiceId);
}

/** Hands a value that this client read as of then to its watches, or keeps it for those to come. */
export function tellRead<T>(
  client: Connection,
  type: Watchable<T>,
  id: string,
  value: T,
  asOf: number,
): void {
  if (!hubOf(client).hub?.applyRead(type.name, id, value, asOf))
    knownOf(client).applyRead(type, id, value, asOf);
}
