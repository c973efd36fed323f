import { type Connection, tellListeners } from '../core/http/index.ts';
import { keyOf } from './entries/entries.ts';
import type { PushedQuote } from './sources/relay.ts';
import { hubOf } from './watch-one.ts';

/** Values that are kept without a watch: a rendered page, not a store. */
const MAX_PROVIDED = 100;

/** Tells the watches of a resource, and those who follow it without one, that it may have changed. */
export function tellChange(client: Connection, resource: string, id: string): void {
  hubOf(client).hub?.invalidate('invalidated', resource, id);
  tellListeners(client, id);
}

/** The code that the relay has pushed for this invoice last, as it came. */
export function pushedQuote(client: Connection, invoiceId: string): PushedQuote | undefined {
  return hubOf(client).hub?.quoteOf(invoiceId);
}

/** Hands a value that was read as of then to its watches, and keeps it for those to come. */
export function tellValue(
  client: Connection,
  resource: string,
  id: string,
  value: object,
  asOf: number,
): void {
  const { hub, provided } = hubOf(client);
  const key = keyOf(resource, id);
  hub?.provide(resource, id, value, asOf);
  const known = provided.get(key);
  if (known && known.asOf > asOf) return;
  provided.delete(key); // the newest stand last
  provided.set(key, { value, asOf, freshness: 'stale' });
  if (provided.size > MAX_PROVIDED) provided.delete(provided.keys().next().value!);
}
