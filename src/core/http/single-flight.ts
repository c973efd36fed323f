import type { CallResult } from './call.ts';
import { type Connection, type Settings, stateOf } from './connection.ts';

/** A read under way, and how many calls wait for it. */
interface Flight {
  readonly settings: Settings;
  readonly result: Promise<CallResult<unknown>>;
  readonly over: AbortController;
  waiting: number;
}

/** Shares one read of `url` among all calls for it while it is under way; it ends early when the last of them is aborted. */
export async function singleFlight<T>(
  connection: Connection,
  url: string,
  signal: AbortSignal | undefined,
  begin: (signal: AbortSignal) => Promise<CallResult<T>>,
): Promise<CallResult<T>> {
  const flights = stateOf(connection, 'core.reads', () => new Map<string, Flight>());
  const end = () => void (flights.get(url) === own && flights.delete(url));
  let own = flights.get(url)!;
  if (own?.settings !== connection.settings) {
    const over = new AbortController();
    own = {
      settings: connection.settings,
      over,
      waiting: 0,
      result: begin(over.signal).finally(end),
    };
    flights.set(url, own);
  }
  own.waiting++;
  let give = () => {};
  const given = new Promise<never>((_, reject) => void (give = () => reject(signal!.reason)));
  signal?.addEventListener('abort', give);
  if (signal?.aborted) give();
  try {
    return (await Promise.race([given, own.result])) as CallResult<T>;
  } finally {
    signal?.removeEventListener('abort', give);
    if (--own.waiting === 0) {
      end();
      own.over.abort();
    }
  }
}
