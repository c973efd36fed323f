import type { CallResult } from './call.ts';
import { onAbort } from '../time/index.ts';
import { type Connection, internals, type Settings, stateOf } from './connection.ts';

/** A read under way and how many wait for it. */
interface Flight {
  readonly settings: Settings;
  readonly result: Promise<CallResult<unknown>>;
  readonly abort: () => void;
  waiting: number;
}

/**
 * Shares one read of `url` among all who ask while it is under way; it ends early when the last of
 * them gives up.
 */
export async function singleFlight<T>(
  connection: Connection,
  url: string,
  signal: AbortSignal | undefined,
  begin: (signal: AbortSignal) => Promise<CallResult<T>>,
): Promise<CallResult<T>> {
  const { settings } = connection[internals];
  const flights = stateOf(connection, 'core.reads', () => new Map<string, Flight>());
  const end = () => void (flights.get(url) === flight && flights.delete(url));
  let flight = flights.get(url)!;
  if (flight?.settings !== settings) {
    const ended = new AbortController();
    const result = begin(ended.signal).finally(end);
    flight = { settings, result, abort: () => ended.abort(), waiting: 0 };
    flights.set(url, flight);
  }
  flight.waiting++;
  let give = () => {};
  const given = new Promise<never>((_, reject) => void (give = () => reject(signal!.reason)));
  const unlisten = onAbort(signal, give);
  if (signal?.aborted) give();
  try {
    return (await Promise.race([given, flight.result])) as CallResult<T>;
  } finally {
    unlisten();
    if (--flight.waiting === 0) {
      end();
      flight.abort();
    }
  }
}
