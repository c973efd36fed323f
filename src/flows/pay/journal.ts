import { isPaystateError, type PaystateError, UnreachableError } from '../../core/errors/index.ts';
import { type Connection, internals, type Slot, slotState } from '../../core/http/index.ts';
import type { SqlStatement } from '../../stores/drivers.ts';
import type { Store } from '../../stores/store.ts';
import { pinAccount, foreignJournal, type JournalPin, PIN_ROW, readPin } from './account.ts';
import type { MoveCommand } from './intent.ts';
import { isRow, JOURNAL_ROWS, type MoveRow, readView } from './facts.ts';

/**
 * After this many failed attempts to write the account's name, the store is considered broken. The
 * name is only written once.
 */
const MAX_PIN_WRITES = 20;
/**
 * Bounds on the random delay before a conflicting write is retried. The upper bound doubles each
 * time.
 */
const FIRST_BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 1_000;
/** How long conflicting writes are retried. */
const BUSY_AFTER_MS = 60_000;
const ANSWER_TIMEOUT_MS = 30_000;
/** After this time, store operations are no longer retried. */
const GIVE_UP_AFTER_MS = 90_000;
const MAX_RETRY_PAUSE_MS = 30_000;
/** After more failures in a row than this, the store is considered broken. */
const MAX_FAILURES = 8;

/** The journal has failed permanently, so its contents are unknown. */
export class JournalFailure extends Error {
  toPublic(): PaystateError {
    const facts = { code: 'EXISTS_UNREAD', outcome: 'unknown', next: 'retry' } as const;
    return new UnreachableError(
      `journal: ${this.message}; repair the store, then call resume()`,
      facts,
    );
  }
}

/**
 * Other processes keep changing a value that many intents share. A run that hasn't sent anything
 * yet ends as refused with this error.
 */
export class JournalBusy extends JournalFailure {}

/** An intent whose run isn't finished, or whose result hasn't been acknowledged. */
interface OpenIntent {
  readonly intent: string;
  readonly row: MoveRow | undefined;
}

/** Throws for a journal row in another format, instead of guessing what another version meant. */
function checkRow(value: unknown, intent: string): MoveRow {
  if (!isRow(value))
    throw new JournalFailure(
      'the row of this intent is invalid, or was saved by another version of this package',
    );
  if (value.intent !== intent)
    throw new JournalFailure('the store returned the row of another intent');
  return value;
}

export async function withJournal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw thrown instanceof JournalFailure ? thrown.toPublic() : thrown;
  }
}

/**
 * Returns true if the intent hasn't ended or its result hasn't been acknowledged. `resume` must list
 * its row then.
 */
function isOpen(row: MoveRow): boolean {
  const { over, isAcked } = readView(row);
  return !over || over.as === 'unknown' || !isAcked;
}

const CHANGES: Slot<WeakMap<Store, Map<string, SharedChanges>>> = {
  name: 'flows.changes',
  make: () => new WeakMap(),
};

