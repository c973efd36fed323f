import type { DurableStorage, SqlStorage, SqlValue } from '../core/platform.ts';
import type { Added, Arrival, Counts, InboxStore, Mark, Parked, Work } from './inbox.ts';

// One statement each: an upgrade adds to the end and never changes what is there.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS paystate_arrivals (id TEXT PRIMARY KEY, subject TEXT NOT NULL, body TEXT NOT NULL, createdAt REAL NOT NULL,
    arrivedAt REAL NOT NULL, open INTEGER NOT NULL DEFAULT 1)`,
  'CREATE INDEX IF NOT EXISTS paystate_arrivals_open ON paystate_arrivals (subject) WHERE open = 1',
  'CREATE INDEX IF NOT EXISTS paystate_arrivals_done ON paystate_arrivals (arrivedAt) WHERE open = 0',
  `CREATE TABLE IF NOT EXISTS paystate_subjects (subject TEXT PRIMARY KEY, memo TEXT, due REAL, until REAL NOT NULL DEFAULT 0,
    claim INTEGER NOT NULL DEFAULT 0)`,
  'CREATE INDEX IF NOT EXISTS paystate_subjects_due ON paystate_subjects (due) WHERE due IS NOT NULL',
  'CREATE TABLE IF NOT EXISTS paystate_parked (key TEXT PRIMARY KEY, subject TEXT NOT NULL, body TEXT NOT NULL)',
  'CREATE TABLE IF NOT EXISTS paystate_cursor (one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL)',
];

/**
 * An inbox store in the SQLite database of a Durable Object. Handlers write beside it by SQL: what they write in a
 * transaction is there exactly once.
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: durableObjectInbox(ctx.storage), on: {} });
 */
export function durableObjectInbox(storage: DurableStorage): InboxStore<SqlStorage> {
  const { sql } = storage;
  for (const table of TABLES) sql.exec(table);
  const rows = <T>(query: string, ...bindings: readonly SqlValue[]): readonly T[] =>
    sql.exec<Record<string, SqlValue>>(query, ...bindings).toArray() as readonly unknown[] as readonly T[];

  const openOf = (subject: string): readonly Arrival[] =>
    rows<Arrival>('SELECT id, subject, body, createdAt, arrivedAt FROM paystate_arrivals WHERE subject = ? AND open = 1 ORDER BY rowid', subject);

  function keep({ id, subject, body, createdAt, arrivedAt }: Arrival): Added {
    const [known] = rows<Arrival>('SELECT subject FROM paystate_arrivals WHERE id = ?', id);
    if (known) return known.subject === subject ? 'known' : 'clash';
    sql.exec('INSERT INTO paystate_arrivals (id, subject, body, createdAt, arrivedAt) VALUES (?, ?, ?, ?, ?)', id, subject, body, createdAt, arrivedAt);
    sql.exec(
      'INSERT INTO paystate_subjects (subject, due) VALUES (?, ?) ON CONFLICT (subject) DO UPDATE SET due = min(ifnull(due, excluded.due), excluded.due)',
      subject, arrivedAt,
    );
    return 'new';
  }

  function take(subject: string, until: number): Work {
    const [{ claim, memo }] = rows<{ claim: number; memo: string | null }>(
      'UPDATE paystate_subjects SET until = ?, claim = claim + 1 WHERE subject = ? RETURNING claim, memo', until, subject,
    ) as [{ claim: number; memo: string | null }];
    return { subject, claim, memo: memo === null ? undefined : JSON.parse(memo), arrivals: openOf(subject) };
  }

  /** Runs inside a transaction. */
  function finish(work: Work, { memo, done = [], due, until = 0 }: Mark, write?: (tx: SqlStorage) => void): boolean {
    const { subject, claim, arrivals } = work;
    if (rows('SELECT subject FROM paystate_subjects WHERE subject = ? AND claim = ?', subject, claim).length === 0) return false;
    write?.(sql);
    for (const id of done) sql.exec("UPDATE paystate_arrivals SET open = 0, body = '' WHERE id = ?", id);
    const news = openOf(subject).filter((arrival) => !arrivals.some(({ id }) => id === arrival.id));
    const next = Math.min(due ?? Infinity, ...news.map(({ arrivedAt }) => arrivedAt));
    sql.exec(
      'UPDATE paystate_subjects SET memo = ?, due = ?, until = ? WHERE subject = ?',
      memo === undefined ? null : JSON.stringify(memo), Number.isFinite(next) ? next : null, until, subject,
    );
    return true;
  }

  return {
    durable: true,
    add: async (arrivals, cursor) =>
      storage.transactionSync(() => {
        if (cursor !== undefined) sql.exec('INSERT OR REPLACE INTO paystate_cursor (one, value) VALUES (1, ?)', JSON.stringify(cursor));
        return arrivals.map(keep);
      }),
    async cursor() {
      const [row] = rows<{ value: string }>('SELECT value FROM paystate_cursor');
      return row && (JSON.parse(row.value) as unknown);
    },
    claim: async (now, claimFor, most) =>
      storage.transactionSync(() => {
        const free = rows<Work>('SELECT subject FROM paystate_subjects WHERE due <= ? AND until <= ? ORDER BY due LIMIT ?', now, now, most);
        return free.map(({ subject }) => take(subject, now + claimFor));
      }),
    commit: async (work, mark, write) => storage.transactionSync(() => finish(work, mark, write)),
    park: async (work, mark, { key, subject, body }) =>
      storage.transactionSync(() => {
        if (!finish(work, mark)) return false;
        sql.exec('INSERT OR REPLACE INTO paystate_parked (key, subject, body) VALUES (?, ?, ?)', key, subject, body);
        return true;
      }),
    parked: async () => rows<Parked>('SELECT key, subject, body FROM paystate_parked ORDER BY rowid'),
    unpark: async (key, arrival) =>
      storage.transactionSync(() => {
        if (rows('DELETE FROM paystate_parked WHERE key = ? RETURNING key', key).length === 0) return false;
        keep(arrival);
        return true;
      }),
    async counts(): Promise<Counts> {
      const [{ open, oldest }] = rows('SELECT count(*) AS open, min(createdAt) AS oldest FROM paystate_arrivals WHERE open = 1') as [{ open: number; oldest: number | null }];
      const [{ parked }] = rows('SELECT count(*) AS parked FROM paystate_parked') as [{ parked: number }];
      const [{ nextDue }] = rows('SELECT min(max(due, until)) AS nextDue FROM paystate_subjects WHERE due IS NOT NULL') as [{ nextDue: number | null }];
      return { open, parked, ...(nextDue !== null && { nextDue }), ...(oldest !== null && { oldest }) };
    },
    async forget(before) {
      sql.exec('DELETE FROM paystate_arrivals WHERE open = 0 AND arrivedAt < ?', before);
    },
  };
}
