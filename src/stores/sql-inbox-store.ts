import { systemUuid } from '../core/platform.ts';
import type {
  AddResult,
  Commit,
  DeadLetter,
  InboxCounts,
  InboxStore,
  Lease,
  ReceivedEvent,
  ReceivedEventKind,
} from './inbox-store.ts';
import type { SqlDriver, SqlRow, SqlStatement, SqlText } from './drivers.ts';
import { jsonOf } from './store.ts';
import { NEVER, sql, type SqlStoreOptions, SqlTables } from './sql-store.ts';

/** A handler's transaction with the inbox in an SQL database. */
export interface SqlTransaction {
  /**
   * Adds a statement to those that are run with the commit, as one transaction with it. Its text
   * is in the database's own dialect. It returns nothing: no caller could wait for what it finds.
   *
   * @param text one statement, with `?` or `$1` for each value
   */
  run(text: string, ...values: readonly SqlText[]): void;
}

/**
 * An inbox store in an SQL database, which several processes may share: each subject is processed
 * by one of them. Handlers write in the same database by SQL: what they write in a transaction is
 * there exactly once.
 *
 * @param driver how the database is reached; one of SQLite has to be a file, unless `mayForget` is
 * said
 * @example
 * const inbox = createInbox({ client, secrets, store: sqlInboxStore(driver), on: {} });
 */
export function sqlInboxStore(
  driver: SqlDriver,
  options: SqlStoreOptions = {},
): InboxStore<SqlTransaction> {
  return new SqlInbox(new SqlTables(driver, options));
}

/** Since when a subject is due. */
const DUE = 'CASE WHEN fresh < due THEN fresh ELSE due END';

/**
 * Each operation is one transaction of statements that are known before it begins, which is all
 * that some databases offer. Every one that changes a subject writes its row of leases first: that
 * row is the subject's lock.
 */
class SqlInbox implements InboxStore<SqlTransaction> {
  readonly durable: boolean;
  readonly mayForget: boolean;
  readonly #tables: SqlTables;
  /** Nothing is written under these any more: what the last commit did is read by a new lease. */
  readonly #over: WeakSet<Lease> = new WeakSet();
  /** Leases to give back before others are taken. */
  #unreturned: readonly Lease[] = [];

  constructor(tables: SqlTables) {
    this.#tables = tables;
    this.mayForget = tables.mayForget;
    this.durable = !tables.mayForget;
  }

