import { type Connection, internals, serviceTime } from '../core/http/index.ts';
import { secondsOf, ticksOf } from '../core/time.ts';
import type { Gap } from '../resources/events.cursor.ts';
import { Feed, type FeedStep } from '../resources/events.feed.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS } from '../resources/service-facts.ts';
import type { ReceivedEvent } from '../stores/inbox-store.ts';
import { isEventId } from './verify.ts';
import { addEvents, receivedEventOf } from './receive.ts';
import type { Setup } from './setup.ts';

/** The progress of the feed: the inbox's cursor. */
export interface FeedProgress {
  /** Every event created before this second of the service is in the store; absent at first. */
  readonly recordedTo?: number | undefined;
  /**
   * When the feed was last read to its end, or else first asked for, milliseconds since 1970 of our
   * own clock.
   */
  readonly readAt: number;
}

/**
 * Without any event the kept time stays this far behind the service's clock, in case that clock
 * errs, seconds.
 */
const IDLE = 86_400;

/** The result of a read of the feed. */
export interface ReconcileResult {
  /** Events that no webhook had brought. */
  readonly found: number;
  /** Times whose events may be incomplete; each is reported as the problem `gap` too. */
  readonly gaps: readonly Gap[];
  /** Everything up to now was read; otherwise the next read goes on. */
  readonly complete: boolean;
}

/** A walk along the feed that goes on where it was. */
interface FeedWalk {
  readonly feed: Feed;
  /** When the service responded first, by its own clock, milliseconds; set anew for each poll. */
  readonly service: { at: number };
  /** The store's mark, as long as no other process has read the feed. */
  readonly recordedTo: number | undefined;
}

/**
 * Reads the feed from the kept time on, and keeps what is new with the new one. Ids are remembered
 * for as long as the service lists an event, which is longer than it repeats a delivery.
 */
export class FeedReader<Tx> {
  readonly #setup: Setup<Tx>;
  /** Events that may be late are known to it, and are not fetched again. */
  #walk: FeedWalk | undefined;

  constructor(setup: Setup<Tx>) {
    this.#setup = setup;
  }

  async read(): Promise<ReconcileResult> {
    const { client, store, report } = this.#setup;
    const progress = (await store.cursor()) as FeedProgress | undefined;
    const { feed, service } = this.#takeWalk(progress);
    const step = await feed.poll();
    const now = client[internals].clock.now();
    const events = step.events.map((event) =>
      isEventId(event.id)
        ? receivedEventOf(event, JSON.stringify(event), now)
        : readFor(event, now),
    );
    const next = step.complete
      ? progressAfter(progress, step, Math.floor(service.at / 1_000), now)
      : undefined;
    const added = await addEvents(store, events, next);
    // the first one is silent about what was before it, and the next has to tell of that
    const { recordedTo } = progress ?? {};
    const goesOn = next && recordedTo !== undefined;
    this.#walk = goesOn ? { feed, service, recordedTo: next.recordedTo } : undefined;
    await store.forget(now - EVENT_HISTORY_MS);
    const news = events.filter((_, at) => added[at] === 'new');
    const gaps = [...step.gaps, ...news.filter(({ kind }) => kind === 'read').map(gapOf)];
    for (const gap of gaps) report({ kind: 'gap', gap });
    return { found: news.length, gaps, complete: step.complete };
  }

  /** The one that goes on, for one reader; where it failed or was not complete, another one. */
  #takeWalk(progress: FeedProgress | undefined): FeedWalk {
    const recordedTo = progress?.recordedTo;
    const before = this.#walk;
    this.#walk = undefined;
    if (before && before.recordedTo === recordedTo) {
      before.service.at = NaN;
      return before;
    }
    const service = { at: NaN };
    const feed = new Feed(withServiceTime(this.#setup.client, service), { from: recordedTo });
    return { feed, service, recordedTo };
  }
}

/** An event without a usable id is only a reason to read what it names. */
function readFor(event: ServiceEvent, now: number): ReceivedEvent {
  const id = event.created.slice(0, 40);
  const { subject, ...received } = receivedEventOf({ ...event, id }, '', now);
  return { ...received, kind: 'read', id: `${id} ${subject}`, subject };
}

function gapOf({ createdAt }: ReceivedEvent): Gap {
  const startsAt = Math.floor(createdAt / 1_000) * 1_000;
  return { startsAt, endsAt: startsAt + 1_000, reason: 'an event without a usable id' };
}

/** The same client; notes the service's time of the first response. */
function withServiceTime(client: Connection, service: { at: number }): Connection {
  const { clock, authorize } = client[internals];
  return {
    ...client,
    [internals]: {
      ...client[internals],
      async authorize(isRenewal) {
        const sender = await authorize(isRenewal);
        return {
          ...sender,
          async send(request) {
            const response = await sender.send(request);
            if (Number.isNaN(service.at)) service.at = serviceTime(response.headers, clock.now());
            return response;
          },
        };
      },
    },
  };
}

/**
 * Never past the newest event, whose time is the service's own; and never so far behind that the
 * history ends before it.
 */
function progressAfter(
  before: FeedProgress | undefined,
  { events }: FeedStep,
  now: number,
  readAt: number,
): FeedProgress {
  const newest = Math.max(
    ...events.map(({ created }) => secondsOf(ticksOf(created) ?? 0n)),
    -Infinity,
  );
  const lateness = EVENT_LATENESS_MS / 1_000;
  const reached = Math.max(Math.min(newest, now) - lateness, now - IDLE);
  const last = before?.recordedTo;
  return { recordedTo: last === undefined ? now - lateness : Math.max(last, reached), readAt };
}

/** When the feed was last read to its end; where it never was, since when that has been tried. */
export async function feedReadAt<Tx>({ client, store }: Setup<Tx>): Promise<number> {
  const progress = (await store.cursor()) as FeedProgress | undefined;
  if (progress) return progress.readAt;
  const readAt = client[internals].clock.now();
  await store.add([], { readAt } satisfies FeedProgress);
  return readAt;
}
