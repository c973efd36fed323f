import type { Observer } from '../core/watch.ts';
import type { Kind } from './kind.ts';
import { sameContent, type Freshness, type Seen } from './seen.ts';
import type { Truth } from './truth.ts';
import { type Failures, NO_FAILURES } from './verdict.ts';

/** One entity that somebody watches: what is known of it, and when to look next. Times are monotonic. */
export class Entry<T> {
  readonly kind: Kind<T>;
  readonly id: string;
  /** Whole second of creation, where the caller knew it: lets many first looks share a window. */
  readonly created: number | undefined;
  readonly bornAt: number;
  readonly sinks: Set<Observer<Seen<T>>> = new Set();
  truth: Truth<T> | undefined;
  seen: Seen<T> | undefined;
  failures: Failures = NO_FAILURES;
  due: number;
  /** A look is under way. */
  reading: boolean = false;
  /** Somebody said "look" during a look: look once more. */
  again: string | undefined;
  /** A list did not hold it: read it alone. */
  alone: boolean = false;
  why: string = 'first look';
  /** Wall-clock time of the last good look. */
  lookedAt: number | undefined;
  hintedAt: number | undefined;
  noGapSince: number | undefined;

  constructor(kind: Kind<T>, id: string, created: number | undefined, now: number, due: number) {
    this.kind = kind;
    this.id = id;
    this.created = created;
    this.bornAt = now;
    this.due = due;
  }

  get settled(): boolean {
    return this.truth !== undefined && (this.kind.life?.settles(this.truth.state) ?? false);
  }

  /** Shows value, freshness and trouble; the same content is the same object and is not told again. */
  show(value: T, at: number, fresh: Freshness, trouble: string | undefined, regressed: true | undefined): void {
    const before = this.seen;
    const same = before !== undefined && sameContent(before.value, value);
    if (same && before.fresh === fresh && before.trouble === trouble && !regressed) return;
    this.seen = {
      value: same ? before.value : value, at, fresh,
      ...(trouble !== undefined && { trouble }), ...(regressed && { regressed }),
    };
    for (const sink of [...this.sinks]) sink.next(this.seen);
  }
}
