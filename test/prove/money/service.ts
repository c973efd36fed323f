// Models the service: keys, quotes that are executed once, movements, lists, and the time of each.
import type { RailName } from '../../../src/flows/pay/order.ts';
import type { Way } from './ways.ts';

export interface Quote {
  readonly id: string;
  readonly key: string;
  readonly endsAt: number;
  readonly moved?: string | undefined;
}

export interface Movement {
  readonly id: string;
  readonly at: number;
  readonly round: number;
  readonly state: 'pending' | 'completed' | 'failed';
  /** The intent whose request has made it; another journal's has none. */
  readonly intent: number | undefined;
  /** It had completed before it was taken back. */
  readonly wasCompleted?: boolean | undefined;
  /** It has failed, and its transaction may be confirmed all the same. */
  readonly mayConfirm?: boolean | undefined;
}

export interface Service {
  readonly quotes: readonly Quote[];
  readonly movements: readonly Movement[];
}

export const EMPTY: Service = { quotes: [], movements: [] };
/** Another journal has refunded the same receipt before; its call is not this one's. */
export const REFUNDED: Service = {
  quotes: [{ id: 'q1', key: 'k1', endsAt: -1, moved: 'm1' }],
  movements: [
    {
      id: 'm1',
      at: -900_000,
      round: 0,
      state: 'completed',
      intent: undefined,
    },
  ],
};
/** The movement of another intent, which an answer may name by mistake. */
export const FOREIGN = 'other';
/** Quotes for one order live equally long. */
export const QUOTE_LIFE_MS = 60_000;
/** A list shows a movement at the latest after this time. */
export const LIST_LAG_MS = 300_000;
/** A replica may not know of an execution for this long. */
export const REPLICA_LAG_MS = 30_000;

/** What the service says of an execution. */
export interface Said {
  readonly how: 'ok' | 'no' | 'ended';
  readonly id?: string | undefined;
  readonly state?: Movement['state'] | undefined;
  /** It was executed by an earlier request, and the answer says so. */
  readonly isProcessed?: boolean | undefined;
}

/** The quote that is known under a key at this time. */
export function keyed(service: Service, key: string, now: number, way: Way): Quote | undefined {
  if (way.keys === 'ignored') return undefined;
  const quote = service.quotes.findLast((one) => one.key === key);
  return quote && way.keys === 'forgotten' && now > quote.endsAt ? undefined : quote;
}

/** Makes a quote, or a prepared payout, which never ends. */
export function makeQuote(service: Service, key: string, now: number, rail: RailName): Service {
  const endsAt = rail === 'payout' ? 1e12 : now + QUOTE_LIFE_MS;
  const quote = { id: `q${service.quotes.length + 1}`, key, endsAt };
  return { ...service, quotes: [...service.quotes, quote] };
}

/** Executes a quote or a payout, or makes a deposit under a key. */
export function execute(
  service: Service,
  id: string,
  now: number,
  { round, intent }: { readonly round: number; readonly intent: number },
  way: Way,
): readonly [Service, Said] {
  const made = way.rail === 'deposit' ? withDeposit(service, id) : service;
  const quote = made.quotes.find((one) => one.id === id);
  if (!quote) return [made, { how: 'no' }];
  const hasEnded = now >= quote.endsAt;
  if (hasEnded && way.checks === 'expired-first') return [made, { how: 'ended' }];
  const before = made.movements.find((one) => one.id === quote.moved);
  if (before) return [made, { how: 'ok', id: before.id, state: before.state, isProcessed: true }];
  if (hasEnded) return [made, { how: 'ended' }];
  const isSettled = made.movements.some(
    (one) => one.state !== 'failed' && (way.isOneText || one.intent === intent),
  );
  if (way.rail === 'bolt11' && isSettled) return [made, { how: 'no' }];
  const movement: Movement = {
    id: `m${made.movements.length + 1}`,
    at: now,
    round,
    state: 'pending',
    intent,
  };
  const next: Service = {
    quotes: made.quotes.map((one) => (one === quote ? { ...one, moved: movement.id } : one)),
    movements: [...made.movements, movement],
  };
  return [next, { how: 'ok', id: movement.id, state: 'pending' }];
}

function withDeposit(service: Service, key: string): Service {
  if (service.quotes.some((one) => one.id === key)) return service;
  return { ...service, quotes: [...service.quotes, { id: key, key, endsAt: 1e12 }] };
}

/** Ends a movement, or changes its end. */
export function settle(
  service: Service,
  id: string,
  state: Movement['state'],
  mayConfirm?: boolean,
): Service {
  const movements = service.movements.map((one): Movement => {
    if (one.id !== id) return one;
    const wasCompleted = one.wasCompleted || one.state === 'completed' || undefined;
    return { ...one, state, wasCompleted, mayConfirm: mayConfirm || undefined };
  });
  return { ...service, movements };
}
