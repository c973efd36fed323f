import { checkOptions } from '../core/errors/index.ts';
import { MEMORY_OPTIONS, type MemoryStoreOptions } from './store.ts';

/**
 * Where an entry comes from: an event from the service, the redelivery of a dead letter, or just a
 * reason to read the subject. It doesn't depend on the id or the body.
 */
export type ReceivedEventKind = 'event' | 'redelivery' | 'read';

/** Key of received events. Two of different kinds are different, whatever their ids. */
export interface ReceivedEventKey {
  /** Where it comes from. Part of the key, so an id of one kind never hides one of another. */
  readonly kind: ReceivedEventKind;
  /** Unique within its kind. For an event, it's the service's id. */
  readonly id: string;
}

/** An entry in the inbox's queue. Times are milliseconds since 1970. */
export interface ReceivedEvent extends ReceivedEventKey {
  /** Its subject, such as `invoice:<id>`. A subject is processed under one lease at a time. */
  readonly subject: string;
  /** The received body, unchanged. */
  readonly body: string;
  /** When the service created it. */
  readonly createdAt: number;
  /** When the inbox received it, by this machine's clock. `forget` uses it. */
  readonly receivedAt: number;
}

/** `clash` means that kind and id are known with a different subject. The first one is kept. */
export type AddResult = 'new' | 'known' | 'clash';

/** The right to process a subject, with all its events that aren't done. */
export interface Lease {
  /** The subject of all its events. */
  readonly subject: string;
  /** Increases with each lease of the subject. A later lease makes this one void. */
  readonly number: number;
  /** State from the last commit, as plain JSON. */
  readonly state: unknown;
  /** The events, in the order they arrived. */
  readonly events: readonly ReceivedEvent[];
}

/** What a commit writes. */
export interface Commit {
  /** Replaces the `state` for the subject's next lease. Plain JSON. */
  readonly state: unknown;
  /** Events that leave the queue. The store still remembers them. */
  readonly done?: readonly ReceivedEventKey[] | undefined;
  /**
   * When to process the subject again. If absent, when an event arrives. Events that arrived in the
   * meantime are due immediately.
   */
  readonly due?: number | undefined;
  /** How long the lease lasts. If absent, it ends. */
  readonly until?: number | undefined;
}

/** A job that was given up, with the data for running it again. */
export interface DeadLetter {
  /** Key of the handler run for `redeliver`, such as `invoice:<id>:PAID`. */
  readonly key: string;
  /** Its subject, as in `ReceivedEvent`. */
  readonly subject: string;
  /**
   * The job as a JSON string, which `redeliver` restores. Its format isn't part of the interface.
   */
  readonly body: string;
}

/** Amount of waiting work in an inbox store. */
export interface InboxCounts {
  /** Number of events that aren't done. */
  readonly open: number;
  /** Number of jobs that were given up and haven't been redelivered since. */
  readonly deadLetters: number;
  /** When the next subject is due, in milliseconds since 1970. */
  readonly nextDue?: number | undefined;
  /** When the oldest event that isn't done was created. */
  readonly oldest?: number | undefined;
}

/**
 * Stores events until they're handled. A handler writes with `Tx` in the same transaction, so its
 * writes are stored together with the commit or not at all.
 */
export interface InboxStore<Tx> {
  /**
   * Whether the data outlives the process. False in memory, because a crash loses events that
   * already got a 200 response.
   */
  readonly durable: boolean;
  /** Whether the creator accepts that data is lost. If so, it may be used outside a sandbox. */
  readonly mayForget?: boolean | undefined;
  /**
   * Stores unknown events together with the cursor, all or nothing. They're durable when it
   * resolves.
   */
  add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]>;
  /** Returns the last cursor. */
  cursor(): Promise<unknown>;
  /** Leases up to `limit` subjects that are due and not leased, for `duration` milliseconds. */
  lease(now: number, duration: number, limit: number): Promise<readonly Lease[]>;
  /**
   * Writes the commit together with the writes made by `write`. Resolves to false, and writes
   * nothing, if the lease is void.
   */
  commit(lease: Lease, commit: Commit, write?: (tx: Tx) => void): Promise<boolean>;
  /** Writes a commit together with a dead letter. */
  deadLetter(lease: Lease, commit: Commit, letter: DeadLetter): Promise<boolean>;
  /** Returns all dead letters, oldest first. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /**
   * Replaces a dead letter with an event, in one step. Resolves to false if there's none with this
   * key.
   */
  requeue(key: string, event: ReceivedEvent): Promise<boolean>;
  /** Counts the waiting work of all subjects. */
  counts(): Promise<InboxCounts>;
  /** Deletes done events that arrived before this time. */
  forget(before: number): Promise<void>;
}

/** A handler's transaction with an in-memory inbox. */
export interface MemoryTransaction {
  /** Returns a copy of the key's value, including writes in this transaction, or `undefined`. */
  get(key: string): unknown;
  /** Stores a copy of the value when the transaction's commit is written. */
  put(key: string, value: unknown): void;
}

/** An in-memory inbox store, with the values written by handlers. */
export interface MemoryInboxStore extends InboxStore<MemoryTransaction> {
  /** Returns a value written by a transaction. */
  valueOf(key: string): unknown;
}

interface Subject {
  number: number;
  state: unknown;
  until: number;
  due: number;
  /** By kind and id, in the order of arrival. */
  readonly open: Map<string, ReceivedEvent>;
}

type KnownEvent = Pick<ReceivedEvent, 'subject' | 'receivedAt'>;

/**
 * Creates an in-memory inbox store, for tests and sandboxes. Everything is lost when the process
 * ends, and `durable` is false. Outside a sandbox, `createInbox` only accepts it with `mayForget`.
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

  /** If `write` throws, nothing is written. */
  #draftOf(write: (tx: MemoryTransaction) => void): ReadonlyMap<string, unknown> {
    const draft = new Map<string, unknown>();
    write({
      get: (key) => structuredClone(draft.has(key) ? draft.get(key) : this.#beside.get(key)),
      put: (key, value) => void draft.set(key, structuredClone(value)),
    });
    return draft;
  }
}
