/**
 * What an arrival is, by who has put it there: an event of the service, an effect that is to run again, or nothing but a
 * reason to look. No content decides it.
 */
export type ReceivedEventKind = 'event' | 'redelivery' | 'read';

/** What tells arrivals apart: those of two kinds are two, whatever their ids. */
export interface ReceivedEventKey {
  readonly kind: ReceivedEventKind;
  readonly id: string;
}

/** Something on its way through the inbox. Times are milliseconds since 1970. */
export interface ReceivedEvent extends ReceivedEventKey {
  /** What it is about, such as `invoice:<id>`: one subject is worked on by one at a time. */
  readonly subject: string;
  /** As it came. */
  readonly body: string;
  /** When the service made it. */
  readonly createdAt: number;
  /** When it came here. */
  readonly receivedAt: number;
}

/** `clash`: kind and id are known with another subject; the first one is kept. */
export type AddResult = 'new' | 'known' | 'clash';

/** A subject that somebody works on, with everything that has arrived for it and is not done. */
export interface Lease {
  readonly subject: string;
  /** Number of the claim: a later claim makes this one void. */
  readonly number: number;
  /** What the last commit left for the next one, as JSON can hold it. */
  readonly state: unknown;
  /** In the order of their arrival. */
  readonly events: readonly ReceivedEvent[];
}

/** What a commit writes down. */
export interface Commit {
  readonly state: unknown;
  /** Arrivals that leave the queue; they stay known. */
  readonly done?: readonly ReceivedEventKey[] | undefined;
  /** When to work on it again; absent: when something arrives. What has arrived meanwhile counts at once. */
  readonly due?: number | undefined;
  /** The claim goes on until then; absent: it ends. */
  readonly until?: number | undefined;
}

/** An effect that was given up, and what is needed to run it again. */
export interface DeadLetter {
  readonly key: string;
  readonly subject: string;
  readonly body: string;
}

export interface InboxCounts {
  /** Arrivals that are not done. */
  readonly open: number;
  readonly deadLetters: number;
  /** When the next work falls due, milliseconds since 1970. */
  readonly nextDue?: number | undefined;
  /** Creation of the oldest arrival that is not done. */
  readonly oldest?: number | undefined;
}

/**
 * Where an inbox keeps what arrived until it is handled. `Tx` is how to write beside it: what is written there is
 * committed with the mark, or not at all.
 */
export interface InboxStore<Tx> {
  readonly durable: boolean;
  /** Keeps what is not known yet, and the cursor with it; all or nothing, and durable when it resolves. */
  add(arrivals: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]>;
  /** What was last added as cursor. */
  cursor(): Promise<unknown>;
  /** Takes up to `most` subjects that are due and nobody holds, for `claimFor` ms. */
  lease(now: number, claimFor: number, most: number): Promise<readonly Lease[]>;
  /** Writes the mark and what `write` writes, as one; false, and nothing is written, when the claim is void. */
  commit(work: Lease, mark: Commit, write?: (tx: Tx) => void): Promise<boolean>;
  /** A commit that also puts an effect aside. */
  deadLetter(work: Lease, mark: Commit, deadLetters: DeadLetter): Promise<boolean>;
  parked(): Promise<readonly DeadLetter[]>;
  /** Puts a parked effect back into the queue as this arrival, as one; false when it is not parked. */
  requeue(key: string, arrival: ReceivedEvent): Promise<boolean>;
  counts(): Promise<InboxCounts>;
  /** Forgets arrivals that are done and came before this time. */
  forget(before: number): Promise<void>;
}
