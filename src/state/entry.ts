import type { Observer } from '../core/watch.ts';
import type { Kind } from './kind.ts';
import { type Freshness, sameContent, type Seen, unwatched } from './seen.ts';
import { LAG, type Truth } from './truth.ts';
import type { Failures } from './verdict.ts';

/** One entity that somebody watches: what is known of it, and when to look next. Times are monotonic. */
export interface Entry<T> {
  /** Kind and id, as one text. */
  readonly key: string;
  readonly kind: Kind<T>;
  readonly id: string;
  /** Whole second of creation, where the caller knew it: lets many first looks share a window. */
  readonly created: number | undefined;
  readonly bornAt: number;
  readonly sinks: Set<Observer<Seen<T>>>;
  truth?: Truth<T>;
  seen?: Seen<T>;
  failures: Failures;
  due: number;
  /** A look is under way. */
  reading?: boolean;
  /** Somebody said "look" during a look: look once more. */
  again?: string | undefined;
  /** A list did not hold it: read it alone. */
  alone?: boolean;
  why: string;
  /** Wall-clock time of the last good look; absent before the first, whatever an earlier watch has left. */
  lookedAt?: number;
  hintedAt?: number | undefined;
  noGapSince?: number | undefined;
}

export function isSettled<T>({ kind, truth, lookedAt }: Entry<T>): boolean {
  return truth !== undefined && lookedAt !== undefined && (kind.life?.settles(truth.state) ?? false);
}

/** Begins with what an earlier watch has left, read at `readAt` (monotonic). */
export function recall<T>(entry: Entry<T>, kept: Seen<T>, readAt: number): void {
  const state = entry.kind.stateOf(kept.value);
  entry.truth = { value: kept.value, state, number: 0, sentAt: readAt, since: readAt };
  entry.seen = unwatched(kept);
}

/** What a look sent at `sentAt` is compared with: what an earlier watch has left only while a replica can be behind it. */
export function heldAgainst<T>({ truth, lookedAt }: Entry<T>, sentAt: number): Truth<T> | undefined {
  return truth && lookedAt === undefined && sentAt >= truth.since + LAG ? undefined : truth;
}

/** Shows what is held to be true, and how true it is; the same content is the same object and is not told again. */
export function show<T>(entry: Entry<T>, fresh: Freshness, trouble?: string, regressed?: true): void {
  const { truth, seen: before, lookedAt = before?.at } = entry;
  if (!truth) return;
  const value = before && sameContent(before.value, truth.value) ? before.value : truth.value;
  if (before?.value === value && before.fresh === fresh && before.trouble === trouble && !regressed) return;
  const seen: Seen<T> = { value, at: lookedAt!, fresh, trouble, regressed };
  entry.seen = seen;
  for (const sink of [...entry.sinks]) if (entry.seen === seen) sink.next(seen); // else a listener has made a newer one
}
