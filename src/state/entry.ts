import type { Observer } from '../core/watch.ts';
import type { Kind } from './kind.ts';
import { type Freshness, sameContent, type Seen } from './seen.ts';
import type { Truth } from './truth.ts';
import type { Failures } from './verdict.ts';

/** One entity that somebody watches: what is known of it, and when to look next. Times are monotonic. */
export interface Entry<T> {
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
  /** Wall-clock time of the last good look. */
  lookedAt?: number;
  hintedAt?: number | undefined;
  noGapSince?: number | undefined;
}

export function isSettled<T>({ kind, truth }: Entry<T>): boolean {
  return truth !== undefined && (kind.life?.settles(truth.state) ?? false);
}

/** Shows what is held to be true, and how true it is; the same content is the same object and is not told again. */
export function show<T>(entry: Entry<T>, fresh: Freshness, trouble?: string, regressed?: true): void {
  const { truth, seen: before, lookedAt: at } = entry;
  if (!truth) return;
  const value = before && sameContent(before.value, truth.value) ? before.value : truth.value;
  if (before?.value === value && before.fresh === fresh && before.trouble === trouble && !regressed) return;
  entry.seen = { value, at: at!, fresh, trouble, regressed };
  for (const sink of [...entry.sinks]) sink.next(entry.seen);
}
