import type {
  AddResult,
  Commit,
  DeadLetter,
  InboxCounts,
  InboxStore,
  Lease,
  ReceivedEvent,
  ReceivedEventKey,
} from './inbox-store.ts';

/** How a handler writes beside the inbox in memory. */
export interface MemoryTransaction {
  /**
   * A copy of what was put under this key, also in this transaction; `undefined` where nothing was.
   */
  get(key: string): unknown;
  /** Keeps a copy of the value, once the commit that the transaction belongs to is written. */
  put(key: string, value: unknown): void;
}

/** An inbox store in memory, and what handlers wrote beside it. */
export interface MemoryInboxStore extends InboxStore<MemoryTransaction> {
  /** What was written through a transaction. */
  valueOf(key: string): unknown;
}

interface Subject {
  /** Of the last lease. */
  number: number;
  state: unknown;
  due: number;
  until: number;
  /** By kind and id, in the order in which they were received. */
  readonly open: Map<string, ReceivedEvent>;
}

/**
 * An inbox store in memory, for tests and sandboxes: everything is lost with the process, and
 * `durable` is false.
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: memoryInboxStore(), on: {} });
 */
export function memoryInboxStore(): MemoryInboxStore {
  return new InboxInMemory();
}

function nameOf({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

class InboxInMemory implements MemoryInboxStore {
  readonly durable = false;
  readonly #known = new Map<string, ReceivedEvent>();
  readonly #subjects = new Map<string, Subject>();
  readonly #deadLetters = new Map<string, DeadLetter>();
  readonly #beside = new Map<string, unknown>();
  #cursor: unknown;

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
    if (subject?.number !== lease.number) return false;
    if (write) this.#write(write);
    for (const event of done) subject.open.delete(nameOf(event));
    const leased = new Set(lease.events.map(nameOf));
    const received = [...subject.open.values()]
      .filter((event) => !leased.has(nameOf(event)))
      .map(({ receivedAt }) => receivedAt);
    Object.assign(subject, {
      state: structuredClone(state),
      until,
      due: Math.min(due, ...received),
    });
    return true;
  }

  async deadLetter(lease: Lease, commit: Commit, letter: DeadLetter): Promise<boolean> {
    if (this.#subjects.get(lease.subject)?.number !== lease.number) return false;
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
    const name = nameOf(event);
    const before = this.#known.get(name);
    if (before) return before.subject === event.subject ? 'known' : 'clash';
    this.#known.set(name, event);
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

  /** All or nothing: a `write` that throws has written nothing. */
  #write(write: (tx: MemoryTransaction) => void): void {
    const draft = new Map<string, unknown>();
    write({
      get: (key) => structuredClone(draft.has(key) ? draft.get(key) : this.#beside.get(key)),
      put: (key, value) => void draft.set(key, structuredClone(value)),
    });
    for (const [key, value] of draft) this.#beside.set(key, value);
  }
}
