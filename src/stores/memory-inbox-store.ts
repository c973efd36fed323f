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
import type { MemoryStoreOptions } from './memory.ts';

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

interface SubjectMembers {
  /** Of the last lease. */
  number: number;
  state: unknown;
  until: number;
}

interface Subject extends SubjectMembers {
  due: number;
  /** By kind and id, in the order in which they were received. */
  readonly open: Map<string, ReceivedEvent>;
}

interface SavedSubject extends SubjectMembers {
  /** `null`: never. */
  readonly due: number | null;
  readonly open: readonly ReceivedEvent[];
}

/** What is left to know of an event that is done. */
type KnownEvent = Pick<ReceivedEvent, 'subject' | 'receivedAt'>;

const NOTHING: SavedInbox = { known: [], subjects: [], deadLetters: [], beside: [] };

/**
 * An inbox store in memory, for tests and sandboxes: everything is lost with the process, and
 * `durable` is false. Outside of a sandbox `createInbox` takes it only with `mayForget`.
 *
 * @param options `mayForget`: you know that it forgets
 * @example
 * const inbox = createInbox({ client, secrets, store: memoryInboxStore(), on: {} });
 */
export function memoryInboxStore({ mayForget }: MemoryStoreOptions = {}): MemoryInboxStore {
  return new InboxInMemory(NOTHING, mayForget);
}

function nameOf({ kind, id }: ReceivedEventKey): string {
  return `${kind}:${id}`;
}

function subjectOf({ due, open, ...rest }: SavedSubject): Subject {
  const events = new Map(open.map((event) => [nameOf(event), event]));
  return { ...rest, due: due ?? Infinity, open: events };
}

/** All of an inbox as plain JSON. */
export interface SavedInbox {
  readonly known: readonly (readonly [string, KnownEvent])[];
  readonly subjects: readonly (readonly [string, SavedSubject])[];
  readonly deadLetters: readonly DeadLetter[];
  readonly beside: readonly (readonly [string, unknown])[];
  readonly cursor?: unknown;
}

/** An inbox in memory, which can be saved and made again. */
export class InboxInMemory implements MemoryInboxStore {
  readonly durable = false;
  readonly mayForget: boolean | undefined;
  readonly #known: Map<string, KnownEvent>;
  readonly #subjects: Map<string, Subject>;
  readonly #deadLetters: Map<string, DeadLetter>;
  readonly #beside: Map<string, unknown>;
  #cursor: unknown;

  constructor(
    { known, subjects, deadLetters, beside, cursor }: SavedInbox = NOTHING,
    mayForget?: boolean,
  ) {
    this.mayForget = mayForget;
    this.#known = new Map(known);
    this.#subjects = new Map(subjects.map(([name, saved]) => [name, subjectOf(saved)]));
    this.#deadLetters = new Map(deadLetters.map((letter) => [letter.key, letter]));
    this.#beside = new Map(beside);
    this.#cursor = cursor;
  }

  save(): SavedInbox {
    const savedOf = ({ due, open, ...rest }: Subject): SavedSubject => ({
      ...rest,
      due: Number.isFinite(due) ? due : null,
      open: [...open.values()],
    });
    return {
      known: [...this.#known],
      subjects: [...this.#subjects].map(([name, subject]) => [name, savedOf(subject)]),
      deadLetters: [...this.#deadLetters.values()],
      beside: [...this.#beside],
      cursor: this.#cursor,
    };
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
    if (!subject || !this.holds(lease)) return false;
    if (write) for (const [key, value] of this.draftOf(write)) this.#beside.set(key, value);
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
    if (!this.holds(lease)) return false;
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

  /** Whether the lease is not void. */
  holds({ subject, number }: Lease): boolean {
    return this.#subjects.get(subject)?.number === number;
  }

  /** What `write` wants to write; nothing where it throws. */
  draftOf(write: (tx: MemoryTransaction) => void): ReadonlyMap<string, unknown> {
    const draft = new Map<string, unknown>();
    write({
      get: (key) => structuredClone(draft.has(key) ? draft.get(key) : this.#beside.get(key)),
      put: (key, value) => void draft.set(key, structuredClone(value)),
    });
    return draft;
  }
}