/** The journal rows of all intents in one store, and the names that intents have claimed. */
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
   * Reads the account that the journal belongs to. A new journal is bound to this client's account.
   * Throws InputError if the journal belongs to another account.
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
    if (!this.#pin) throw new JournalFailure('a saved row is missing from the store');
    // a client without an account name can use a store that isn't durable
    if (account !== '' && this.#pin.account !== account) throw foreignJournal();
    return this.#pin;
  }

  /** Reads an intent's journal row. Resolves to `undefined` if there's none. */
  async read(intent: string): Promise<MoveRow | undefined> {
    await this.pin();
    const stored = await this.#ask(() => this.#store.get(JOURNAL_ROWS + intent));
    return stored && checkRow(stored.value, intent);
  }

  /** Reads an intent's journal row. If the row is missing, creates it for the process `by`. */
  async begin({ intent, fingerprint, order, limits }: MoveCommand, by: string): Promise<MoveRow> {
    const { clock } = this.#client[internals];
    const known = await this.read(intent);
    if (known) return known;
    const at = clock.now();
    const row: MoveRow = { format: 2, intent, fingerprint, order, limits, by, at, facts: [] };
    await this.#ask(() => this.#store.compareAndSet(JOURNAL_ROWS + intent, 0, row, true));
    return this.get(intent);
  }

  async get(intent: string): Promise<MoveRow> {
    const row = await this.read(intent);
    if (row) return row;
    throw new JournalFailure('a saved row is missing from the store');
  }

  /**
   * Changes a row by compare-and-set. `next` receives the exact row that will be replaced, and is
   * called again if another process writes first. Resolves to the new row, or to `undefined` if
   * `next` returns `undefined`. The SQL statements run in the same transaction, which the store
   * must support.
   */
  async changeRow(
    intent: string,
    next: (row: MoveRow) => MoveRow | undefined,
    statements: readonly SqlStatement[] = [],
  ): Promise<MoveRow | undefined> {
    const key = JOURNAL_ROWS + intent;
    for (const backOff = this.#backOff(JournalFailure); ; await backOff()) {
      const stored = await this.#ask(() => this.#store.get(key));
      if (!stored) throw new JournalFailure('a saved row is missing from the store');
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

  /** Acknowledges the result of an old intent, so that the intent is no longer listed. */
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

  async learn(more: Partial<JournalPin>): Promise<void> {
    const pin = await this.pin();
    await this.change<JournalPin>(PIN_ROW, async (value) => ({ ...pin, ...value, ...more }));
    this.#pin = { ...pin, ...more };
  }

  /**
   * Claims a name for an intent. Resolves to false if another intent holds the name and `isFree`
   * doesn't release it.
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

  holderOf(name: string): Promise<string | undefined> {
    return this.valueOf(name);
  }

  async valueOf<T>(name: string): Promise<T | undefined> {
    const stored = await this.#ask(() => this.#store.get(name));
    return stored?.value as T | undefined;
  }

  /**
   * Changes a value by compare-and-set. Resolves to false if `next` returns `undefined`, which
   * leaves the value unchanged. Concurrent changes to the same name by one client share a write.
   * Retries conflicting writes, and rejects with JournalBusy after a minute.
   */
  change<T>(name: string, next: Change<T>): Promise<boolean> {
    const stores = slotState(this.#client, CHANGES);
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

  /**
   * Returns a function that waits before a conflicting write is retried. It throws once conflicts
   * have lasted a minute.
   */
  #backOff(Failure: typeof JournalFailure): () => Promise<void> {
    const { clock, random } = this.#client[internals];
    const until = clock.monotonic() + BUSY_AFTER_MS;
    let longest = FIRST_BACKOFF_MS;
    return async () => {
      if (clock.monotonic() >= until)
        throw new Failure('other processes keep changing the same row');
      await clock.wait(random() * longest);
      longest = Math.min(MAX_BACKOFF_MS, longest * 2);
    };
  }

  /** Lists the open intents. If an intent's row can't be read, `row` is absent. */
  async listOpen(): Promise<readonly OpenIntent[]> {
    await this.pin();
    const open = await this.#ask(() => this.#store.listOpen(JOURNAL_ROWS));
    return open.map(({ key, row: { value } }) => ({
      intent: key.slice(JOURNAL_ROWS.length),
      row: isRow(value) && JOURNAL_ROWS + value.intent === key ? value : undefined,
    }));
  }

  /**
   * Retries a store operation that fails or times out. All writes are compare-and-set, so it's safe
   * to repeat them. Invalid input isn't retried.
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

/** Returns the error's code, if any. The message is left out, because it may contain secrets. */
function findCode(thrown: unknown): string {
  const { code } = Object(thrown) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? ` (${code})` : '';
}

/** Returns the new value, or `undefined` to keep the old one. Can be called more than once. */
type Change<T> = (value: T | undefined) => Promise<T | undefined>;

interface WaitingChange {
  readonly next: Change<unknown>;
  resolve(isChanged: boolean): void;
  reject(reason: unknown): void;
}

/**
 * Combines one client's changes to a stored value. The next write makes all changes that arrive
 * during a write. A client therefore has only one write in flight, however many payments run at
 * once, and only competes with other processes.
 */
class SharedChanges {
  readonly #write: (changes: readonly WaitingChange[]) => Promise<void>;
  readonly #onIdle: () => void;
  #waiting: WaitingChange[] = [];
  #isBusy = false;

  /** `write` makes all given changes in one write and settles each of them. It never rejects. */
  constructor(write: (changes: readonly WaitingChange[]) => Promise<void>, onIdle: () => void) {
    this.#write = write;
    this.#onIdle = onIdle;
  }

  /** Adds a change. Resolves to whether it changed the value. */
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

interface Applied {
  readonly value: unknown;
  readonly changed: ReadonlySet<WaitingChange>;
  /** The changes that didn't throw. The others have already been rejected. */
  readonly left: readonly WaitingChange[];
}

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