  async add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    // in one order everywhere, or two that add at once may wait for each other
    const places = events.map((_, place) => place);
    places.sort((a, b) => (events[a]!.subject < events[b]!.subject ? -1 : 1) || a - b);
    const statements = places.flatMap((place) => keep(events[place]!));
    if (cursor !== undefined) statements.push(keepCursor(cursor));
    if (statements.length === 0) return [];
    const rows = await this.#tables.batch(statements);
    const added: AddResult[] = [];
    for (const [n, place] of places.entries()) {
      const [, kept, found] = rows.slice(3 * n, 3 * n + 3);
      const isSame = found![0]!['subject'] === events[place]!.subject;
      added[place] = kept!.length > 0 ? 'new' : isSame ? 'known' : 'clash';
    }
    return added;
  }

  async cursor(): Promise<unknown> {
    const [row] = await this.#rows(sql('SELECT value FROM {}_cursor'));
    return row && (JSON.parse(row['value'] as string) as unknown);
  }

  async lease(now: number, duration: number, limit: number): Promise<readonly Lease[]> {
    const holder = systemUuid();
    const skip = this.#tables.onlyPostgresql('FOR UPDATE SKIP LOCKED');
    const unreturned = this.#unreturned;
    const rows = await this.#tables.batch([
      ...unreturned.map((lease) => giveBack(lease, now)),
      sql(
        `WITH free AS (SELECT subject FROM {}_leases WHERE (due <= ? OR fresh <= ?) AND until <= ?
            ORDER BY ${DUE} LIMIT ? ${skip})
          UPDATE {}_leases SET holder = ?, number = number + 1, until = ?, due = ${DUE},
            fresh = ${NEVER} WHERE subject IN (SELECT subject FROM free)
          RETURNING subject, number, state, due`,
        ...[now, now, now, limit, holder, now + duration],
      ),
      sql(
        `SELECT kind, id, subject, body, created_at, received_at FROM {}_events
          WHERE open = 1 AND subject IN (SELECT subject FROM {}_leases WHERE holder = ?)
          ORDER BY place`,
        holder,
      ),
    ]);
    this.#unreturned = this.#unreturned.filter((lease) => !unreturned.includes(lease));
    const [leases, events] = rows.slice(unreturned.length);
    return [...leases!]
      .sort((a, b) => (a['due'] as number) - (b['due'] as number))
      .map((lease) => leaseOf(lease, events!));
  }

  async commit(
    lease: Lease,
    commit: Commit,
    write?: (tx: SqlTransaction) => void,
  ): Promise<boolean> {
    return this.#commit(lease, commit, [], (run) =>
      write?.({ run: (text, ...values) => run({ sql: text, values }) }),
    );
  }

  async deadLetter(
    lease: Lease,
    commit: Commit,
    { key, subject, body }: DeadLetter,
  ): Promise<boolean> {
    const letter = sql(
      `INSERT INTO {}_dead_letters (key, subject, body, place)
        SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), coalesce(max(place), 0) + 1
          FROM {}_dead_letters WHERE 1 = 1
        ON CONFLICT (key) DO UPDATE SET subject = excluded.subject, body = excluded.body`,
      ...[key, subject, body],
    );
    return this.#commit(lease, commit, [letter], () => {});
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    const rows = await this.#rows(
      sql('SELECT key, subject, body FROM {}_dead_letters ORDER BY place, key'),
    );
    return rows.map(({ key, subject, body }) => ({
      key: key as string,
      subject: subject as string,
      body: body as string,
    }));
  }

  async requeue(key: string, event: ReceivedEvent): Promise<boolean> {
    const hasLetter = sql('EXISTS (SELECT 1 FROM {}_dead_letters WHERE key = ?)', key);
    const rows = await this.#tables.batch([
      ...keep(event, hasLetter),
      sql('DELETE FROM {}_dead_letters WHERE key = ? RETURNING key', key),
    ]);
    return rows.at(-1)!.length > 0;
  }

  async counts(): Promise<InboxCounts> {
    const [[events], [letters], [leases]] = (await this.#tables.batch([
      sql(
        `SELECT CAST(count(*) AS INTEGER) AS open, min(created_at) AS oldest FROM {}_events
          WHERE open = 1`,
      ),
      sql('SELECT CAST(count(*) AS INTEGER) AS count FROM {}_dead_letters'),
      sql(
        `SELECT min(CASE WHEN until > since THEN until ELSE since END) AS next
          FROM (SELECT until, ${DUE} AS since FROM {}_leases
            WHERE due < ${NEVER} OR fresh < ${NEVER}) AS waiting`,
      ),
    ])) as [[SqlRow], [SqlRow], [SqlRow]];
    const [oldest, nextDue] = [events['oldest'], leases['next']] as (number | null)[];
    return {
      open: events['open'] as number,
      deadLetters: letters['count'] as number,
      ...(typeof nextDue === 'number' && { nextDue }),
      ...(typeof oldest === 'number' && { oldest }),
    };
  }

  async forget(before: number): Promise<void> {
    await this.#rows(sql('DELETE FROM {}_events WHERE open = 0 AND received_at < ?', before));
  }

  async #rows(statement: SqlStatement): Promise<readonly SqlRow[]> {
    return (await this.#tables.batch([statement]))[0]!;
  }

  async #commit(
    lease: Lease,
    { state, done = [], due = Infinity, until = 0 }: Commit,
    more: readonly SqlStatement[],
    write: (run: (statement: SqlStatement) => void) => void,
  ): Promise<boolean> {
    const { subject, number } = lease;
    if (this.#over.has(lease)) return false;
    const text = state === undefined ? null : jsonOf(state);
    const mark = systemUuid(); // is in the row once this is committed
    const close = `UPDATE {}_events SET open = 0, body = '' WHERE kind = ? AND id = ?`;
    const statements = [
      hold(subject, number),
      ...done.map(({ kind, id }) => sql(close, kind, id)),
      sql(
        'UPDATE {}_leases SET state = ?, due = ?, until = ?, holder = ? WHERE subject = ?',
        ...[text, Math.min(due, NEVER), until, mark, subject],
      ),
      ...more,
    ];
    try {
      await this.#tables.batchWith(statements, write);
      return true;
    } catch (thrown) {
      const found = await this.#find(subject).catch(() => undefined);
      if (found?.['holder'] === mark) return true; // only the response was lost
      if (found && found['number'] !== number) return false;
      const { outcome } = thrown as { readonly outcome?: unknown };
      if (!found || outcome === 'unknown') this.#end(lease);
      throw thrown;
    }
  }

  async #find(subject: string): Promise<SqlRow> {
    const find = 'SELECT number, holder FROM {}_leases WHERE subject = ?';
    const [row] = await this.#rows(sql(find, subject));
    return row ?? {};
  }

  /** Ends a lease of which nobody knows what it has written. */
  #end(lease: Lease): void {
    this.#over.add(lease);
    this.#unreturned = [...this.#unreturned, lease];
  }
}

