import {
  badInput,
  type ValidationCode,
  validationErrorOf,
  type Violation,
} from '../core/errors/index.ts';
import { type Connection, internals } from '../core/http/index.ts';
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
import type { ResourceName, ResourceValues } from '../resources/any-resource.ts';
import { checkName } from './invalidate.ts';
import { tellProvided } from './told.ts';

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
 * too, so that a page begins as its server has rendered it; of such values the last hundred are kept.
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
  tellProvided(client, resource, type.idOf(read), read, asOf);
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
