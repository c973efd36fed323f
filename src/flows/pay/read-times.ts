import type { PaystateError } from '../../core/errors/index.ts';
import { LAG_MS } from '../../resources/service-facts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Clocks of two processes differ by less than this. */
const CLOCK_SLACK_MS = 60_000;
/** A refusal that lasts longer than this, of a read that never worked, means a missing scope. */
const REFUSED_FOR_MS = 60_000;
/** An accepted movement that isn't found for this long is lost. */
const MISSING_FOR_MS = 600_000;
/** A movement that couldn't be read at all for this long is lost. */
export const UNREAD_FOR_MS = 86_400_000;

/**
 * Schedules reads of a movement, and tracks their failures. Times are milliseconds by the service's
 * clock.
 */
export class ReadTimes {
  error: PaystateError | undefined;
  #readAt: number | undefined;
  #heardAt: number | undefined;
  #pendingSince: number | undefined;
  #unreadSince: number | undefined;
  #missingSince: number | undefined;

  /** The movement may have changed, so it's read at once. */
  noteHeard(now: number): void {
    this.#readAt = undefined;
    this.#heardAt = now;
  }

  notePending(now: number): void {
    this.#pendingSince = now;
  }

  noteRead(now: number, movedAt: number): void {
    this.#readAt = now;
    this.#pendingSince ??= movedAt;
  }

  /**
   * Returns the time of the next read: often at first, every ten minutes after an hour, hourly
   * after a day, without end.
   */
  dueAt(now: number, movedAt: number): number {
    const readAt = this.#readAt;
    if (readAt === undefined || readAt - now > CLOCK_SLACK_MS) return 0;
    const age = readAt - (this.#pendingSince ?? movedAt);
    const slow = age >= 24 * HOUR_MS ? HOUR_MS : 10 * MINUTE_MS;
    const due = readAt + (age >= HOUR_MS ? slow : Math.min(Math.max(age, 1_000), MINUTE_MS));
    // the change may not have reached every replica yet
    const settledAt = (this.#heardAt ?? -Infinity) + LAG_MS;
    return readAt < settledAt ? Math.min(due, settledAt) : due;
  }

  noteWorked(): void {
    this.error = this.#unreadSince = this.#missingSince = undefined;
  }

  /**
   * Returns whether failures have lasted too long: `unread` for a missing scope, `lost` otherwise.
   * `isNew` means that this read never worked.
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
