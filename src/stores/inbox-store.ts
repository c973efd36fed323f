/**
 * What put it there: an event of the service, the redelivery of a dead letter, or a mere reason to
 * read the subject. Nothing in its id or body decides it.
 */
export type ReceivedEventKind = 'event' | 'redelivery' | 'read';

/** What tells received events apart: two of different kinds are two, whatever their ids. */
export interface ReceivedEventKey {
  /** What put it there; part of the key, so an id of one kind never hides one of another. */
  readonly kind: ReceivedEventKind;
  /** Unique within its kind: for an event the id that the service gave it. */
  readonly id: string;
}

/** One item of the inbox's queue. Times are milliseconds since 1970. */
export interface ReceivedEvent extends ReceivedEventKey {
  /** What it is about, such as `invoice:<id>`. A subject is processed under one lease at a time. */
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
  /** What may be processed under it; all of `events` are of this subject. */
  readonly subject: string;
  /** Rises with each lease of the subject: a later lease makes this one void. */
  readonly number: number;
  /** What the last commit left for the next lease; plain JSON. */
  readonly state: unknown;
  /** In the order in which they were received. */
  readonly events: readonly ReceivedEvent[];
}

/** What a commit writes. */
export interface Commit {
  /**
   * What the next lease of the subject is given as `state`; plain JSON, replaces what was there.
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
  /** What it is about, as in `ReceivedEvent`. */
  readonly subject: string;
  /**
   * The job as JSON text, for `redeliver` to restore; its members are not part of the interface.
   */
  readonly body: string;
}

/** How much waits in an inbox store. */
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
 * Where an inbox keeps events until they are handled. `Tx` is how a handler writes beside it: what
 * it writes is stored together with the commit, or not at all.
 */
export interface InboxStore<Tx> {
  /**
   * Whether what it keeps outlives the process; false in memory, where a crash loses events that
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
  /** How much waits now, over all subjects. */
  counts(): Promise<InboxCounts>;
  /** Forgets events that are done and were received before this time. */
  forget(before: number): Promise<void>;
}
