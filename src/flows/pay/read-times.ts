import type { PaystateError } from '../../core/errors/index.ts';
import { LAG_MS } from '../../resources/service-facts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Clocks of two processes differ by less than this. */
const CLOCK_SLACK_MS = 60_000;
/** A scope that never worked is missing, where its refusal lasts longer than this. */
const REFUSED_FOR_MS = 60_000;
/** A movement that was accepted and is not found for this long is not waited for any longer. */
const MISSING_FOR_MS = 600_000;
/** The same for a movement that could not be read at all. */
export const UNREAD_FOR_MS = 86_400_000;

/** When a movement is read, and since when that fails. Times by the service's clock, milliseconds. */
export class ReadTimes {
  /** Why the last read failed. */
  error: PaystateError | undefined;
  #readAt: number | undefined;
  #heardAt: number | undefined;
  #pendingSince: number | undefined;
  #unreadSince: number | undefined;
  #missingSince: number | undefined;

  /** The movement may have changed, so it is read at once. */
  noteHeard(now: number): void {
    this.#readAt = undefined;
    this.#heardAt = now;
  }

  /** The movement was seen to be under way. */
  notePending(now: number): void {
    this.#pendingSince = now;
  }

  /** A read begins. */
  noteRead(now: number, movedAt: number): void {
    this.#readAt = now;
    this.#pendingSince ??= movedAt;
  }

  /**
   * Returns when to read next: often at first, every ten minutes after an hour, hourly after a day.
   * It never ends.
   */
  dueAt(now: number, movedAt: number): number {
    const readAt = this.#readAt;
    if (readAt === undefined || readAt - now > CLOCK_SLACK_MS) return 0;
    const age = readAt - (this.#pendingSince ?? movedAt);
    const slow = age >= 24 * HOUR_MS ? HOUR_MS : 10 * MINUTE_MS;
    const due = readAt + (age >= HOUR_MS ? slow : Math.min(Math.max(age, 1_000), MINUTE_MS));
    // the change may not have reached every replica of the service yet
    const settledAt = (this.#heardAt ?? -Infinity) + LAG_MS;
    return readAt < settledAt ? Math.min(due, settledAt) : due;
  }

  /** A read has worked. */
  noteWorked(): void {
    this.error = this.#unreadSince = this.#missingSince = undefined;
  }

  /**
   * A read that began at `readAt` has failed; returns whether that has lasted too long: `unread` for
   * want of a scope, `lost` otherwise. `isNew`: the same reading has never worked.
   */
  noteFailed(error: PaystateError, readAt: number, isNew: boolean): 'unread' | 'lost' | undefined {
    this.error = error;
    this.#unreadSince ??= readAt;
    this.#missingSince = error.code === 'NOT_FOUND' ? (this.#missingSince ?? readAt) : undefined;
    const unreadFor = readAt - this.#unreadSince;
    if (error.neededScope !== undefined && isNew && unreadFor >= REFUSED_FOR_MS) return 'unread';
    const isMissing = readAt - (this.#missingSince ?? readAt) >= MISSING_FOR_MS;
    return isMissing || unreadFor >= UNREAD_FOR_MS ? 'lost' : undefined;
  }
}
