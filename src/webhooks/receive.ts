import { badInput, isPaystateError } from '../core/errors/index.ts';
import { type Connection, type DriftCheck, internals, serviceTime } from '../core/http/index.ts';
import { countWait, parseMillis, toSeconds, parseTicks, within } from '../core/time.ts';
import { isolated } from '../core/watch.ts';
import type { Gap } from '../resources/events.cursor.ts';
import { Feed, type FeedStep } from '../resources/events.feed.ts';
import { EventSchema } from '../resources/events.schemas.ts';
import type { ServiceEvent } from '../resources/events.ts';
import { EVENT_HISTORY_MS, EVENT_LATENESS_MS } from '../resources/service-facts.ts';
import type { AddResult, InboxStore, ReceivedEvent } from '../stores/inbox-store.ts';
import { type InboxProblem, type Setup, nameSubject } from './setup.ts';
import { isEventId, type VerifiedDelivery, verifyDelivery, type VerifyOptions } from './verify.ts';

type EventStore = Pick<InboxStore<unknown>, 'add'>;

export interface Checking {
  readonly keys: readonly Uint8Array[];
  readonly options: VerifyOptions & { readonly clock: NonNullable<VerifyOptions['clock']> };
  /** Called with the raw body of each event that has a valid signature. */
  readonly drift?: DriftCheck | undefined;
  /** Called with errors in the server's setup that make deliveries unreadable. */
  readonly fault: (error: unknown) => void;
}

export interface Receiving extends Checking {
  readonly store: EventStore;
}

/**
 * Returns a function that reports errors in the server's setup. Each error is only reported once,
 * although it affects every delivery.
 */
export function reportFaults(
  onProblem: ((problem: InboxProblem) => void) | undefined,
): Checking['fault'] {
  const reported = new Set<string>();
  return (error) => {
    const text = String(error);
    if (reported.has(text)) return;
    reported.add(text);
    isolated(() => onProblem?.({ kind: 'setup-failed', error }));
  };
}

/**
 * How long storing an event may take before we respond with 503, in milliseconds. The service's own
 * timeout is 5 s.
 */
const LIMIT = 4_000;

/**
 * Responds to a delivery with 200 after it has been stored. The only other statuses are 400, 401,
 * 405, 413, 415, 500 and 503. We never respond with 410 or 501, because these would end the
 * subscription. Any other error status makes the service send the event again.
 */
export async function receive(receiving: Receiving, request: Request): Promise<Response> {
  return respond(receiving, request, async ({ event, text }) => {
    const kept = toReceivedEvent(event, text, receiving.options.clock.now());
    return new Response(null, { status: await storeEvent(receiving, kept) });
  });
}

/**
 * Responds to a delivery with the result of `act` if its signature is valid. Rejects any other
 * delivery before `act` is called.
 */
export async function respond(
  checking: Checking,
  request: Request,
  act: (delivery: VerifiedDelivery) => Promise<Response>,
): Promise<Response> {
  const { clock } = checking.options;
  return countWait(
    clock,
    respondInTime(checking, request, act),
    'the response to a webhook delivery',
  );
}

async function respondInTime(
  checking: Checking,
  request: Request,
  act: (delivery: VerifiedDelivery) => Promise<Response>,
): Promise<Response> {
  const { clock } = checking.options;
  const response = await within(clock, LIMIT, responseTo(checking, request, act));
  return response ?? new Response(null, { status: 503 });
}

async function responseTo(
  checking: Checking,
  request: Request,
  act: (delivery: VerifiedDelivery) => Promise<Response>,
): Promise<Response> {
  try {
    if (typeof Object(request).headers?.get !== 'function')
      throw badInput('request', 'must be a Request; in Node, use nodeHandler');
    if (request.method !== 'POST')
      return new Response(null, { status: 405, headers: { allow: 'POST' } });
    // an encoded body isn't the same as the bytes that were signed
    if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? ''))
      return new Response(null, { status: 415 });
    const delivery = await verifyDelivery(request, checking.keys, checking.options);
    tellDrift(checking.drift, delivery);
    return await act(delivery);
  } catch (thrown) {
    const status = isPaystateError(thrown) ? STATUSES[thrown.code] : undefined;
    if (status === undefined) checking.fault(thrown);
    return new Response(null, { status: status ?? 500 });
  }
}

/**
 * Checks a delivery for drift from the schema. If that throws, the delivery is still stored,
 * because error responses would end the subscription.
 */
function tellDrift(drift: DriftCheck | undefined, { text }: VerifiedDelivery): void {
  try {
    drift?.('webhook', EventSchema, JSON.parse(text));
  } catch {}
}

const STATUSES: Readonly<Record<string, number>> = {
  // all other errors are errors in the server's setup, which a sender can't cause
  SIGNATURE_MISSING: 401,
  SIGNATURE_MALFORMED: 401,
  SIGNATURE_MISMATCH: 401,
  BODY_TOO_LARGE: 413,
  RESPONSE_NOT_JSON: 400,
  RESPONSE_INVALID: 400,
};

async function storeEvent({ store }: Receiving, event: ReceivedEvent): Promise<number> {
  try {
    await addEvents(store, [event]);
    return 200;
  } catch {
    return 503;
  }
}

