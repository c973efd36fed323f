import { type PaystateError, UnreachableError } from '../../core/errors/index.ts';
import type { Clock } from '../../core/time/index.ts';
import type { Store } from '../../stores/store.ts';
import { sameContent } from '../../core/watch/index.ts';
import { applyEvent, type PayEvent } from './apply-event.ts';
import { isRow, newRow, type PayRow } from './row.ts';
import type { PayCommand } from './order.ts';
import { isOver } from './schedule.ts';

/** Rows of runs begin so in a store. */
export const JOURNAL_ROWS: string = 'pay/';
/** A write that loses this often to others is given up. */
const MOST_WRITES = 20;
const LONGEST_PAUSE = 30_000;
/** A store that fails so often in a row is broken. */
const MOST_FAILURES = 8;

/** The journal has failed for good: what it holds is not known. */
export class JournalFailure extends Error {
  /** The same for who called. */
  toPublic(): PaystateError {
    const facts = { code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'retry' } as const;
    return new UnreachableError(`journal: ${this.message}; repair it, then resume()`, facts);
  }
}

/** An intent that is not over. */
interface OpenIntent {
  readonly intent: string;
  readonly row: PayRow | undefined;
}

/** What a row cannot be driven by is not guessed: another version may have meant more by it. */
function checkRow(value: unknown): PayRow {
  if (isRow(value)) return value;
  throw new JournalFailure(
    'what the journal has of this intent is of another version, or not of it',
  );
}

/** What is thrown of a journal that fails is typed. */
export async function withJournal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw thrown instanceof JournalFailure ? thrown.toPublic() : thrown;
  }
}

/** The rows of all intents in one store, and who has claimed what. */
export class PayJournal {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** The row of an intent; `undefined` where there is none. */
  async read(intent: string): Promise<PayRow | undefined> {
    const stored = await this.#ask(() => this.#store.get(JOURNAL_ROWS + intent));
    return stored && checkRow(stored.value);
  }

  /** The row of an intent, made where there is none. */
  async begin({ intent, fingerprint, order, limits }: PayCommand): Promise<PayRow> {
    const row = newRow(intent, fingerprint, order, limits);
    const known = await this.read(intent);
    if (known) return known;
    await this.#ask(() => this.#store.compareAndSet(JOURNAL_ROWS + intent, 0, row, true));
    return this.get(intent);
  }

  /** The row of an intent that was begun. */
  async get(intent: string): Promise<PayRow> {
    const row = await this.read(intent);
    if (row) return row;
    throw new JournalFailure('what was written is gone');
  }

  /** Writes what follows from an event, on whatever the row has become; resolves to the row then. */
  async write(intent: string, event: PayEvent): Promise<PayRow> {
    for (let count = 0; count < MOST_WRITES; count++) {
      const stored = await this.#ask(() => this.#store.get(JOURNAL_ROWS + intent));
      if (!stored) throw new JournalFailure('what was written is gone');
      const row = checkRow(stored.value);
      const next = applyEvent(row, event);
      if (next === row || sameContent(next, row)) return row;
      const isOpen = !isOver(next);
      const isWritten = await this.#ask(() =>
        this.#store.compareAndSet(JOURNAL_ROWS + intent, stored.version, next, isOpen),
      );
      if (isWritten) return next;
    }
    throw new JournalFailure('others write the same row all the time');
  }

  /** Takes a name for an intent; false where another one has it that `isFree` does not let go. */
  async claim(
    name: string,
    intent: string,
    isFree?: (holder: string) => Promise<boolean>,
  ): Promise<boolean> {
    let isOurs = true;
    await this.change<string>(name, async (holder) => {
      isOurs = holder === undefined || holder === intent || !!(await isFree?.(holder));
      return isOurs && holder !== intent ? intent : undefined;
    });
    return isOurs;
  }

  /** Who holds a name. */
  holderOf(name: string): Promise<string | undefined> {
    return this.valueOf(name);
  }

  /** What is written under a name. */
  async valueOf<T>(name: string): Promise<T | undefined> {
    const stored = await this.#ask(() => this.#store.get(name));
    return stored?.value as T | undefined;
  }

  /** Changes a value by compare-and-set; `undefined` leaves it, and resolves to false. */
  async change<T>(
    name: string,
    next: (value: T | undefined) => Promise<T | undefined>,
  ): Promise<boolean> {
    for (let count = 0; count < MOST_WRITES; count++) {
      const stored = await this.#ask(() => this.#store.get(name));
      const value = await next(stored?.value as T | undefined);
      if (value === undefined) return false;
      const version = stored?.version ?? 0;
      if (await this.#ask(() => this.#store.compareAndSet(name, version, value))) return true;
    }
    throw new JournalFailure('others write the same row all the time');
  }

  /** The intents that are not over; one whose row cannot be read has no `row`. */
  async listOpen(): Promise<readonly OpenIntent[]> {
    const open = await this.#ask(() => this.#store.listOpen(JOURNAL_ROWS));
    return open.map(({ key, row: { value } }) => ({
      intent: key.slice(JOURNAL_ROWS.length),
      row: isRow(value) ? value : undefined,
    }));
  }

  /** What fails is asked again: every write here is a compare-and-set, and harmless twice. */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.#clock.external(work());
      } catch (thrown) {
        if (failures >= MOST_FAILURES)
          throw new JournalFailure('the journal fails', { cause: thrown });
        await this.#clock.wait(Math.min(LONGEST_PAUSE, 250 * 2 ** failures));
      }
    }
  }
}
