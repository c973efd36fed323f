import type { DurableStorage, SqlStorage, SqlValue } from '../core/platform/index.ts';
import type {
  AddResult,
  ReceivedEvent,
  InboxCounts,
  InboxStore,
  Commit,
  DeadLetter,
  Lease,
} from './inbox-store.ts';

// One statement each: an upgrade adds to the end and never changes what is there.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS paystate_arrivals (kind TEXT NOT NULL, id TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
    createdAt REAL NOT NULL, arrivedAt REAL NOT NULL, open INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (kind, id))`,
  'CREATE INDEX IF NOT EXISTS paystate_arrivals_open ON paystate_arrivals (subject) WHERE open = 1',
  'CREATE INDEX IF NOT EXISTS paystate_arrivals_done ON paystate_arrivals (arrivedAt) WHERE open = 0',
  `CREATE TABLE IF NOT EXISTS paystate_subjects (subject TEXT PRIMARY KEY, memo TEXT, due REAL, until REAL NOT NULL DEFAULT 0,
    claim INTEGER NOT NULL DEFAULT 0)`,
  'CREATE INDEX IF NOT EXISTS paystate_subjects_due ON paystate_subjects (due) WHERE due IS NOT NULL',
  'CREATE TABLE IF NOT EXISTS paystate_parked (key TEXT PRIMARY KEY, subject TEXT NOT NULL, body TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS paystate_cursor (one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL)',
];

const SET_ASIDE = [
  'ALTER TABLE paystate_arrivals RENAME TO paystate_arrivals_without_kind',
  'DROP INDEX IF EXISTS paystate_arrivals_open',
  'DROP INDEX IF EXISTS paystate_arrivals_done',
];
/**
 * Before there were kinds, the id of an effect that was to run again began with a word that events can begin with too:
 * such a row is a reason to look and nothing more.
 */
const TAKE_OVER = [
  `INSERT INTO paystate_arrivals (kind, id, subject, body, createdAt, arrivedAt, open)
    SELECT CASE WHEN (open = 1 AND body = '') OR id LIKE 'replay %' THEN 'look' ELSE 'event' END,
      id, subject, CASE WHEN id LIKE 'replay %' THEN '' ELSE body END, createdAt, arrivedAt, open
    FROM paystate_arrivals_without_kind ORDER BY rowid`,
  'DROP TABLE paystate_arrivals_without_kind',
];

/**
 * An inbox store in the SQLite database of a Durable Object. Handlers write beside it by SQL: what they write in a
 * transaction is there exactly once.
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: durableObjectInbox(ctx.storage), on: {} });
 */
export function durableObjectInboxStore(storage: DurableStorage): InboxStore<SqlStorage> {
  return new DurableObjectInbox(storage);
}

class DurableObjectInbox implements InboxStore<SqlStorage> {
  readonly durable = true;
  readonly #storage: DurableStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    const statements = this.#isOld() ? [...SET_ASIDE, ...TABLES, ...TAKE_OVER] : TABLES;
    storage.transactionSync(() =>
      statements.forEach((statement) => void this.#sql.exec(statement)),
    );
  }

  #isOld(): boolean {
    const [found] = this.#rows<{ sql: string }>(
      "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'paystate_arrivals'",
    );
    return found !== undefined && !/\(kind /.test(found.sql);
  }

  async add(arrivals: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    return this.#storage.transactionSync(() => {
      if (cursor !== undefined)
        this.#sql.exec(
          'INSERT OR REPLACE INTO paystate_cursor (one, value) VALUES (1, ?)',
          JSON.stringify(cursor),
        );
      return arrivals.map((arrival) => this.#keep(arrival));
    });
  }

  async cursor(): Promise<unknown> {
    const [row] = this.#rows<{ value: string }>('SELECT value FROM paystate_cursor');
    return row && (JSON.parse(row.value) as unknown);
  }

  async lease(now: number, claimFor: number, most: number): Promise<readonly Lease[]> {
    return this.#storage.transactionSync(() => {
      const free = this.#rows<Lease>(
        'SELECT subject FROM paystate_subjects WHERE due <= ? AND until <= ? ORDER BY due LIMIT ?',
        now,
        now,
        most,
      );
      return free.map(({ subject }) => this.#take(subject, now + claimFor));
    });
  }

  async commit(work: Lease, mark: Commit, write?: (tx: SqlStorage) => void): Promise<boolean> {
    return this.#storage.transactionSync(() => this.#finish(work, mark, write));
  }

  async deadLetter(
    work: Lease,
    mark: Commit,
    { key, subject, body }: DeadLetter,
  ): Promise<boolean> {
    return this.#storage.transactionSync(() => {
      if (!this.#finish(work, mark)) return false;
      this.#sql.exec(
        'INSERT OR REPLACE INTO paystate_parked (key, subject, body) VALUES (?, ?, ?)',
        key,
        subject,
        body,
      );
      return true;
    });
  }

  async parked(): Promise<readonly DeadLetter[]> {
    return this.#rows<DeadLetter>('SELECT key, subject, body FROM paystate_parked ORDER BY rowid');
  }

  async requeue(key: string, arrival: ReceivedEvent): Promise<boolean> {
    return this.#storage.transactionSync(() => {
      if (this.#rows('DELETE FROM paystate_parked WHERE key = ? RETURNING key', key).length === 0)
        return false;
      this.#keep(arrival);
      return true;
    });
  }

  async counts(): Promise<InboxCounts> {
    const [{ open, oldest }] = this.#rows(
      'SELECT count(*) AS open, min(createdAt) AS oldest FROM paystate_arrivals WHERE open = 1',
    ) as [{ open: number; oldest: number | null }];
    const [{ parked }] = this.#rows('SELECT count(*) AS parked FROM paystate_parked') as [
      { parked: number },
    ];
    const [{ nextDue }] = this.#rows(
      'SELECT min(max(due, until)) AS nextDue FROM paystate_subjects WHERE due IS NOT NULL',
    ) as [{ nextDue: number | null }];
    return {
      open,
      deadLetters: parked,
      ...(nextDue !== null && { nextDue }),
      ...(oldest !== null && { oldest }),
    };
  }

  async forget(before: number): Promise<void> {
    this.#sql.exec('DELETE FROM paystate_arrivals WHERE open = 0 AND arrivedAt < ?', before);
  }

  #rows<T>(query: string, ...bindings: readonly SqlValue[]): readonly T[] {
    return this.#sql
      .exec<Record<string, SqlValue>>(query, ...bindings)
      .toArray() as readonly unknown[] as readonly T[];
  }

  #openOf(subject: string): readonly ReceivedEvent[] {
    return this.#rows<ReceivedEvent>(
      'SELECT kind, id, subject, body, createdAt, arrivedAt FROM paystate_arrivals WHERE subject = ? AND open = 1 ORDER BY rowid',
      subject,
    );
  }

  #keep({ kind, id, subject, body, createdAt, receivedAt: arrivedAt }: ReceivedEvent): AddResult {
    const [known] = this.#rows<ReceivedEvent>(
      'SELECT subject FROM paystate_arrivals WHERE kind = ? AND id = ?',
      kind,
      id,
    );
    if (known) return known.subject === subject ? 'known' : 'clash';
    this.#sql.exec(
      'INSERT INTO paystate_arrivals (kind, id, subject, body, createdAt, arrivedAt) VALUES (?, ?, ?, ?, ?, ?)',
      kind,
      id,
      subject,
      body,
      createdAt,
      arrivedAt,
    );
    this.#sql.exec(
      'INSERT INTO paystate_subjects (subject, due) VALUES (?, ?) ON CONFLICT (subject) DO UPDATE SET due = min(ifnull(due, excluded.due), excluded.due)',
      subject,
      arrivedAt,
    );
    return 'new';
  }

  #take(subject: string, until: number): Lease {
    const [{ claim, memo }] = this.#rows<{ claim: number; memo: string | null }>(
      'UPDATE paystate_subjects SET until = ?, claim = claim + 1 WHERE subject = ? RETURNING claim, memo',
      until,
      subject,
    ) as [{ claim: number; memo: string | null }];
    return {
      subject,
      number: claim,
      state: memo === null ? undefined : JSON.parse(memo),
      events: this.#openOf(subject),
    };
  }

  /** Runs inside a transaction. */
  #finish(
    { subject, number: claim, events: arrivals }: Lease,
    { state: memo, done = [], due = Infinity, until = 0 }: Commit,
    write?: (tx: SqlStorage) => void,
  ): boolean {
    if (
      this.#rows(
        'SELECT subject FROM paystate_subjects WHERE subject = ? AND claim = ?',
        subject,
        claim,
      ).length === 0
    )
      return false;
    write?.(this.#sql);
    for (const { kind, id } of done)
      this.#sql.exec(
        "UPDATE paystate_arrivals SET open = 0, body = '' WHERE kind = ? AND id = ?",
        kind,
        id,
      );
    const news = this.#openOf(subject).filter(
      (arrival) => !arrivals.some(({ kind, id }) => kind === arrival.kind && id === arrival.id),
    );
    const next = Math.min(due, ...news.map(({ receivedAt: arrivedAt }) => arrivedAt));
    this.#sql.exec(
      'UPDATE paystate_subjects SET memo = ?, due = ?, until = ? WHERE subject = ?',
      memo === undefined ? null : JSON.stringify(memo),
      Number.isFinite(next) ? next : null,
      until,
      subject,
    );
    return true;
  }
}
