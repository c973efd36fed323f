import type { PaystateError } from '../../core/errors/index.ts';
import type { AnyEntry } from '../entries/entry.ts';
import type { ChangeSource } from './source.ts';

/** A source that hears of changes by asking again and again, while the plan says so. */
export interface PolledSource extends ChangeSource {
  /** When to poll next, monotonic. */
  pollAt: number;
  /** When the last poll was sent that vouches for all that the source covers, monotonic. */
  readonly provenAt: number;
  /** A poll has shown that it works since it was started: it covers what it can. */
  readonly isLive: boolean;
  /** No refusal is known and it has not failed too often. */
  readonly isPossible: boolean;
  /** Requests of one poll, on average. */
  readonly requests: number;
  /** Goes on where it was stopped. */
  start(): void;
  /** Covers nothing until it was started again. */
  stop(): void;
  /** Polls at once, unless the last poll is this recent. */
  wake(recent?: number): void;
  /**
   * Polls once and tells the listener what may have changed. Resolves to the error, if there was
   * one. `isOutage`: everything else fails too, which says nothing about this source.
   */
  poll(isOutage: boolean): Promise<PaystateError | undefined>;
  /** The poll that makes it live is under way, and then it covers this entry. */
  isAwaitedBy(entry: AnyEntry): boolean;
}
