import type { Life } from '../resources/life.ts';

/** A replica of the service is at most this far behind, milliseconds. */
const LAG = 30_000;
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
  /** When this state was first read, monotonic. */
  readonly since: number;
  /** A lower state that was read once and has to be confirmed. */
  readonly doubt?: { readonly state: string; readonly sentAt: number } | undefined;
}

export interface Accepted<T> {
  readonly truth: Truth<T>;
  readonly regressed?: true | undefined;
  /** Look again at this monotonic time to settle a contradiction. */
  readonly confirmAt?: number | undefined;
}

/**
 * Decides what a look means: a higher rank always counts, an equal one if it was sent later, a lower one only
 * when it cannot come from a replica that lags and a second look says the same.
 */
export function accept<T>(life: Life<string> | undefined, held: Truth<T> | undefined, value: T, state: string, look: Look): Accepted<T> {
  const fresh: Truth<T> = { value, state, number: look.number, since: held?.state === state ? held.since : look.now };
  if (!held) return { truth: fresh };
  const step = rise(life, held.state, state);
  if (step > 0) return { truth: fresh };
  if (step === 0) return { truth: look.number > held.number ? fresh : held };
  if (look.number < held.number) return { truth: held };
  if (look.sentAt < held.since + LAG) return { truth: held, confirmAt: held.since + LAG };
  const { doubt } = held;
  if (doubt?.state === state && look.sentAt >= doubt.sentAt + APART) return { truth: fresh, regressed: true };
  const first = doubt?.state === state ? doubt : { state, sentAt: look.sentAt };
  return { truth: { ...held, doubt: first }, confirmAt: first.sentAt + APART };
}

/** Above 0 forward, below 0 back, 0 where the ranks are equal or one is not known. */
function rise(life: Life<string> | undefined, from: string, to: string): number {
  const before = life?.rank(from);
  const after = life?.rank(to);
  return before === undefined || after === undefined ? 0 : after - before;
}
