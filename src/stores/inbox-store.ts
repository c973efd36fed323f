import { checkOptions } from '../core/errors/index.ts';
import { MEMORY_OPTIONS, type MemoryStoreOptions } from './store.ts';

/**
 * The origin of an entry in the inbox's queue. An entry can be an event from the service, a
 * redelivered dead letter, or just a trigger to read the subject.
 */
export type ReceivedEventKind = 'event' | 'redelivery' | 'read';

/**
 * The key of a received event. Events of different kinds are distinct, even if they have the same
 * id.
 */
export interface ReceivedEventKey {
  /** The origin of the event. It's part of the key, so ids of different kinds can't collide. */
  readonly kind: ReceivedEventKind;
  /** An id that's unique within the kind. For an event from the service, it's the service's id. */
  readonly id: string;
}

/** An entry in the inbox's queue. Times are in milliseconds since 1970. */
export interface ReceivedEvent extends ReceivedEventKey {
  /**
   * The event's subject, such as `invoice:<id>`. Only one lease on a subject is valid at a time.
   */
  readonly subject: string;
  /** The received body, unchanged. */
  readonly body: string;
  /** When the service created the event. */
  readonly createdAt: number;
  /**
   * When the inbox received the event, according to this machine's clock. `forget` uses this time
   * to decide which events to delete.
   */
  readonly receivedAt: number;
}

/**
 * The result of adding an event. `clash` means that its kind and id are already stored with a
 * different subject. The stored event isn't changed.
 */
export type AddResult = 'new' | 'known' | 'clash';

/** The right to process a subject, along with all of its unfinished events. */
export interface Lease {
  /** The subject that all of these events share. */
  readonly subject: string;
  /**
   * The lease's number. It increases with each lease on the subject. A later lease makes this one
   * void.
   */
  readonly number: number;
  /** The subject's state as of its last commit, as plain JSON. */
  readonly state: unknown;
  /** The events, in the order they arrived. */
  readonly events: readonly ReceivedEvent[];
}

/** The changes that a commit writes. */
export interface Commit {
  /** The new `state` for the subject's next lease. It must be plain JSON. */
  readonly state: unknown;
  /** The events to remove from the queue. The store still remembers their keys. */
  readonly done?: readonly ReceivedEventKey[] | undefined;
  /**
   * When to process the subject again. If absent, it's processed when an event arrives. Events that
   * have arrived since the lease began are due immediately.
   */
  readonly due?: number | undefined;
  /** When the lease ends. If absent, it ends with this commit. */
  readonly until?: number | undefined;
}

/** A job that failed for good, with the data to run it again. */
export interface DeadLetter {
  /** The handler run's key for `redeliver`, such as `invoice:<id>:PAID`. */
  readonly key: string;
  /** The job's subject, as in `ReceivedEvent`. */
  readonly subject: string;
  /** The job as a JSON string. `redeliver` uses it to run the job again. Its format may change. */
  readonly body: string;
}

/** The amount of work waiting in an inbox store. */
export interface InboxCounts {
  /** The number of unfinished events. */
  readonly open: number;
  /** The number of jobs that failed for good and haven't been redelivered. */
  readonly deadLetters: number;
  /** When the next subject is due, in milliseconds since 1970. */
  readonly nextDue?: number | undefined;
  /** When the oldest unfinished event was created, in milliseconds since 1970. */
  readonly oldest?: number | undefined;
}

/**
 * Stores events until they're handled. Handlers write with `Tx` in the same transaction. Their
 * writes are stored together with the commit, or not at all.
 */
export interface InboxStore<Tx> {
  /**
   * Whether the data outlives the process. False for an in-memory store, because a crash loses
   * events that were already acknowledged with 200.
   */
  readonly durable: boolean;
  /**
   * Whether the application accepts the loss of data. If so, the store can be used outside a
   * sandbox even if it isn't durable.
   */
  readonly mayForget?: boolean | undefined;
  /**
   * Stores new events together with the cursor, in one transaction. They're durable when this
   * resolves.
   */
  add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]>;
  /** Returns the last stored cursor. */
  cursor(): Promise<unknown>;
  /**
   * Leases up to `limit` subjects for `duration` milliseconds. Only subjects that are due and not
   * leased are considered.
   */
  lease(now: number, duration: number, limit: number): Promise<readonly Lease[]>;
  /**
   * Writes the commit together with everything that `write` writes. If the lease is void, writes
   * nothing and resolves to false.
   */
  commit(lease: Lease, commit: Commit, write?: (tx: Tx) => void): Promise<boolean>;
  /** Writes a commit together with a dead letter. */
  deadLetter(lease: Lease, commit: Commit, letter: DeadLetter): Promise<boolean>;
  /** Returns all dead letters, oldest first. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /**
   * Replaces a dead letter with an event in one transaction. Resolves to false if there's no dead
   * letter with this key.
   */
  requeue(key: string, event: ReceivedEvent): Promise<boolean>;
  /** Counts the waiting work of all subjects. */
  counts(): Promise<InboxCounts>;
  /** Deletes finished events that arrived before this time. */
  forget(before: number): Promise<void>;
}

/** The transaction that a handler gets with an in-memory inbox. */
export interface MemoryTransaction {
  /**
   * Returns a copy of a value, including this transaction's writes. Returns `undefined` if there's
   * none.
   */
  get(key: string): unknown;
  /** Stores a copy of the value when the transaction is committed. */
  put(key: string, value: unknown): void;
}

