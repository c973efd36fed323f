import { millisOf } from '../core/time/index.ts';
import { isPaystateError } from '../core/errors/index.ts';
import type { ServiceEvent } from '../resources/events/model.ts';
import type { Added, Arrival, InboxStore } from '../stores/inbox.ts';
import { subjectOf } from './setup.ts';
import { verified, type VerifyOptions } from './verify.ts';

type Keeping = Pick<InboxStore<unknown>, 'add'>;

/** What a delivery is checked with and where it is kept. */
export interface Receiving {
  readonly keys: readonly Uint8Array[];
  readonly store: Keeping;
  readonly options: VerifyOptions & { readonly clock: NonNullable<VerifyOptions['clock']> };
}

/** The service hangs up after 5 s; whoever is slower than this has not kept the event. */
const LIMIT = 4_000;

/**
 * Answers a delivery: 200 when it is kept, and only then. No way leads to another status than 200, 400, 401, 405, 413,
 * 415, 500 and 503: 410 and 501 would end the subscription, and what is not kept must come again.
 */
export async function receive(receiving: Receiving, request: Request): Promise<Response> {
  const { clock } = receiving.options;
  const over = new AbortController();
  const late = clock.wait(LIMIT, over.signal).then(() => 503);
  const status = await Promise.race([statusOf(receiving, request), late]);
  over.abort();
  return new Response(null, { status, headers: status === 405 ? { allow: 'POST' } : {} });
}

async function statusOf(receiving: Receiving, request: Request): Promise<number> {
  try {
    if (request.method !== 'POST') return 405;
    if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? '')) return 415; // other bytes than those that were signed
    const { event, text } = await verified(request, receiving.keys, receiving.options);
    return await kept(receiving, arrivalOf(event, text, receiving.options.clock.now()));
  } catch (thrown) {
    return isPaystateError(thrown) ? (STATUSES[thrown.code] ?? 500) : 500;
  }
}

const STATUSES: Readonly<Record<string, number>> = {
  SIGNATURE_MISSING: 401,
  SIGNATURE_MALFORMED: 401,
  SIGNATURE_MISMATCH: 401,
  BODY_TOO_LARGE: 413,
  RESPONSE_NOT_JSON: 400,
  RESPONSE_INVALID: 400,
};

async function kept({ store }: Receiving, arrival: Arrival): Promise<number> {
  try {
    await keep(store, [arrival]);
    return 200;
  } catch {
    return 503;
  }
}

export function arrivalOf(event: ServiceEvent, body: string, now: number): Arrival {
  return {
    kind: 'event',
    id: event.id,
    subject: subjectOf(event),
    body,
    createdAt: millisOf(event.created) ?? now,
    arrivedAt: now,
  };
}

/** Keeps arrivals. An id that comes with another entity is no event of its own, but a reason to look there too. */
export async function keep(
  store: Keeping,
  arrivals: readonly Arrival[],
  cursor?: unknown,
): Promise<readonly Added[]> {
  const added = await store.add(arrivals, cursor);
  const clashes = arrivals.filter((_, at) => added[at] === 'clash');
  if (clashes.length > 0)
    await store.add(
      clashes.map((arrival) => ({
        ...arrival,
        kind: 'look',
        id: `${arrival.id} ${arrival.subject}`,
        body: '',
      })),
    );
  return added;
}
