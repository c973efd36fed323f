import { type CallOptions, type Connection, send, withPriority } from '../core/http/index.ts';
import { anyOf } from '../core/lists/index.ts';
import type { ListRules } from '../resources/resource.ts';
import { PAGE } from '../resources/service-facts.ts';
import { GatheredReads, OwnTurns, PLACE_WAIT } from './gathered-reads.ts';
import { type HandledResource, type HandledValue, RESOURCES } from './resources.ts';

/** Part of the rate limit that reads for events may take. */
export const EVENT_READS: number = 1 / 2;

type ReadResource = (resource: HandledResource, id: string) => Promise<HandledValue | undefined>;

/** How an inbox reads: what can be read by a list is gathered. */
export function resourceReads(connection: Connection): ReadResource {
  const client = withPriority(connection, 'normal');
  const options = { reason: 'an event', queueTimeout: PLACE_WAIT };
  const gathered = new Map<HandledResource, GatheredReads<HandledValue | undefined>>();
  const gather = (resource: HandledResource, rules: ListRules<HandledValue>) => {
    const { read, idOf } = RESOURCES[resource];
    const reads = {
      one: (id: string) => read(client, id, options),
      many: (ids: readonly string[]) => readMany(client, rules, idOf, ids),
    };
    const made = new GatheredReads(client, reads, new OwnTurns(client, EVENT_READS, 'normal'));
    gathered.set(resource, made);
    return made;
  };
  return (resource, id) => {
    const { read, list } = RESOURCES[resource];
    if (!list) return read(client, id, options);
    return (gathered.get(resource) ?? gather(resource, list)).read(id);
  };
}

/** Reads many for their events by one list: by id those that it holds. */
export async function readMany<Value>(
  client: Connection,
  { endpoint, id }: ListRules<Value>,
  idOf: (value: Value) => string,
  ids: readonly string[],
  occasion: string = 'events',
): Promise<ReadonlyMap<string, Value>> {
  const where = { filter: anyOf(id, ids), top: PAGE };
  const reason = `${occasion} of ${ids.length}, in one list`;
  const options: CallOptions = { reason, queueTimeout: PLACE_WAIT };
  const { items } = await send(client, endpoint, { where }, options);
  return new Map(items.map((value) => [idOf(value), value]));
}
