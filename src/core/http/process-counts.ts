import type { Clock } from '../time/index.ts';
import { type Connection, internals } from './connection.ts';
import { newRateLog, type RateLog } from './rate-log.ts';

/** A block of a bucket by the wall clock, which goes on while a machine sleeps. */
interface WallBlock {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** One read may find out whether the block is over from then on; monotonic. */
  probeAt: number;
}

/** What the clients of a process that send from one address count together. */
export interface ProcessCounts {
  /** All requests by bucket, and those that nobody waits for by bucket and priority. */
  readonly logs: Map<string, RateLog>;
  readonly blocks: Map<string, WallBlock>;
  readonly listeners: Set<() => void>;
  /** How many hubs poll. */
  hubs: number;
}

type ByOrigin = Map<string, ProcessCounts>;

/** By what sends and by the clock: one service and one time. */
const known: WeakMap<object, WeakMap<Clock, ByOrigin>> = /* @__PURE__ */ new WeakMap();

/**
 * What this client counts together with all clients of the process that have the same origin, the
 * same `fetch` and the same clock: the service limits the address that they share.
 */
export function processCountsOf(connection: Connection): ProcessCounts {
  const { clock, sender } = connection[internals];
  const byClock = entryOf(known, sender, () => new WeakMap<Clock, ByOrigin>());
  const byOrigin = entryOf(byClock, clock, (): ByOrigin => new Map());
  return entryOf(byOrigin, originOf(connection), newCounts);
}

function newCounts(): ProcessCounts {
  return { logs: new Map(), blocks: new Map(), listeners: new Set(), hubs: 0 };
}

/** The origin; empty where the address is a path and there is no page, so that nothing is sent. */
function originOf(connection: Connection): string {
  try {
    return new URL(connection[internals].baseUrl()).origin;
  } catch {
    return '';
  }
}

interface Keyed<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

function entryOf<Key, Value>(map: Keyed<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** The log of this name, which is made on first use. */
export function logIn(logs: Map<string, RateLog>, name: string): RateLog {
  return entryOf(logs, name, newRateLog);
}
