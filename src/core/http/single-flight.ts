import type { CallResult } from './call.ts';
import { type Connection, internals, type Settings, stateOf } from './connection.ts';

/** A read under way and how many wait for it. */
interface Ride {
  readonly settings: Settings;
  readonly answered: Promise<CallResult<unknown>>;
  readonly over: AbortController;
  waiting: number;
}

/** Shares one read of `url` among all who ask while it is under way; it ends early when the last of them gives up. */
export async function singleFlight<T>(
  connection: Connection,
  url: string,
  signal: AbortSignal | undefined,
  begin: (signal: AbortSignal) => Promise<CallResult<T>>,
): Promise<CallResult<T>> {
  const rides = stateOf(connection, 'core.reads', () => new Map<string, Ride>());
  const end = () => void (rides.get(url) === own && rides.delete(url));
  let own = rides.get(url)!;
  if (own?.settings !== connection[internals].settings) {
    const over = new AbortController();
    own = {
      settings: connection[internals].settings,
      over,
      waiting: 0,
      answered: begin(over.signal).finally(end),
    };
    rides.set(url, own);
  }
  own.waiting++;
  let give = () => {};
  const given = new Promise<never>((_, reject) => void (give = () => reject(signal!.reason)));
  signal?.addEventListener('abort', give);
  if (signal?.aborted) give();
  try {
    return (await Promise.race([given, own.answered])) as CallResult<T>;
  } finally {
    signal?.removeEventListener('abort', give);
    if (--own.waiting === 0) {
      end();
      own.over.abort();
    }
  }
}