/** A commit under this lease that is still on its way writes nothing then. */
function giveBack({ subject, number }: Lease, now: number): SqlStatement {
  return sql(
    'UPDATE {}_leases SET until = 0, due = ?, number = number + 1 WHERE subject = ? AND number = ?',
    ...[now, subject, number],
  );
}

/**
 * Locks the subject, and fails where the lease is void: its number becomes NULL, which the table
 * refuses. With that the whole transaction fails.
 */
function hold(subject: string, number: number): SqlStatement {
  return sql(
    `INSERT INTO {}_leases (subject, fresh, number)
      SELECT CAST(? AS TEXT), ${NEVER},
        (SELECT number FROM {}_leases WHERE subject = ? AND number = ?)
        WHERE 1 = 1
      ON CONFLICT (subject) DO UPDATE SET number =
        CASE WHEN {}_leases.number = excluded.number THEN excluded.number END`,
    ...[subject, subject, number],
  );
}

/** Three statements: wake the subject, keep the event, and who has its id. */
function keep(
  { kind, id, subject, body, createdAt, receivedAt }: ReceivedEvent,
  condition: SqlStatement = sql('1 = 1'),
): SqlStatement[] {
  return [
    sql(
      `INSERT INTO {}_leases (subject, fresh, added)
        SELECT CAST(? AS TEXT), CAST(? AS DOUBLE PRECISION), 1 WHERE ${condition.sql}
          AND NOT EXISTS (SELECT 1 FROM {}_events WHERE kind = ? AND id = ?)
        ON CONFLICT (subject) DO UPDATE SET added = {}_leases.added + 1, fresh =
          CASE WHEN excluded.fresh < {}_leases.fresh THEN excluded.fresh ELSE {}_leases.fresh END`,
      ...[subject, receivedAt, ...condition.values, kind, id],
    ),
    sql(
      `INSERT INTO {}_events (kind, id, subject, body, created_at, received_at, place)
        SELECT CAST(? AS TEXT), CAST(? AS TEXT), subject, CAST(? AS TEXT),
          CAST(? AS DOUBLE PRECISION), CAST(? AS DOUBLE PRECISION), added
          FROM {}_leases WHERE subject = ? AND ${condition.sql}
        ON CONFLICT (kind, id) DO NOTHING RETURNING id`,
      ...[kind, id, body, createdAt, receivedAt, subject, ...condition.values],
    ),
    sql('SELECT subject FROM {}_events WHERE kind = ? AND id = ?', kind, id),
  ];
}

function keepCursor(cursor: unknown): SqlStatement {
  return sql(
    `INSERT INTO {}_cursor (one, value) VALUES (1, ?)
      ON CONFLICT (one) DO UPDATE SET value = excluded.value`,
    jsonOf(cursor),
  );
}

function leaseOf({ subject, number, state }: SqlRow, events: readonly SqlRow[]): Lease {
  return {
    subject: subject as string,
    number: number as number,
    state: state === null ? undefined : (JSON.parse(state as string) as unknown),
    events: events
      .filter((event) => event['subject'] === subject)
      .map((event) => ({
        kind: event['kind'] as ReceivedEventKind,
        id: event['id'] as string,
        subject: subject as string,
        body: event['body'] as string,
        createdAt: event['created_at'] as number,
        receivedAt: event['received_at'] as number,
      })),
  };
}
