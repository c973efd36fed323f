import { isPaystateError, type PaystateError, UnreachableError } from '../../core/errors/index.ts';
import { type Connection, internals, stateOf } from '../../core/http/index.ts';
import { sameContent } from '../../core/watch.ts';
import type { SqlStatement } from '../../stores/sql-driver.ts';
import type { Store } from '../../stores/store.ts';
import { accountOf, foreignJournal, type JournalPin, PIN_ROW, readPin } from './account.ts';
import type { PayCommand } from './intent.ts';
import { isRow, JOURNAL_ROWS, newRow, type PayRow } from './row.ts';
import { isOver } from './schedule.ts';
import { applyEvent, type PayEvent } from './transitions.ts';

/** A pin is written once: whoever comes second reads it. */
const MOST_PIN_WRITES = 20;
/** A write that others overtake is repeated after a random pause of up to this, which doubles. */
const FIRST_BACKOFF_MS = 5;
const LONGEST_BACKOFF_MS = 1_000;
/** A write that others have overtaken for this long is given up. */
const BUSY_AFTER_MS = 60_000;
/** One operation of the store that does not answer counts as failed after this. */
const ANSWER_TIMEOUT_MS = 30_000;
/** No operation is repeated after this: a store that does not answer is given up in bounded time. */
const GIVE_UP_AFTER_MS = 90_000;
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

