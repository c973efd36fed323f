import type { StateMachine } from '../resources/state-machine.ts';

/** A replica of the service is at most this far behind, milliseconds. */
export const LAG = 30_000;
/** Two looks that confirm each other are at least this far apart, milliseconds. */
const APART = 5_000;

/** One look: its number orders looks of this machine; times are monotonic. */
export interface Look {
  readonly number: number;
  readonly sentAt: number;
  readonly now: number;
}

/** What is held to be true of an entity. */
export interface Truth<T> {
  readonly value: T;
  readonly state: string;
  readonly number: number;
  /** When the look that brought it was sent, monotonic. */
  readonly sentAt: number;
  /** When this state was first read, monotonic. */
  readonly since: number;
  /** A lower state that was read once and has to be confirmed. */
  readonly doubt?: { readonly state: string; readonly sentAt: number } | undefined;
  /** Of states without rank: the earlier ones that a replica may still show, and when each was seen to be over. */
  readonly left?: ReadonlyMap<string, number> | undefined;
}

export interface Accepted<T> {
  readonly truth: Truth<T>;
  readonly regressed?: true | undefined;
  /** Look again at this monotonic time to settle a contradiction. */
  readonly confirmAt?: number | undefined;
}

/**
 * Decides what a look means: a higher rank always counts, an equal one if it was sent later, a lower one only
 * when it cannot come from a replica that lags and a second look says the same. Without ranks the later look counts,
 * but a state that was left is believed again only when it cannot come from such a replica.
 */
export function accept<T>(
  life: StateMachine<string> | undefined,
  held: Truth<T> | undefined,
  value: T,
  state: string,
  look: Look,
): Accepted<T> {
  const fresh: Truth<T> = {
    value,
    state,
    number: look.number,
    sentAt: look.sentAt,
    since: held?.state === state ? held.since : look.now,
  };
  if (!held) return { truth: fresh };
  const step = rise(life, held.state, state);
  if (step === undefined) return acceptUnranked(held, fresh, look);
  if (step > 0) return { truth: fresh };
  if (step === 0) return { truth: look.number > held.number ? fresh : held };
  if (look.number < held.number) return { truth: held };
  if (look.sentAt < held.since + LAG) return { truth: held, confirmAt: held.since + LAG };
  const { doubt } = held;
  if (doubt?.state === state && look.sentAt >= doubt.sentAt + APART)
    return { truth: fresh, regressed: true };
  const first = doubt?.state === state ? doubt : { state, sentAt: look.sentAt };
  return { truth: { ...held, doubt: first }, confirmAt: first.sentAt + APART };
}

function acceptUnranked<T>(held: Truth<T>, fresh: Truth<T>, { sentAt, now }: Look): Accepted<T> {
  const { state, left = new Map<string, number>() } = held;
  if (sentAt < held.sentAt) return { truth: held };
  if (fresh.state === state) return { truth: { ...fresh, left } };
  const until = (left.get(fresh.state) ?? -Infinity) + LAG;
  if (sentAt < until) return { truth: held, confirmAt: until };
  const recent = [...left].filter(([, at]) => now < at + LAG);
  return { truth: { ...fresh, left: new Map([...recent, [state, now]]) } };
}

/** Above 0 forward, below 0 back, 0 where the ranks are equal; nothing where one is not known. */
function rise(
  life: StateMachine<string> | undefined,
  from: string,
  to: string,
): number | undefined {
  const before = life?.rank(from);
  const after = life?.rank(to);
  return before === undefined || after === undefined ? undefined : after - before;
}
