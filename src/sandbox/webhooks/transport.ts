import { type Clock, systemClock } from '../../core/time/index.ts';
import { isLoopback } from './loopback.ts';
import { withTurns } from '../time/quiescence.ts';
import type { Webhook } from './webhook.ts';

/** What came of one request: a status, or why there is none. */
export type Carried = number | 'timeout' | 'lost' | 'not-allowed';

/** Brings one webhook to its receiver. */
export interface Courier {
  carry(webhook: Webhook): Promise<Carried>;
  /** Never two at a time. */
  readonly oneByOne: boolean;
}

/** Longest time that a receiver may take. */
const LIMIT = 5_000;

/** Nobody is reached. */
export const noCourier: Courier = { oneByOne: false, carry: async () => 'lost' };

/** Calls a function; both sides live by the same clock. */
export function courierTo(deliver: (request: Request) => Promise<Response>, clock: Clock): Courier {
  return {
    oneByOne: false,
    async carry({ url, headers, body }) {
      const over = new AbortController();
      const limit = clock.wait(LIMIT, over.signal);
      let settled = false;
      const answered = statusOf(async () =>
        deliver(new Request(url, { method: 'POST', headers, body })),
      );
      const noted = answered.finally(() => {
        settled = true;
      });
      void clock.external(patience(() => settled));
      const carried = await Promise.race([noted, limit.then(() => 'timeout' as const)]);
      over.abort();
      return carried;
    },
  };
}

/** Over the real network; the clock stands still meanwhile. */
export function networkCourier(allowHosts: readonly string[], clock: Clock): Courier {
  return { oneByOne: true, carry: (webhook) => clock.external(overNetwork(webhook, allowHosts)) };
}

/** Sends to this machine or to a host that is allowed, within five real seconds. */
export async function overNetwork(
  { url, headers, body }: Webhook,
  allowHosts: readonly string[],
  clock: Clock = systemClock,
): Promise<Carried> {
  const { host, hostname } = new URL(url);
  if (!isLoopback(hostname) && !allowHosts.includes(hostname) && !allowHosts.includes(host))
    return 'not-allowed';
  return withinLimit(
    (signal) => fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
    clock,
  );
}

/** What is answered within five seconds. */
export async function withinLimit(
  ask: (signal: AbortSignal) => Promise<Response>,
  clock: Clock,
): Promise<Carried> {
  const over = new AbortController();
  const gone = new AbortController();
  const limit = clock.wait(LIMIT, over.signal).then(() => 'timeout' as const);
  const carried = await Promise.race([statusOf(() => ask(gone.signal)), limit]);
  over.abort();
  gone.abort();
  return carried;
}

async function statusOf(ask: () => Promise<Response>): Promise<Carried> {
  try {
    const { status, body } = await ask();
    body?.cancel().catch(() => {}); // nobody reads it
    return status;
  } catch {
    return 'lost';
  }
}

/** Turns that a receiver gets for work which the clock was not told of, such as checking a signature. */
const PATIENCE = 60;

async function patience(isSettled: () => boolean): Promise<void> {
  for (let hop = 0; hop < 20; hop++) await undefined;
  if (isSettled()) return;
  await withTurns(async (turns) => {
    for (let turn = 0; turn < PATIENCE && !isSettled(); turn++)
      await (turn < 4 ? turns.next() : systemClock.wait(0));
  });
}
