import { isPaystateError, type PaystateError, UnreachableError } from '../../core/errors/index.ts';
import { type Connection, internals, type Slot, stateOf } from '../../core/http/index.ts';
import type { SqlStatement } from '../../stores/drivers.ts';
import type { Store } from '../../stores/store.ts';
import { pinAccount, foreignJournal, type JournalPin, PIN_ROW, readPin } from './account.ts';
import type { MoveCommand } from './intent.ts';
import { isRow, JOURNAL_ROWS, type MoveRow, readView } from './facts.ts';

/**
 * The pin is written once; a second process reads it. After this many lost writes the store is
 * broken.
 */
const MAX_PIN_WRITES = 20;
/**
 * A write that another process overtakes is repeated after a random pause of up to this, doubling.
 */
const FIRST_BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 1_000;
/** A write that other processes have overtaken for this long is given up. */
const BUSY_AFTER_MS = 60_000;
/** An operation of the store that has not ended after this time counts as failed. */
const ANSWER_TIMEOUT_MS = 30_000;
/** No operation is repeated after this time, so that a store that does not respond is given up. */
const GIVE_UP_AFTER_MS = 90_000;
const MAX_RETRY_PAUSE_MS = 30_000;
/** A store that fails more often than this in a row is broken. */
const MAX_FAILURES = 8;

/** The journal has failed for good, so what it holds is not known. */
export class JournalFailure extends Error {
  /** The same failure as an error for the caller. */
  toPublic(): PaystateError {
    const facts = { code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'retry' } as const;
    return new UnreachableError(`journal: ${this.message}; repair it, then resume()`, facts);
  }
}

/**
 * Other processes keep changing a value that many intents share. A run that has sent nothing
 * refuses.
 */
export class JournalBusy extends JournalFailure {}

/** An intent that needs its run, or whose end is not acknowledged. */
interface OpenIntent {
  readonly intent: string;
  readonly row: MoveRow | undefined;
}

/**
 * Refuses a row of another format instead of guessing: another version may have meant more by it.
 */
function checkRow(value: unknown, intent: string): MoveRow {
  if (!isRow(value))
    throw new JournalFailure(
      'the row of this intent has the format of another version, or is not a row',
    );
  if (value.intent !== intent) throw new JournalFailure('the store gave the row of another intent');
  return value;
}

/** Turns a failure of the journal into a typed error for the caller. */
export async function withJournal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw thrown instanceof JournalFailure ? thrown.toPublic() : thrown;
  }
}

/** Tells whether `resume` has to list a row: it goes on, or nobody has acknowledged its end. */
function isOpen(row: MoveRow): boolean {
  const { over, isAcked } = readView(row);
  return !over || over.as === 'unknown' || !isAcked;
}

const CHANGES: Slot<WeakMap<Store, Map<string, SharedChanges>>> = {
  name: 'flows.changes',
  make: () => new WeakMap(),
};

/** The rows of all intents in one store, and the claims on names that intents hold. */
export class MoveJournal {
  readonly #store: Store;
  readonly #client: Connection;
  readonly #account: string;
  #pin: JournalPin | undefined;

  constructor(store: Store, client: Connection) {
    this.#store = store;
    this.#client = client;
    this.#account = pinAccount(client);
  }

