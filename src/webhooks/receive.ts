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
import { type InboxProblem, type Setup, subjectOf } from './setup.ts';
import { isEventId, type VerifiedDelivery, verifyDelivery, type VerifyOptions } from './verify.ts';

type EventStore = Pick<InboxStore<unknown>, 'add'>;

/** The options with which a delivery is checked. */
export interface Checking {
  readonly keys: readonly Uint8Array[];
  readonly options: VerifyOptions & { readonly clock: NonNullable<VerifyOptions['clock']> };
  /** Gets each event whose signature is right, as it came. */
  readonly drift?: DriftCheck | undefined;
  /** Gets what keeps deliveries from being read. */
  readonly fault: (error: unknown) => void;
}

/** The options with which a delivery is checked, and the store that keeps it. */
export interface Receiving extends Checking {
  readonly store: EventStore;
}

/** Reports each fault of the set-up once: every delivery meets it again. */
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

/** The service hangs up after 5 s; an event that is not kept by then is answered with 503. */
const LIMIT = 4_000;

/**
 * Responds to a delivery: 200 when it is kept, and only then. No other status than 200, 400, 401,
 * 405, 413, 415, 500 and 503 is possible: 410 and 501 would end the subscription, and what is not
 * kept must come again.
 */
export async function receive(receiving: Receiving, request: Request): Promise<Response> {
  return respond(receiving, request, async ({ event, text }) => {
    const kept = receivedEventOf(event, text, receiving.options.clock.now());
    return new Response(null, { status: await storeEvent(receiving, kept) });
  });
}

/**
 * Responds to a delivery as `act` does where its signature is right; refuses any other before
 * anything is asked, kept or woken for it.
 */
export async function respond(
  checking: Checking,
  request: Request,
  act: (delivery: VerifiedDelivery) => Promise<Response>,
): Promise<Response> {
  const { clock } = checking.options;
  return countWait(clock, respondInTime(checking, request, act), 'the response to a delivery');
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
    // other bytes than those that were signed
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

/** The delivery is kept whatever the check throws: refused ones would end the subscription. */
function tellDrift(drift: DriftCheck | undefined, { text }: VerifiedDelivery): void {
  try {
    drift?.('webhook', EventSchema, JSON.parse(text));
  } catch {} // that of `rejectDrift`
}

const STATUSES: Readonly<Record<string, number>> = {
  // any other failure is a fault of the set-up: no sender can cause it
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

function receivedEventOf(event: ServiceEvent, body: string, now: number): ReceivedEvent {
  return {
    kind: 'event',
    id: event.id,
    subject: subjectOf(event),
    body,
    createdAt: parseMillis(event.created) ?? now,
    receivedAt: now,
  };
}

/**
 * Keeps events. An id that comes with another subject is no event of its own, but a reason to read
 * that subject too.
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
  /** When the service responded first, by its own clock, milliseconds; set again for each poll. */
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
    ...events.map(({ created }) => toSeconds(parseTicks(created) ?? 0n)),
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
