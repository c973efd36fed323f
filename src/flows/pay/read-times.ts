import type { PaystateError } from '../../core/errors/index.ts';
import { LAG_MS } from '../../resources/service-facts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** The largest possible difference between two processes' clocks. */
const CLOCK_SLACK_MS = 60_000;
/**
 * How long a read that has never worked can be refused before we assume that a scope is missing.
 */
const REFUSED_FOR_MS = 60_000;
/** How long an accepted transfer can be missing before it's considered lost. */
const MISSING_FOR_MS = 600_000;
/** How long reads of a transfer can fail before it's considered lost. */
export const UNREAD_FOR_MS = 86_400_000;

/**
 * Schedules the reads of a transfer and tracks their failures. Times are in milliseconds according
 * to the service's clock.
 */
export class ReadTimes {
  error: PaystateError | undefined;
  #readAt: number | undefined;
  #heardAt: number | undefined;
  #pendingSince: number | undefined;
  #unreadSince: number | undefined;
  #missingSince: number | undefined;

  /** Schedules a read right away, because the transfer may have changed. */
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
   * Returns when to read the transfer next. Reads are frequent at first, every ten minutes after an
   * hour, and hourly after a day. They never stop.
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
   * Returns whether reads have failed for too long: `unread` if a scope is missing, `lost`
   * otherwise. `isNew` means that this read has never worked.
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