/** An in-memory inbox store, with the values that handlers have written. */
export interface MemoryInboxStore extends InboxStore<MemoryTransaction> {
  /** Returns a value written by a transaction. */
  valueOf(key: string): unknown;
}

interface Subject {
  number: number;
  state: unknown;
  until: number;
  due: number;
  /** The unfinished events, by kind and id, in the order they arrived. */
  readonly open: Map<string, ReceivedEvent>;
}

type KnownEvent = Pick<ReceivedEvent, 'subject' | 'receivedAt'>;

/**
 * Creates an in-memory inbox store, for tests and sandboxes. All data is lost when the process
 * ends, so `durable` is false. Outside a sandbox, `createInbox` only accepts it with `mayForget`.
 *
 * @param options `mayForget` confirms that data is lost when the process ends
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: memoryInboxStore(), on: {} });
 */
export function memoryInboxStore(options: MemoryStoreOptions = {}): MemoryInboxStore {
  checkOptions(options, MEMORY_OPTIONS);
  return new InboxInMemory(options.mayForget);
}

function nameEvent({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

class InboxInMemory implements MemoryInboxStore {
  readonly durable = false;
  readonly mayForget: boolean | undefined;
  readonly #known: Map<string, KnownEvent> = new Map();
  readonly #subjects: Map<string, Subject> = new Map();
  readonly #deadLetters: Map<string, DeadLetter> = new Map();
  readonly #beside: Map<string, unknown> = new Map();
  #cursor: unknown;

  constructor(mayForget: boolean | undefined) {
    this.mayForget = mayForget;
  }

  valueOf(key: string): unknown {
    return structuredClone(this.#beside.get(key));
  }

  async add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    if (cursor !== undefined) this.#cursor = structuredClone(cursor);
    return events.map((event) => this.#keep(event));
  }

  async cursor(): Promise<unknown> {
    return structuredClone(this.#cursor);
  }

  async lease(now: number, duration: number, limit: number): Promise<readonly Lease[]> {
    const free = [...this.#subjects]
      .filter(([, { due, until }]) => due <= now && until <= now)
      .sort(([, a], [, b]) => a.due - b.due);
    return free.slice(0, limit).map(([name, subject]): Lease => {
      subject.until = now + duration;
      return {
        subject: name,
        number: ++subject.number,
        state: structuredClone(subject.state),
        events: [...subject.open.values()],
      };
    });
  }

  async commit(
    lease: Lease,
    { state, done = [], due = Infinity, until = 0 }: Commit,
    write?: (tx: MemoryTransaction) => void,
  ): Promise<boolean> {
    const subject = this.#subjects.get(lease.subject);
    if (!subject || !this.#holds(lease)) return false;
    if (write) for (const [key, value] of this.#draftOf(write)) this.#beside.set(key, value);
    for (const event of done) subject.open.delete(nameEvent(event));
    const leased = new Set(lease.events.map(nameEvent));
    const received = [...subject.open.values()]
      .filter((event) => !leased.has(nameEvent(event)))
      .map(({ receivedAt }) => receivedAt);
    Object.assign(subject, {
      state: structuredClone(state),
      until,
      due: Math.min(due, ...received),
    });
    return true;
  }

  async deadLetter(lease: Lease, commit: Commit, letter: DeadLetter): Promise<boolean> {
    if (!this.#holds(lease)) return false;
    this.#deadLetters.set(letter.key, letter);
    return this.commit(lease, commit);
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    return [...this.#deadLetters.values()];
  }

  async requeue(key: string, event: ReceivedEvent): Promise<boolean> {
    if (!this.#deadLetters.delete(key)) return false;
    this.#keep(event);
    return true;
  }

  async counts(): Promise<InboxCounts> {
    const subjects = [...this.#subjects.values()];
    const open = subjects.flatMap((subject) => [...subject.open.values()]);
    const nextDue = subjects
      .map(({ due, until }) => Math.max(due, until))
      .reduce((a, b) => Math.min(a, b), Infinity);
    const oldest = open.reduce((least, { createdAt }) => Math.min(least, createdAt), Infinity);
    return {
      open: open.length,
      deadLetters: this.#deadLetters.size,
      ...(nextDue < Infinity && { nextDue }),
      ...(oldest < Infinity && { oldest }),
    };
  }

  async forget(before: number): Promise<void> {
    for (const [name, { subject, receivedAt }] of this.#known)
      if (receivedAt < before && !this.#subjects.get(subject)?.open.has(name))
        this.#known.delete(name);
  }

  #keep(event: ReceivedEvent): AddResult {
    const name = nameEvent(event);
    const before = this.#known.get(name);
    if (before) return before.subject === event.subject ? 'known' : 'clash';
    this.#known.set(name, { subject: event.subject, receivedAt: event.receivedAt });
    const subject = this.#subjects.get(event.subject) ?? {
      number: 0,
      state: undefined,
      due: Infinity,
      until: 0,
      open: new Map(),
    };
    subject.open.set(name, event);
    subject.due = Math.min(subject.due, event.receivedAt);
    this.#subjects.set(event.subject, subject);
    return 'new';
  }

  #holds({ subject, number }: Lease): boolean {
    return this.#subjects.get(subject)?.number === number;
  }

  /** Returns a transaction's writes. If `write` throws, nothing is written. */
  #draftOf(write: (tx: MemoryTransaction) => void): ReadonlyMap<string, unknown> {
    const draft = new Map<string, unknown>();
    write({
      get: (key) => structuredClone(draft.has(key) ? draft.get(key) : this.#beside.get(key)),
      put: (key, value) => void draft.set(key, structuredClone(value)),
    });
    return draft;
  }
}
