import { type Connection, tellListeners } from '../core/http/index.ts';
import { keyOf } from './entries/entries.ts';
import { agingClockOf } from './plan/aging-clock.ts';
import type { PushedQuote } from './sources/relay.ts';
import { keepRecent } from './recent.ts';
import { hubOf } from './watch-one.ts';

/** Values that are kept without a watch: a rendered page, not a store. */
const MAX_PROVIDED = 100;

/** Tells the watches of a resource, and those who follow it without one, that it may have changed. */
export function tellChange(client: Connection, resource: string, id: string): void {
  const { hub, recent } = hubOf(client);
  if (hub) hub.invalidate('invalidated', resource, id);
  else keepRecent(recent, keyOf(resource, id), agingClockOf(client).monotonic());
  tellListeners(client, id);
}

/** The code that the relay has pushed for this invoice last, as it came. */
export function pushedQuote(client: Connection, invoiceId: string): PushedQuote | undefined {
  return hubOf(client).hub?.quoteOf(invoiceId);
}

/** Hands a value that this client read as of then to its watches, and keeps it for those to come. */
export function tellRead(
  client: Connection,
  resource: string,
  id: string,
  value: object,
  asOf: number,
): void {
  hubOf(client).hub?.applyRead(resource, id, value, asOf);
  keepProvided(client, keyOf(resource, id), value, asOf);
}

/** The same for a value from elsewhere: its watches show it as `stale`, and read it. */
export function tellProvided(
  client: Connection,
  resource: string,
  id: string,
  value: object,
  asOf: number,
): void {
  hubOf(client).hub?.provide(resource, id, value, asOf);
  keepProvided(client, keyOf(resource, id), value, asOf);
}

function keepProvided(client: Connection, key: string, value: object, asOf: number): void {
  const { provided } = hubOf(client);
  const known = provided.get(key);
  if (known && known.asOf > asOf) return;
  provided.delete(key); // the newest stand last
  provided.set(key, { value, asOf, freshness: 'stale' });
  if (provided.size > MAX_PROVIDED) provided.delete(provided.keys().next().value!);
}
