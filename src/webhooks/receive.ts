import { isPaystateError } from '../core/errors/index.ts';
import type { DriftCheck } from '../core/http/index.ts';
import { countWait, millisOf, within } from '../core/time.ts';
import { EventSchema } from '../resources/events.schemas.ts';
import type { ServiceEvent } from '../resources/events.ts';
import type { AddResult, InboxStore, ReceivedEvent } from '../stores/inbox-store.ts';
import { subjectOf } from './setup.ts';
import { type VerifiedDelivery, verifyDelivery, type VerifyOptions } from './verify.ts';

type EventStore = Pick<InboxStore<unknown>, 'add'>;

/** The options with which a delivery is checked. */
export interface Checking {
  readonly keys: readonly Uint8Array[];
  readonly options: VerifyOptions & { readonly clock: NonNullable<VerifyOptions['clock']> };
  /** Gets each event whose signature is right, as it came. */
  readonly drift?: DriftCheck | undefined;
}

/** The options with which a delivery is checked, and the store that keeps it. */
export interface Receiving extends Checking {
  readonly store: EventStore;
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
    if (request.method !== 'POST')
      return new Response(null, { status: 405, headers: { allow: 'POST' } });
    // other bytes than those that were signed
    if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? ''))
      return new Response(null, { status: 415 });
    const delivery = await verifyDelivery(request, checking.keys, checking.options);
    tellDrift(checking.drift, delivery);
    return await act(delivery);
  } catch (thrown) {
    const status = isPaystateError(thrown) ? (STATUSES[thrown.code] ?? 500) : 500;
    return new Response(null, { status });
  }
}

/** The delivery is kept whatever the check throws: refused ones would end the subscription. */
function tellDrift(drift: DriftCheck | undefined, { text }: VerifiedDelivery): void {
  try {
    drift?.('webhook', EventSchema, JSON.parse(text));
  } catch {} // that of `rejectDrift`
}

const STATUSES: Readonly<Record<string, number>> = {
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

export function receivedEventOf(event: ServiceEvent, body: string, now: number): ReceivedEvent {
  return {
    kind: 'event',
    id: event.id,
    subject: subjectOf(event),
    body,
    createdAt: millisOf(event.created) ?? now,
    receivedAt: now,
  };
}

/**
 * Keeps events. An id that comes with another subject is no event of its own, but a reason to read
 * that subject too.
 */
export async function addEvents(
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
