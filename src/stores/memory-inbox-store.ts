import type {
  AddResult,
  ReceivedEvent,
  ReceivedEventKey,
  InboxCounts,
  InboxStore,
  Commit,
  DeadLetter,
  Lease,
} from './inbox-store.ts';

/** How a handler writes beside the inbox in memory. */
export interface MemoryTransaction {
  get(key: string): unknown;
  put(key: string, value: unknown): void;
}

/** An inbox in memory, and what handlers wrote beside it. */
export interface MemoryInboxStore extends InboxStore<MemoryTransaction> {
  /** What was written through a transaction. */
  written(key: string): unknown;
}

interface Subject {
  claim: number;
  memo: unknown;
  due: number;
  until: number;
  /** By kind and id, in the order of arrival. */
  readonly open: Map<string, ReceivedEvent>;
}

/**
 * An inbox store in memory, for tests and sandboxes: it forgets everything with the process and says so.
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: memoryInbox(), on: {} });
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
  readonly #parked = new Map<string, DeadLetter>();
  readonly #beside = new Map<string, unknown>();
  #cursor: unknown;

  written(key: string): unknown {
    return structuredClone(this.#beside.get(key));
  }

  async add(arrivals: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    if (cursor !== undefined) this.#cursor = structuredClone(cursor);
    return arrivals.map((arrival) => this.#keep(arrival));
  }

  async cursor(): Promise<unknown> {
    return structuredClone(this.#cursor);
  }

  async lease(now: number, claimFor: number, most: number): Promise<readonly Lease[]> {
    const free = [...this.#subjects]
      .filter(([, { due, until }]) => due <= now && until <= now)
      .sort(([, a], [, b]) => a.due - b.due);
    return free.slice(0, most).map(([name, subject]): Lease => {
      subject.until = now + claimFor;
      return {
        subject: name,
        number: ++subject.claim,
        state: structuredClone(subject.memo),
        events: [...subject.open.values()],
      };
    });
  }

  async commit(
    work: Lease,
    mark: Commit,
    write?: (tx: MemoryTransaction) => void,
  ): Promise<boolean> {
    const subject = this.#subjects.get(work.subject);
    if (subject?.claim !== work.number) return false;
    if (write) this.#write(write);
    const { state: memo, done = [], due = Infinity, until = 0 } = mark;
    for (const arrival of done) subject.open.delete(nameOf(arrival));
    const seen = new Set(work.events.map(nameOf));
    const news = [...subject.open.values()]
      .filter((arrival) => !seen.has(nameOf(arrival)))
      .map(({ receivedAt: arrivedAt }) => arrivedAt);
    Object.assign(subject, { memo: structuredClone(memo), until, due: Math.min(due, ...news) });
    return true;
  }

  async deadLetter(work: Lease, mark: Commit, row: DeadLetter): Promise<boolean> {
    if (this.#subjects.get(work.subject)?.claim !== work.number) return false;
    this.#parked.set(row.key, row);
    return this.commit(work, mark);
  }

  async parked(): Promise<readonly DeadLetter[]> {
    return [...this.#parked.values()];
  }

  async requeue(key: string, arrival: ReceivedEvent): Promise<boolean> {
    if (!this.#parked.delete(key)) return false;
    this.#keep(arrival);
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
      deadLetters: this.#parked.size,
      ...(nextDue < Infinity && { nextDue }),
      ...(oldest < Infinity && { oldest }),
    };
  }

  async forget(before: number): Promise<void> {
    for (const [name, { subject, receivedAt: arrivedAt }] of this.#known)
      if (arrivedAt < before && !this.#subjects.get(subject)?.open.has(name))
        this.#known.delete(name);
  }

  #keep(arrival: ReceivedEvent): AddResult {
    const name = nameOf(arrival);
    const before = this.#known.get(name);
    if (before) return before.subject === arrival.subject ? 'known' : 'clash';
    this.#known.set(name, arrival);
    const subject = this.#subjects.get(arrival.subject) ?? {
      claim: 0,
      memo: undefined,
      due: Infinity,
      until: 0,
      open: new Map(),
    };
    subject.open.set(name, arrival);
    subject.due = Math.min(subject.due, arrival.receivedAt);
    this.#subjects.set(arrival.subject, subject);
    return 'new';
  }

  /** All or nothing: what throws has written nothing. */
  #write(write: (tx: MemoryTransaction) => void): void {
    const draft = new Map<string, unknown>();
    write({
      get: (key) => structuredClone(draft.has(key) ? draft.get(key) : this.#beside.get(key)),
      put: (key, value) => void draft.set(key, structuredClone(value)),
    });
    for (const [key, value] of draft) this.#beside.set(key, value);
  }
}
