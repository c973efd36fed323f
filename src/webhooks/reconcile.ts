import { type Connection, internals, serviceTime } from '../core/http/index.ts';
import { secondsOf, ticksOf } from '../core/time/index.ts';
import type { Gap } from '../resources/events/cursor.ts';
import { Feed, type FeedStep } from '../resources/events/feed.ts';
import type { ServiceEvent } from '../resources/events/model.ts';
import type { Arrival } from '../stores/inbox.ts';
import { isEventId } from './event.ts';
import { arrivalOf, keep } from './receive.ts';
import type { Setup } from './setup.ts';

/** What is kept of the feed between two looks at it. */
export interface FeedMark {
  /** Every event created before this second of the service is in the store. */
  readonly recordedTo: number;
  /** When the feed was last read to its end, milliseconds since 1970 of our own clock. */
  readonly readAt: number;
}

/** An event is visible at most so long after its creation, seconds. */
const LATENESS = 300;
/** Without any event the mark keeps this far behind the service's clock, in case that errs. */
const IDLE = 86_400;
/** Ids are remembered for longer than the service repeats a delivery, and as long as it lists it. */
const MEMORY = 30 * 86_400_000;

/** What a look at the feed brought. */
export interface Reconciled {
  /** Events that no webhook had brought. */
  readonly found: number;
  readonly gaps: readonly Gap[];
  /** Everything up to now was read; otherwise the next look goes on. */
  readonly complete: boolean;
}

/** Reads the feed from the kept mark on, and keeps what is new with the new mark. */
export async function readFeed<Tx>({ client, store, tell }: Setup<Tx>): Promise<Reconciled> {
  const mark = (await store.cursor()) as FeedMark | undefined;
  const heard = { at: NaN };
  const step = await new Feed(listening(client, heard), mark?.recordedTo).poll();
  const now = client[internals].clock.now();
  const arrivals = step.events.map((event) =>
    isEventId(event.id) ? arrivalOf(event, JSON.stringify(event), now) : lookFor(event, now),
  );
  const added = await keep(
    store,
    arrivals,
    step.complete ? markAfter(mark, step, Math.floor(heard.at / 1_000), now) : undefined,
  );
  await store.forget(now - MEMORY);
  const news = arrivals.filter((_, at) => added[at] === 'new');
  const gaps = [...step.gaps, ...news.filter(({ kind }) => kind === 'look').map(gapOf)];
  for (const gap of gaps) tell({ kind: 'gap', gap });
  return { found: news.length, gaps, complete: step.complete };
}

/** All that an event without a usable id is good for: to look at what it names. */
function lookFor(event: ServiceEvent, now: number): Arrival {
  const id = event.created.slice(0, 40);
  const { subject, ...arrival } = arrivalOf({ ...event, id }, '', now);
  return { ...arrival, kind: 'look', id: `${id} ${subject}`, subject };
}

function gapOf({ createdAt }: Arrival): Gap {
  const second = Math.floor(createdAt / 1_000);
  return { startsAt: second, endsAt: second + 1, reason: 'an event without a usable id' };
}

/** The same client; notes the service's time of the first answer. */
function listening(client: Connection, heard: { at: number }): Connection {
  const { clock, exchange } = client[internals];
  return {
    [internals]: {
      ...client[internals],
      async exchange(request) {
        const response = await exchange(request);
        if (Number.isNaN(heard.at)) heard.at = serviceTime(response.headers, clock.now());
        return response;
      },
    },
  };
}

/** Never past the newest event, whose time is the service's own; and never so far behind that the history ends before it. */
function markAfter(
  before: FeedMark | undefined,
  { events }: FeedStep,
  now: number,
  readAt: number,
): FeedMark {
  const newest = Math.max(
    ...events.map(({ created }) => secondsOf(ticksOf(created) ?? 0n)),
    -Infinity,
  );
  const reached = Math.max(Math.min(newest, now) - LATENESS, now - IDLE);
  return { recordedTo: before ? Math.max(before.recordedTo, reached) : now - LATENESS, readAt };
}
