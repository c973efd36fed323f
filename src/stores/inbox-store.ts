import { checkOptions } from '../core/errors/index.ts';
import { MEMORY_OPTIONS, type MemoryStoreOptions } from './store.ts';

/**
 * The origin of an entry: an event of the service, the redelivery of a dead letter, or a mere
 * reason to read the subject. Nothing in its id or body decides it.
 */
export type ReceivedEventKind = 'event' | 'redelivery' | 'read';

/** The key of received events: two of different kinds are two, whatever their ids. */
export interface ReceivedEventKey {
  /** Its origin; part of the key, so an id of one kind never hides one of another. */
  readonly kind: ReceivedEventKind;
  /** Unique within its kind: for an event the id that the service gave it. */
  readonly id: string;
}

/** One item of the inbox's queue. Times are milliseconds since 1970. */
export interface ReceivedEvent extends ReceivedEventKey {
  /** Its subject, such as `invoice:<id>`. A subject is processed under one lease at a time. */
  readonly subject: string;
  /** The text as it was received. */
  readonly body: string;
  /** When the service made it. */
  readonly createdAt: number;
  /** When it was put into the inbox, by this machine's clock; `forget` goes by it. */
  readonly receivedAt: number;
}

/** `clash`: kind and id are known with another subject; the first one is kept. */
export type AddResult = 'new' | 'known' | 'clash';

/** The right to process a subject, with all its events that are not done. */
export interface Lease {
  /** The events that may be processed under it; all are of this subject. */
  readonly subject: string;
  /** Rises with each lease of the subject: a later lease makes this one void. */
  readonly number: number;
  /** The state that the last commit left for the next lease; plain JSON. */
  readonly state: unknown;
  /** In the order in which they were received. */
  readonly events: readonly ReceivedEvent[];
}

/** The writes of a commit. */
export interface Commit {
  /**
   * The `state` that the next lease of the subject is given; plain JSON, replaces what was there.
   */
  readonly state: unknown;
  /** Events that leave the queue; they stay known. */
  readonly done?: readonly ReceivedEventKey[] | undefined;
  /**
   * When to process the subject again; absent: when an event is received. Events received meanwhile
   * count at once.
   */
  readonly due?: number | undefined;
  /** The lease lasts until then; absent: it ends. */
  readonly until?: number | undefined;
}

/** A job that was given up, and what is needed to run it again. */
export interface DeadLetter {
  /** Key of the handler run, such as `invoice:<id>:PAID`; give it to `redeliver`. */
  readonly key: string;
  /** Its subject, as in `ReceivedEvent`. */
  readonly subject: string;
  /**
   * The job as JSON text, for `redeliver` to restore; its members are not part of the interface.
   */
  readonly body: string;
}

/** The amount of waiting work in an inbox store. */
export interface InboxCounts {
  /** Events that are not done. */
  readonly open: number;
  /** Jobs that were given up and not redelivered since. */
  readonly deadLetters: number;
  /** When the next subject falls due, milliseconds since 1970. */
  readonly nextDue?: number | undefined;
  /** Creation of the oldest event that is not done. */
  readonly oldest?: number | undefined;
}

/**
 * Keeps events until they are handled. `Tx` is how a handler writes in the same transaction: what
 * it writes is stored together with the commit, or not at all.
 */
export interface InboxStore<Tx> {
  /**
   * True if what it keeps outlives the process; false in memory, where a crash loses events that
   * were answered with 200.
   */
  readonly durable: boolean;
  /** Whoever made it knows that it forgets: it is taken outside of a sandbox too. */
  readonly mayForget?: boolean | undefined;
  /**
   * Keeps what is not known yet, and the cursor with it; all or nothing, and durable when it
   * resolves.
   */
  add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]>;
  /** The cursor that was added last. */
  cursor(): Promise<unknown>;
  /** Leases up to `limit` subjects that are due and not leased, for `duration` milliseconds. */
  lease(now: number, duration: number, limit: number): Promise<readonly Lease[]>;
  /**
   * Writes the commit and what `write` writes, as one; false, and nothing is written, when the
   * lease is void.
   */
  commit(lease: Lease, commit: Commit, write?: (tx: Tx) => void): Promise<boolean>;
  /** A commit that also keeps a dead letter. */
  deadLetter(lease: Lease, commit: Commit, letter: DeadLetter): Promise<boolean>;
  /** All dead letters, in the order in which they were kept. */
  deadLetters(): Promise<readonly DeadLetter[]>;
  /** Replaces the dead letter of this key by an event, as one; false when there is none. */
  requeue(key: string, event: ReceivedEvent): Promise<boolean>;
  /** Counts the waiting work, over all subjects. */
  counts(): Promise<InboxCounts>;
  /** Forgets events that are done and were received before this time. */
  forget(before: number): Promise<void>;
}

/** A handler's transaction with the inbox in memory. */
export interface MemoryTransaction {
  /**
   * A copy of what was put under this key, also in this transaction; `undefined` where nothing was.
   */
  get(key: string): unknown;
  /** Keeps a copy of the value, once the commit that the transaction belongs to is written. */
  put(key: string, value: unknown): void;
}

/** An inbox store in memory, with the values that handlers wrote. */
export interface MemoryInboxStore extends InboxStore<MemoryTransaction> {
  /** The values that were written through a transaction. */
  valueOf(key: string): unknown;
}

interface Subject {
  /** Number of the last lease. */
  number: number;
  state: unknown;
  until: number;
  due: number;
  /** By kind and id, in the order in which they were received. */
  readonly open: Map<string, ReceivedEvent>;
}

/** The record of an event that is done. */
type KnownEvent = Pick<ReceivedEvent, 'subject' | 'receivedAt'>;

/**
 * An inbox store in memory, for tests and sandboxes: everything is lost with the process, and
 * `durable` is false. Outside of a sandbox `createInbox` takes it only with `mayForget`.
 *
 * @param options `mayForget`: you know that it forgets
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

  /** True if the lease is not void. */
  #holds({ subject, number }: Lease): boolean {
    return this.#subjects.get(subject)?.number === number;
  }

  /** The writes of `write`; nothing where it throws. */
  #draftOf(write: (tx: MemoryTransaction) => void): ReadonlyMap<string, unknown> {
    const draft = new Map<string, unknown>();
    write({
      get: (key) => structuredClone(draft.has(key) ? draft.get(key) : this.#beside.get(key)),
      put: (key, value) => void draft.set(key, structuredClone(value)),
    });
    return draft;
  }
}
