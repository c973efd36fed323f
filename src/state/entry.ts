import type { Observer } from '../core/watch/index.ts';
import type { Kind } from './kind.ts';
import { type Freshness, sameContent, type Snapshot, unwatched } from './seen.ts';
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
  readonly sinks: Set<Observer<Snapshot<T>>>;
  truth?: Truth<T>;
  seen?: Snapshot<T>;
  failures: Failures;
  due: number;
  /** A look is under way. */
  reading?: boolean;
  /** Somebody said "look" during a look: look once more. */
  again?: string | undefined;
  /** A list did not hold it: read it alone. */
  alone?: boolean;
  reason: string;
  /** Wall-clock time of the last good look; absent before the first, whatever an earlier watch has left. */
  readAt?: number;
  invalidatedAt?: number | undefined;
  noGapSince?: number | undefined;
}

export function isSettled<T>({ kind, truth, readAt }: Entry<T>): boolean {
  return (
    truth !== undefined && readAt !== undefined && (kind.life?.isSettled(truth.state) ?? false)
  );
}

/** Begins with what an earlier watch has left, read at `readAt` (monotonic). */
export function recall<T>(entry: Entry<T>, kept: Snapshot<T>, readAt: number): void {
  const state = entry.kind.stateOf(kept.value);
  entry.truth = { value: kept.value, state, number: 0, sentAt: readAt, since: readAt };
  entry.seen = unwatched(kept);
}

/** What a look sent at `sentAt` is compared with: what an earlier watch has left only while a replica can be behind it. */
export function heldAgainst<T>({ truth, readAt }: Entry<T>, sentAt: number): Truth<T> | undefined {
  return truth && readAt === undefined && sentAt >= truth.since + LAG ? undefined : truth;
}

/** Shows what is held to be true, and how true it is; the same content is the same object and is not told again. */
export function show<T>(
  entry: Entry<T>,
  freshness: Freshness,
  error?: string,
  regressed?: true,
): void {
  const { truth, seen: before, readAt = before?.asOf } = entry;
  if (!truth) return;
  const value = before && sameContent(before.value, truth.value) ? before.value : truth.value;
  if (
    before?.value === value &&
    before.freshness === freshness &&
    before.error === error &&
    !regressed
  )
    return;
  const seen: Snapshot<T> = { value, asOf: readAt!, freshness, error, regressed };
  entry.seen = seen;
  for (const sink of [...entry.sinks]) if (entry.seen === seen) sink.next(seen); // else a listener has made a newer one
}
