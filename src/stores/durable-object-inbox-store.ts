import type { DurableStorage, SqlStorage, SqlValue } from '../core/platform.ts';
import type {
  AddResult,
  Commit,
  DeadLetter,
  InboxCounts,
  InboxStore,
  Lease,
  ReceivedEvent,
} from './inbox-store.ts';

const EVENT_COLUMNS = 'kind, id, subject, body, createdAt, receivedAt';

const TABLES = [
  `CREATE TABLE IF NOT EXISTS paystate_events (kind TEXT NOT NULL, id TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
    createdAt REAL NOT NULL, receivedAt REAL NOT NULL, open INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (kind, id))`,
  'CREATE INDEX IF NOT EXISTS paystate_events_open ON paystate_events (subject) WHERE open = 1',
  'CREATE INDEX IF NOT EXISTS paystate_events_done ON paystate_events (receivedAt) WHERE open = 0',
  `CREATE TABLE IF NOT EXISTS paystate_leases (subject TEXT PRIMARY KEY, state TEXT, due REAL, until REAL NOT NULL DEFAULT 0,
    number INTEGER NOT NULL DEFAULT 0)`,
  'CREATE INDEX IF NOT EXISTS paystate_leases_due ON paystate_leases (due) WHERE due IS NOT NULL',
  'CREATE TABLE IF NOT EXISTS paystate_dead_letters (key TEXT PRIMARY KEY, subject TEXT NOT NULL, body TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS paystate_cursor (one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL)',
];

/**
 * An inbox store in the SQLite database of a Durable Object. Handlers write beside it by SQL: what
 * they write in a transaction is there exactly once.
 *
 * @example
 * const inbox = createInbox({
 *   client,
 *   secrets,
 *   store: durableObjectInboxStore(ctx.storage),
 *   on: {},
 * });
 */
export function durableObjectInboxStore(storage: DurableStorage): InboxStore<SqlStorage> {
  return new DurableObjectInbox(storage);
}

/** Forgets all that an inbox store has kept in this database: leases that are held are void. */
export function eraseInbox({ sql }: DurableStorage): void {
  for (const name of ['events', 'leases', 'dead_letters', 'cursor'])
    sql.exec(`DELETE FROM paystate_${name}`);
}