/** Others change what is shared by many intents all the time; a run that has sent nothing says so. */
export class JournalBusy extends JournalFailure {}

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
  readonly #client: Connection;
  readonly #account: string;
  #pin: JournalPin | undefined;

  constructor(store: Store, client: Connection) {
    this.#store = store;
    this.#client = client;
    this.#account = accountOf(client);
  }

  /**
   * The account that the journal is of: that of its first client. Throws InputError for a client of
   * another one.
   */
  async pin(): Promise<JournalPin> {
    const account = this.#account;
    for (let count = 0; !this.#pin && count < MOST_PIN_WRITES; count++) {
      const stored = await this.#ask(() => this.#store.get(PIN_ROW));
      this.#pin = readPin(stored?.value);
      if (this.#pin) break;
      const pinnedAt = this.#client[internals].clock.now();
      const first: JournalPin = { format: 1, pin: account, account, pinnedAt };
      await this.#ask(() => this.#store.compareAndSet(PIN_ROW, 0, first));
    }
    if (!this.#pin) throw new JournalFailure('what was written is gone');
    // a store that forgets may be given to a client that cannot name its account
    if (account !== '' && this.#pin.account !== account) throw foreignJournal();
    return this.#pin;
  }

  /** Since when the journal is pinned to its account, milliseconds. */
  async pinAge(): Promise<number> {
    const { pinnedAt } = await this.pin();
    return this.#client[internals].clock.now() - pinnedAt;
  }

  /** The row of an intent; `undefined` where there is none. */
  async read(intent: string): Promise<PayRow | undefined> {
    await this.pin();
    const stored = await this.#ask(() => this.#store.get(JOURNAL_ROWS + intent));
    return stored && checkRow(stored.value);
  }

  /** The row of an intent, made where there is none. */
  async begin({ intent, fingerprint, order, limits }: PayCommand): Promise<PayRow> {
    const { clock } = this.#client[internals];
    const row = newRow(intent, fingerprint, order, limits, clock.now());
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
    for (const backOff = this.#backOff(JournalFailure); ; await backOff()) {
      const stored = await this.#ask(() => this.#store.get(JOURNAL_ROWS + intent));
      if (!stored) throw new JournalFailure('what was written is gone');
      const row = checkRow(stored.value);
      const next = applyEvent(row, event);
      // what changes nothing is written too, since the row that was read may be an old one; all that
      // follows from another look at what is on its way is another look
      if (event.is === 'read-pending' && sameContent(next, row)) return row;
      // an end stays open until a caller has heard of it
      const isOpen = !isOver(next) || next.ackedAt === undefined;
      const isWritten = await this.#ask(() =>
        this.#store.compareAndSet(JOURNAL_ROWS + intent, stored.version, next, isOpen),
      );
      if (isWritten) return next;
    }
  }

  /**
   * Writes that a caller has heard of an end; false where it was written before, or the end is another
   * one by now. Statements run in the same transaction, for which the store has to have one.
   */
  async acknowledge(
    intent: string,
    event: PayEvent,
    statements: readonly SqlStatement[] = [],
  ): Promise<boolean> {
    const key = JOURNAL_ROWS + intent;
    for (const backOff = this.#backOff(JournalFailure); ; await backOff()) {
      const stored = await this.#ask(() => this.#store.get(key));
      if (!stored) throw new JournalFailure('what was written is gone');
      const row = checkRow(stored.value);
      const next = applyEvent(row, event);
      if (next === row || row.ackedAt !== undefined) return false;
      const isWritten = await this.#ask(async () =>
        statements.length > 0
          ? this.#store.compareAndSetWith!(key, stored.version, next, statements)
          : this.#store.compareAndSet(key, stored.version, next),
      );
      if (isWritten) return true;
    }
  }

  /** An end that nobody has acknowledged for long is not listed any more. */
  async forget({ intent, round, phase: told }: PayRow, at: number): Promise<void> {
    await this.acknowledge(intent, { is: 'ack', round, told, at });
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

  /**
   * Changes a value by compare-and-set; `undefined` leaves it, and resolves to false. All changes of
   * one name by one client share their writes, and between processes a write that others overtake
   * waits. Rejects with JournalBusy where that lasts a minute.
   */
  change<T>(name: string, next: Change<T>): Promise<boolean> {
    const stores = stateOf(
      this.#client,
      'flows.changes',
      () => new WeakMap<Store, Map<string, SharedChanges>>(),
    );
    const names = stores.get(this.#store) ?? new Map<string, SharedChanges>();
    stores.set(this.#store, names);
    let shared = names.get(name);
    if (!shared) {
      const write = (changes: readonly WaitingChange[]) => this.#writeAll(name, changes);
      shared = new SharedChanges(write, () => void names.delete(name));
      names.set(name, shared);
    }
    return shared.add(next as Change<unknown>);
  }

  /** Makes all changes by one write, and settles each. */
  async #writeAll(name: string, changes: readonly WaitingChange[]): Promise<void> {
    let left = changes;
    try {
      for (const backOff = this.#backOff(JournalBusy); ; await backOff()) {
        const stored = await this.#ask(() => this.#store.get(name));
        const made = await applyChanges(stored?.value, left);
        left = made.left;
        const version = stored?.version ?? 0;
        const isDone =
          made.changed.size === 0 ||
          (await this.#ask(() => this.#store.compareAndSet(name, version, made.value)));
        if (isDone) return left.forEach((one) => one.resolve(made.changed.has(one)));
      }
    } catch (thrown) {
      for (const one of left) one.reject(thrown);
    }
  }

  /** Waits after a write that others have overtaken; throws where they do it all the time. */
  #backOff(Failure: typeof JournalFailure): () => Promise<void> {
    const { clock, random } = this.#client[internals];
    const until = clock.monotonic() + BUSY_AFTER_MS;
    let longest = FIRST_BACKOFF_MS;
    return async () => {
      if (clock.monotonic() >= until) throw new Failure('others write the same row all the time');
      await clock.wait(random() * longest);
      longest = Math.min(LONGEST_BACKOFF_MS, longest * 2);
    };
  }

  /** The intents that are not over; one whose row cannot be read has no `row`. */
  async listOpen(): Promise<readonly OpenIntent[]> {
    await this.pin();
    const open = await this.#ask(() => this.#store.listOpen(JOURNAL_ROWS));
    return open.map(({ key, row: { value } }) => ({
      intent: key.slice(JOURNAL_ROWS.length),
      row: isRow(value) ? value : undefined,
    }));
  }

  /**
   * What fails, or does not answer, is asked again: every write here is a compare-and-set, and
   * harmless twice. What the store refuses as wrong input stays so.
   */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#client[internals];
    const giveUpAt = clock.monotonic() + GIVE_UP_AFTER_MS;
    for (let failures = 0; ; failures++) {
      try {
        return await this.#inTime(clock.external(work()));
      } catch (thrown) {
        if (isPaystateError(thrown) && thrown.kind === 'input') throw thrown;
        if (failures >= MOST_FAILURES || clock.monotonic() >= giveUpAt)
          throw new JournalFailure(`the journal fails${codeOf(thrown)}`, { cause: thrown });
        await clock.wait(Math.min(LONGEST_PAUSE, 250 * 2 ** failures));
      }
    }
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const { clock } = this.#client[internals];
    return new Promise((resolve, reject) => {
      const late = Object.assign(new Error('the store does not answer'), { code: 'TIMEOUT' });
      const cancel = clock.after(ANSWER_TIMEOUT_MS, () => reject(late));
      work.then(resolve, reject).finally(cancel);
    });
  }
}

/** The code of an error, such as `ENOSPC`; its text may hold secrets. */
function codeOf(thrown: unknown): string {
  const { code } = Object(thrown) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? ` (${code})` : '';
}

/** One change of a value: what it becomes, or `undefined` where it stays. May be called again. */
type Change<T> = (value: T | undefined) => Promise<T | undefined>;

/** A change that waits for its turn. */
interface WaitingChange {
  readonly next: Change<unknown>;
  resolve(isChanged: boolean): void;
  reject(reason: unknown): void;
}

/**
 * Changes of one stored value by one client: while a write is under way the others gather, and the
 * next write makes all of them. However many payments run at once, a client writes the value once at
 * a time and competes only with other processes.
 */
class SharedChanges {
  readonly #write: (changes: readonly WaitingChange[]) => Promise<void>;
  readonly #onIdle: () => void;
  #waiting: WaitingChange[] = [];
  #isBusy = false;

  /** `write` makes the changes in one write and settles each; it never rejects. */
  constructor(write: (changes: readonly WaitingChange[]) => Promise<void>, onIdle: () => void) {
    this.#write = write;
    this.#onIdle = onIdle;
  }

  /** Resolves to whether the value was changed by it. */
  add(next: Change<unknown>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ next, resolve, reject });
      if (!this.#isBusy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const changes = this.#waiting;
      this.#waiting = [];
      await this.#write(changes);
    }
    this.#isBusy = false;
    this.#onIdle();
  }
}

/** What a value becomes by several changes. */
interface Applied {
  readonly value: unknown;
  readonly changed: ReadonlySet<WaitingChange>;
  /** Those that did not throw; the others are rejected. */
  readonly left: readonly WaitingChange[];
}

/** Makes several changes of one value, one after the other. */
async function applyChanges(value: unknown, changes: readonly WaitingChange[]): Promise<Applied> {
  const changed = new Set<WaitingChange>();
  const left: WaitingChange[] = [];
  let current = value;
  for (const change of changes)
    try {
      const next = await change.next(current);
      left.push(change);
      if (next === undefined) continue;
      current = next;
      changed.add(change);
    } catch (thrown) {
      change.reject(thrown);
    }
  return { value: current, changed, left };
}
