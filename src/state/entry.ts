import type { Observer } from '../core/watch/index.ts';
import { type HeldState, heldSince, mayLag } from '../resources/held-state.ts';
import type { Kind } from './kind.ts';
import { type Freshness, sameContent, type Snapshot, unwatched } from './seen.ts';
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
  held?: HeldState<T>;
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

export function isSettled<T>({ kind, held, readAt }: Entry<T>): boolean {
  return held !== undefined && readAt !== undefined && (kind.life?.isSettled(held.state) ?? false);
}

/** Begins with what an earlier watch has left, read at `readAt` (monotonic). */
export function recall<T>(entry: Entry<T>, kept: Snapshot<T>, readAt: number): void {
  entry.held = heldSince(kept.value, entry.kind.stateOf(kept.value), readAt);
  entry.seen = unwatched(kept);
}

/** What a look sent at `sentAt` is compared with: what an earlier watch has left only while a replica can be behind it. */
export function heldAgainst<T>(
  { held, readAt }: Entry<T>,
  sentAt: number,
): HeldState<T> | undefined {
  return held && (readAt !== undefined || mayLag(held, sentAt)) ? held : undefined;
}

/** Shows what is held to be true, and how true it is; the same content is the same object and is not told again. */
export function show<T>(
  entry: Entry<T>,
  freshness: Freshness,
  error?: string,
  regressed?: true,
): void {
  const { held, seen: before, readAt = before?.asOf } = entry;
  if (!held) return;
  const value = before && sameContent(before.value, held.value) ? before.value : held.value;
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
