// What is used of the platform's objects, by shape alone: nothing is imported from it, and a test
// can stand in for it.

/** A value that SQLite keeps. */
export type SqlValue = string | number | null | ArrayBuffer;

/** The SQLite database of a Durable Object; every call happens before it returns. */
export interface SqlStorage {
  exec<Row extends Record<string, SqlValue>>(
    query: string,
    ...bindings: unknown[]
  ): Iterable<Row> & { toArray(): Row[] };
}

/** The storage of a Durable Object with SQLite. */
export interface DurableStorage {
  readonly sql: SqlStorage;
  /** Runs `work` as one transaction: when it throws, nothing of it has happened. */
  transactionSync<T>(work: () => T): T;
  getAlarm(): Promise<number | null>;
  setAlarm(at: number): Promise<void>;
  /**
   * Resolves when all that was written is where it outlives this process; rejects where the object
   * lives elsewhere by now. Absent where the platform holds back what goes out by itself.
   */
  flush?(): Promise<void>;
}

/** The way to one object. */
export interface ObjectStub {
  /** Sends a request to the object; rejects where it cannot be reached. */
  fetch(input: string | Request, init?: RequestInit): Promise<Response>;
}

/** As much of a Durable Object's state as is used. */
export interface ObjectState {
  /** Where the object keeps what outlives it. */
  readonly storage: DurableStorage;
}
