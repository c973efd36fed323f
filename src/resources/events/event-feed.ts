import { basePeriod, type Connection, internals, isLoginOver } from '../../core/http/index.ts';
import { isPaystateError, type ErrorKind } from '../../core/errors/index.ts';
import { secondsOf } from '../../core/time/index.ts';
import { instant } from '../../core/lists/index.ts';
import type { Gap } from './cursor.ts';
import { Feed } from './feed.ts';
import type { ServiceEvent } from './model.ts';

/** Kinds of errors that pass by themselves, unless a login is over. */
const AWAY: readonly ErrorKind[] = ['unreachable', 'limited', 'authentication'];

/** An event, or the news that some could not be read. */
export type FeedItem =
  | {
      /** An event, in the order of the feed. */
      readonly event: ServiceEvent;
      /** Absent beside an event. */
      readonly gap?: undefined;
    }
  | {
      /** Absent beside a gap. */
      readonly event?: undefined;
      /** A time of which events may be missing. */
      readonly gap: Gap;
    };

/**
 * Walks along the account's events as they happen, from now or from a date of the last 30 days.
 * Iterate it; leaving the loop ends it. Each event comes once; what could not be read comes as a
 * gap. Goes on when the service is away, ends with an error when it refuses. `GET /v1/events`
 * (documented).
 *
 * @throws RefusedError `FORBIDDEN` without the webhooks scope
 * @example
 * for await (const { event } of eventFeed(client)) if (event) console.log(event.eventType);
 */
export async function* eventFeed(
  connection: Connection,
  options: {
    readonly from?: string | Date | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): AsyncGenerator<FeedItem, void, undefined> {
  const { signal } = options;
  const start = options.from === undefined ? undefined : secondsOf(instant('from', options.from));
  const walk = new Feed(connection, start, signal);
  while (!signal?.aborted) {
    try {
      const { events, gaps } = await walk.poll();
      for (const gap of gaps) yield { gap };
      for (const event of events) yield { event };
    } catch (thrown) {
      if (signal?.aborted) return;
      if (!isPaystateError(thrown) || isLoginOver(thrown) || !AWAY.includes(thrown.kind))
        throw thrown;
    }
    await connection[internals].clock.wait(basePeriod(connection), signal);
  }
}