  /**
   * Reads the account of the journal, or pins the journal to this client's account. Throws
   * InputError for a client of another account.
   */
  async pin(): Promise<JournalPin> {
    const account = this.#account;
    for (let count = 0; !this.#pin && count < MAX_PIN_WRITES; count++) {
      const stored = await this.#ask(() => this.#store.get(PIN_ROW));
      this.#pin = readPin(stored?.value);
      if (this.#pin) break;
      const pinnedAt = this.#client[internals].clock.now();
      const first: JournalPin = { format: 1, pin: account, account, pinnedAt };
      await this.#ask(() => this.#store.compareAndSet(PIN_ROW, 0, first));
    }
    if (!this.#pin) throw new JournalFailure('a row that was written is gone');
    // a client that cannot name its account may use a store that forgets
    if (account !== '' && this.#pin.account !== account) throw foreignJournal();
    return this.#pin;
  }

  /** Reads the row of an intent; `undefined` where there is none. */
  async read(intent: string): Promise<MoveRow | undefined> {
    await this.pin();
    const stored = await this.#ask(() => this.#store.get(JOURNAL_ROWS + intent));
    return stored && checkRow(stored.value, intent);
  }

  /** Reads the row of an intent, and creates it where there is none, for the process `by`. */
  async begin({ intent, fingerprint, order, limits }: MoveCommand, by: string): Promise<MoveRow> {
    const { clock } = this.#client[internals];
    const known = await this.read(intent);
    if (known) return known;
    const at = clock.now();
    const row: MoveRow = { format: 2, intent, fingerprint, order, limits, by, at, facts: [] };
    await this.#ask(() => this.#store.compareAndSet(JOURNAL_ROWS + intent, 0, row, true));
    return this.get(intent);
  }

  /** Reads the row of an intent that was begun. */
  async get(intent: string): Promise<MoveRow> {
    const row = await this.read(intent);
    if (row) return row;
    throw new JournalFailure('a row that was written is gone');
  }

  /**
   * Changes a row by compare-and-set: `next` decides on the very row that is replaced, and is called
   * again where another process was first. Resolves to the row, or to `undefined` where `next`
   * returns that. Statements run in the same transaction; the store must support it.
   */
  async changeRow(
    intent: string,
    next: (row: MoveRow) => MoveRow | undefined,
    statements: readonly SqlStatement[] = [],
  ): Promise<MoveRow | undefined> {
    const key = JOURNAL_ROWS + intent;
    for (const backOff = this.#backOff(JournalFailure); ; await backOff()) {
      const stored = await this.#ask(() => this.#store.get(key));
      if (!stored) throw new JournalFailure('a row that was written is gone');
      const row = checkRow(stored.value, intent);
      const made = next(row);
      if (!made || made === row) return made;
      const isWritten = await this.#ask(async () =>
        statements.length > 0
          ? this.#store.compareAndSetWith!(key, stored.version, made, statements)
          : this.#store.compareAndSet(key, stored.version, made, isOpen(made)),
      );
      if (isWritten) return made;
    }
  }

  /** Takes an end that nobody has acknowledged for a long time off the list. */
  async forget(intent: string, at: number): Promise<void> {
    await this.changeRow(intent, (row) => {
      const { round, over, isAcked } = readView(row);
      if (!over || isAcked) return undefined;
      return {
        ...row,
        facts: [...row.facts, { is: 'acked', by: 'forgotten', i: round, at, round }],
      };
    });
  }

  /** Changes what the journal knows of its account. */
  async learn(more: Partial<JournalPin>): Promise<void> {
    const pin = await this.pin();
    await this.change<JournalPin>(PIN_ROW, async (value) => ({ ...pin, ...value, ...more }));
    this.#pin = { ...pin, ...more };
  }

  /**
   * Claims a name for an intent; false where another intent holds it and `isFree` does not release
   * it.
   */
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

  /** Resolves to the intent that holds a name. */
  holderOf(name: string): Promise<string | undefined> {
    return this.valueOf(name);
  }

  /** Resolves to the value stored under a name. */
  async valueOf<T>(name: string): Promise<T | undefined> {
    const stored = await this.#ask(() => this.#store.get(name));
    return stored?.value as T | undefined;
  }

  /**
   * Changes a value by compare-and-set; resolves to false where `next` returns `undefined`, which
   * leaves the value. All changes of one name by one client share their writes. A write that
   * another process overtakes is repeated; rejects with JournalBusy after a minute of that.
   */
  change<T>(name: string, next: Change<T>): Promise<boolean> {
    const stores = stateOf(this.#client, CHANGES);
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

  /** Makes all changes in one write, and settles each. */
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

  /** Returns a function that waits after an overtaken write, and throws after a minute of them. */
  #backOff(Failure: typeof JournalFailure): () => Promise<void> {
    const { clock, random } = this.#client[internals];
    const until = clock.monotonic() + BUSY_AFTER_MS;
    let longest = FIRST_BACKOFF_MS;
    return async () => {
      if (clock.monotonic() >= until)
        throw new Failure('other processes keep writing the same row');
      await clock.wait(random() * longest);
      longest = Math.min(MAX_BACKOFF_MS, longest * 2);
    };
  }

  /** Lists the open intents; one whose row cannot be read has no `row`. */
  async listOpen(): Promise<readonly OpenIntent[]> {
    await this.pin();
    const open = await this.#ask(() => this.#store.listOpen(JOURNAL_ROWS));
    return open.map(({ key, row: { value } }) => ({
      intent: key.slice(JOURNAL_ROWS.length),
      row: isRow(value) && JOURNAL_ROWS + value.intent === key ? value : undefined,
    }));
  }

  /**
   * Repeats an operation of the store that fails or does not respond: every write here is a
   * compare-and-set, so repeating it does no harm. Input that the store refuses is not repeated.
   */
  async #ask<T>(work: () => Promise<T>): Promise<T> {
    const { clock } = this.#client[internals];
    const giveUpAt = clock.monotonic() + GIVE_UP_AFTER_MS;
    for (let failures = 0; ; failures++) {
      try {
        return await this.#inTime(clock.external(work()));
      } catch (thrown) {
        if (isPaystateError(thrown) && thrown.kind === 'input') throw thrown;
        if (failures >= MAX_FAILURES || clock.monotonic() >= giveUpAt)
          throw new JournalFailure(`the journal failed${findCode(thrown)}`, { cause: thrown });
        await clock.wait(Math.min(MAX_RETRY_PAUSE_MS, 250 * 2 ** failures));
      }
    }
  }

  #inTime<T>(work: Promise<T>): Promise<T> {
    const { clock } = this.#client[internals];
    return new Promise((resolve, reject) => {
      const late = Object.assign(new Error('the store did not respond'), { code: 'TIMEOUT' });
      const cancel = clock.after(ANSWER_TIMEOUT_MS, () => reject(late));
      work.then(resolve, reject).finally(cancel);
    });
  }
}

/** Returns the code of an error, such as `ENOSPC`, but not its text, which may hold secrets. */
function findCode(thrown: unknown): string {
  const { code } = Object(thrown) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? ` (${code})` : '';
}

/** Returns what a value becomes, or `undefined` to leave it. May be called more than once. */
type Change<T> = (value: T | undefined) => Promise<T | undefined>;

/** A change that waits for its turn. */
interface WaitingChange {
  readonly next: Change<unknown>;
  resolve(isChanged: boolean): void;
  reject(reason: unknown): void;
}

/**
 * Combines the changes of one stored value by one client: changes that come while a write is under
 * way are made together by the next write. A client therefore has one write at a time, however many
 * payments run at once, and competes only with other processes.
 */
class SharedChanges {
  readonly #write: (changes: readonly WaitingChange[]) => Promise<void>;
  readonly #onIdle: () => void;
  #waiting: WaitingChange[] = [];
  #isBusy = false;

  /** `write` makes the changes in one write and settles each of them; it never rejects. */
  constructor(write: (changes: readonly WaitingChange[]) => Promise<void>, onIdle: () => void) {
    this.#write = write;
    this.#onIdle = onIdle;
  }

  /** Adds a change; resolves to whether it changed the value. */
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

/** The value after several changes. */
interface Applied {
  readonly value: unknown;
  readonly changed: ReadonlySet<WaitingChange>;
  /** Changes that did not throw; the others are rejected already. */
  readonly left: readonly WaitingChange[];
}

/** Makes several changes of one value, in order. */
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