class DurableObjectInbox implements InboxStore<SqlStorage> {
  readonly durable = true;
  readonly #storage: DurableStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    storage.transactionSync(() => TABLES.forEach((statement) => void this.#sql.exec(statement)));
  }

  async add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    return this.#storage.transactionSync(() => {
      if (cursor !== undefined)
        this.#sql.exec(
          'INSERT OR REPLACE INTO paystate_cursor (one, value) VALUES (1, ?)',
          JSON.stringify(cursor),
        );
      return events.map((event) => this.#keep(event));
    });
  }

  async cursor(): Promise<unknown> {
    const [row] = this.#rows<{ value: string }>('SELECT value FROM paystate_cursor');
    return row && (JSON.parse(row.value) as unknown);
  }

  async lease(now: number, duration: number, limit: number): Promise<readonly Lease[]> {
    const leases = this.#storage.transactionSync(() => {
      const free = this.#rows<{ subject: string }>(
        'SELECT subject FROM paystate_leases WHERE due <= ? AND until <= ? ORDER BY due LIMIT ?',
        now,
        now,
        limit,
      );
      return free.map(({ subject }) => this.#take(subject, now + duration));
    });
    await this.#storage.flush?.(); // no handler runs by a lease that another process may have
    return leases;
  }

  async commit(lease: Lease, commit: Commit, write?: (tx: SqlStorage) => void): Promise<boolean> {
    return this.#storage.transactionSync(() => this.#write(lease, commit, write));
  }

  async deadLetter(
    lease: Lease,
    commit: Commit,
    { key, subject, body }: DeadLetter,
  ): Promise<boolean> {
    return this.#storage.transactionSync(() => {
      if (!this.#write(lease, commit)) return false;
      this.#sql.exec(
        'INSERT OR REPLACE INTO paystate_dead_letters (key, subject, body) VALUES (?, ?, ?)',
        key,
        subject,
        body,
      );
      return true;
    });
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    return this.#rows<DeadLetter>(
      'SELECT key, subject, body FROM paystate_dead_letters ORDER BY rowid',
    );
  }

  async requeue(key: string, event: ReceivedEvent): Promise<boolean> {
    return this.#storage.transactionSync(() => {
      const taken = this.#rows(
        'DELETE FROM paystate_dead_letters WHERE key = ? RETURNING key',
        key,
      );
      if (taken.length === 0) return false;
      this.#keep(event);
      return true;
    });
  }

  async counts(): Promise<InboxCounts> {
    const [{ open, oldest }] = this.#rows(
      'SELECT count(*) AS open, min(createdAt) AS oldest FROM paystate_events WHERE open = 1',
    ) as [{ open: number; oldest: number | null }];
    const [{ deadLetters }] = this.#rows(
      'SELECT count(*) AS deadLetters FROM paystate_dead_letters',
    ) as [{ deadLetters: number }];
    const [{ nextDue }] = this.#rows(
      'SELECT min(max(due, until)) AS nextDue FROM paystate_leases WHERE due IS NOT NULL',
    ) as [{ nextDue: number | null }];
    return {
      open,
      deadLetters,
      ...(nextDue !== null && { nextDue }),
      ...(oldest !== null && { oldest }),
    };
  }

  async forget(before: number): Promise<void> {
    this.#sql.exec('DELETE FROM paystate_events WHERE open = 0 AND receivedAt < ?', before);
  }

  #rows<T>(query: string, ...bindings: readonly SqlValue[]): readonly T[] {
    return this.#sql
      .exec<Record<string, SqlValue>>(query, ...bindings)
      .toArray() as readonly unknown[] as readonly T[];
  }

  #openOf(subject: string): readonly ReceivedEvent[] {
    return this.#rows<ReceivedEvent>(
      `SELECT ${EVENT_COLUMNS} FROM paystate_events WHERE subject = ? AND open = 1 ORDER BY rowid`,
      subject,
    );
  }

  #keep({ kind, id, subject, body, createdAt, receivedAt }: ReceivedEvent): AddResult {
    const [known] = this.#rows<ReceivedEvent>(
      'SELECT subject FROM paystate_events WHERE kind = ? AND id = ?',
      kind,
      id,
    );
    if (known) return known.subject === subject ? 'known' : 'clash';
    this.#sql.exec(
      `INSERT INTO paystate_events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`,
      kind,
      id,
      subject,
      body,
      createdAt,
      receivedAt,
    );
    this.#sql.exec(
      'INSERT INTO paystate_leases (subject, due) VALUES (?, ?) ON CONFLICT (subject) DO UPDATE SET due = min(ifnull(due, excluded.due), excluded.due)',
      subject,
      receivedAt,
    );
    return 'new';
  }

  #take(subject: string, until: number): Lease {
    const [{ number, state }] = this.#rows<{ number: number; state: string | null }>(
      'UPDATE paystate_leases SET until = ?, number = number + 1 WHERE subject = ? RETURNING number, state',
      until,
      subject,
    ) as [{ number: number; state: string | null }];
    return {
      subject,
      number,
      state: state === null ? undefined : JSON.parse(state),
      events: this.#openOf(subject),
    };
  }

  /** Runs inside a transaction. */
  #write(
    { subject, number, events }: Lease,
    { state, done = [], due = Infinity, until = 0 }: Commit,
    write?: (tx: SqlStorage) => void,
  ): boolean {
    const valid = this.#rows(
      'SELECT subject FROM paystate_leases WHERE subject = ? AND number = ?',
      subject,
      number,
    );
    if (valid.length === 0) return false;
    write?.(this.#sql);
    for (const { kind, id } of done)
      this.#sql.exec(
        "UPDATE paystate_events SET open = 0, body = '' WHERE kind = ? AND id = ?",
        kind,
        id,
      );
    const received = this.#openOf(subject).filter(
      (event) => !events.some(({ kind, id }) => kind === event.kind && id === event.id),
    );
    const next = Math.min(due, ...received.map(({ receivedAt }) => receivedAt));
    this.#sql.exec(
      'UPDATE paystate_leases SET state = ?, due = ?, until = ? WHERE subject = ?',
      state === undefined ? null : JSON.stringify(state),
      Number.isFinite(next) ? next : null,
      until,
      subject,
    );
    return true;
  }
}