function toReceivedEvent(event: ServiceEvent, body: string, now: number): ReceivedEvent {
  return {
    kind: 'event',
    id: event.id,
    subject: nameSubject(event),
    body,
    createdAt: parseMillis(event.created) ?? now,
    receivedAt: now,
  };
}

/**
 * Stores events. If an id is already known with a different subject, the event doesn't count as
 * new. Its subject is read anyway.
 */
async function addEvents(
  store: EventStore,
  events: readonly ReceivedEvent[],
  cursor?: unknown,
): Promise<readonly AddResult[]> {
  const added = await store.add(events, cursor);
  const clashes = events.filter((_, at) => added[at] === 'clash');
  if (clashes.length > 0)
    await store.add(
      clashes.map((event) => ({
        ...event,
        kind: 'read',
        id: `${event.id} ${event.subject}`,
        body: '',
      })),
    );
  return added;
}

/** The progress through the event feed. It's stored as the inbox's cursor. */
export interface FeedProgress {
  /**
   * All events created before this time are in the store. The time is in seconds since 1970,
   * according to the service's clock. Absent before the first complete read.
   */
  readonly recordedTo?: number | undefined;
  /**
   * When the feed was last read to its end, or first tried. The time is in milliseconds since 1970,
   * according to our own clock.
   */
  readonly readAt: number;
}

/**
 * How far the recorded time stays behind the service's clock while there are no events, because
 * that clock may be wrong, in seconds.
 */
const IDLE = 86_400;

/** The result of reading the event feed. */
export interface ReconcileResult {
  /** The number of events that no webhook had delivered. */
  readonly found: number;
  /**
   * The periods that may contain more events than were read. Each is also reported as a `gap`
   * problem.
   */
  readonly gaps: readonly Gap[];
  /** Whether everything up to now was read. If not, the next read continues from there. */
  readonly complete: boolean;
}

/** A position in the event feed. The next poll continues from there. */
interface FeedWalk {
  readonly feed: Feed;
  /**
   * The service's time in the first response of a poll, in milliseconds. It's reset for each poll.
   */
  readonly service: { at: number };
  /** The time recorded in the store. If it differs, another process has read the feed. */
  readonly recordedTo: number | undefined;
}

/**
 * Reads the event feed from the recorded time, and stores new events together with the new time.
 * Ids of events are kept for as long as the service lists them, which is longer than it retries
 * deliveries.
 */
export class FeedReader<Tx> {
  readonly #setup: Setup<Tx>;
  /**
   * The position in the feed, along with the events that arrived late, so that they aren't fetched
   * again.
   */
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
        ? toReceivedEvent(event, JSON.stringify(event), now)
        : readFor(event, now),
    );
    const next = step.complete
      ? progressAfter(progress, step, Math.floor(service.at / 1_000), now)
      : undefined;
    const added = await addEvents(store, events, next);
    // the first read doesn't cover past events, so the next one must
    const { recordedTo } = progress ?? {};
    const goesOn = next && recordedTo !== undefined;
    this.#walk = goesOn ? { feed, service, recordedTo: next.recordedTo } : undefined;
    await store.forget(now - EVENT_HISTORY_MS);
    const news = events.filter((_, at) => added[at] === 'new');
    const gaps = [...step.gaps, ...news.filter(({ kind }) => kind === 'read').map(makeGap)];
    for (const gap of gaps) report({ kind: 'gap', gap });
    return { found: news.length, gaps, complete: step.complete };
  }

  /**
   * Returns the current feed position to the first caller only. If that caller's read fails or is
   * incomplete, the next caller gets a new position.
   */
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

/** Converts an event without a usable id to an entry that only triggers a read of its subject. */
function readFor(event: ServiceEvent, now: number): ReceivedEvent {
  const id = event.created.slice(0, 40);
  const { subject, ...received } = toReceivedEvent({ ...event, id }, '', now);
  return { ...received, kind: 'read', id: `${id} ${subject}`, subject };
}

function makeGap({ createdAt }: ReceivedEvent): Gap {
  const startsAt = Math.floor(createdAt / 1_000) * 1_000;
  return { startsAt, endsAt: startsAt + 1_000, reason: 'an event without a valid id' };
}

/** Returns a connection that records the service's time from the first response. */
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
 * Returns the new progress. It's never later than the newest event, because event times come from
 * the service's clock. It's never earlier than the start of the feed's history.
 */
function progressAfter(
  before: FeedProgress | undefined,
  { events }: FeedStep,
  now: number,
  readAt: number,
): FeedProgress {
  const newest = Math.max(
    ...events.map(({ created }) => toSeconds(parseTicks(created) ?? 0n)),
    -Infinity,
  );
  const lateness = EVENT_LATENESS_MS / 1_000;
  const reached = Math.max(Math.min(newest, now) - lateness, now - IDLE);
  const last = before?.recordedTo;
  return { recordedTo: last === undefined ? now - lateness : Math.max(last, reached), readAt };
}

export async function feedReadAt<Tx>({ client, store }: Setup<Tx>): Promise<number> {
  const progress = (await store.cursor()) as FeedProgress | undefined;
  if (progress) return progress.readAt;
  const readAt = client[internals].clock.now();
  await store.add([], { readAt } satisfies FeedProgress);
  return readAt;
}
