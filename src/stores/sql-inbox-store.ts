import { systemUuid } from '../core/platform.ts';
import type {
  AddResult,
  Commit,
  DeadLetter,
  InboxCounts,
  InboxStore,
  Lease,
  ReceivedEvent,
  ReceivedEventKey,
  ReceivedEventKind,
} from './inbox-store.ts';
import type { SqlDriver, SqlRow, SqlStatement, SqlText } from './drivers.ts';
import { formatJson } from './store.ts';
import { NEVER, sql, type SqlStoreOptions, SqlTables } from './sql-store.ts';

/** The transaction that a handler gets with an inbox in an SQL database. */
export interface SqlTransaction {
  /**
   * Adds a statement to the commit's transaction. It must be written in the database's own dialect.
   * There's no result, because the statement runs later.
   *
   * @param text one statement, with a placeholder such as `?` or `$1` for each value
   */
  run(text: string, ...values: readonly SqlText[]): void;
}

/**
 * Creates an inbox store in an SQL database, which several processes may share. Only one process
 * handles a subject at a time. Handlers can write to the same database with SQL. These writes are
 * part of the commit's transaction, so they happen exactly once.
 *
 * @param driver the database driver. A SQLite database must be a file, unless `mayForget` is set
 *
 * @example
 * const inbox = createInbox({ client, secrets, store: sqlInboxStore(driver), on: {} });
 */
export function sqlInboxStore(
  driver: SqlDriver,
  options: SqlStoreOptions = {},
): InboxStore<SqlTransaction> {
  return new SqlInbox(new SqlTables(driver, options));
}

const MOST_RETURNED = 20;
/**
 * The maximum number of event characters in one statement. D1 limits a value to two million bytes.
 */
const MOST_CHARACTERS = 500_000;
const KEY = { kind: 'TEXT', id: 'TEXT' } as const;
const EVENT = {
  kind: 'TEXT',
  id: 'TEXT',
  subject: 'TEXT',
  body: 'TEXT',
  created_at: 'DOUBLE PRECISION',
  received_at: 'DOUBLE PRECISION',
  later: 'INTEGER',
} as const;

const DUE = 'CASE WHEN fresh < due THEN fresh ELSE due END';

/**
 * An inbox in an SQL database. Each operation is one transaction whose statements are all known
 * before it starts, because some databases don't support anything else. An operation that changes a
 * subject first writes the subject's row in `leases`, which serves as the subject's lock.
 */
class SqlInbox implements InboxStore<SqlTransaction> {
  readonly durable: boolean;
  readonly mayForget: boolean;
  readonly #tables: SqlTables;
  /**
   * Leases that must not be used for another write, because the result of their last commit is
   * unknown. The next lease reads that result.
   */
  readonly #over: WeakSet<Lease> = new WeakSet();
  /** Leases that must be released before other subjects are leased. */
  #unreturned: readonly Lease[] = [];

  constructor(tables: SqlTables) {
    this.#tables = tables;
    this.mayForget = tables.mayForget;
    this.durable = !tables.mayForget;
  }

  async add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    const groups = groupBySubject(events);
    const statements = groups.flatMap((group) => this.#keep(group));
    if (cursor !== undefined) statements.push(keepCursor(cursor));
    if (statements.length === 0) return [];
    const rows = await this.#tables.batch(statements);
    const news = new Set<string>();
    const subjects = new Map<string, unknown>();
    for (let n = 0; n < groups.length; n++) {
      const [, kept, found] = rows.slice(3 * n, 3 * n + 3);
      for (const row of kept!) news.add(nameEvent(row));
      for (const row of found!) subjects.set(nameEvent(row), row['subject']);
    }
    return events.map((event) => {
      const name = nameEvent(event);
      if (news.delete(name)) return 'new';
      return subjects.get(name) === wellFormed(event.subject) ? 'known' : 'clash';
    });
  }

  async cursor(): Promise<unknown> {
    const [row] = await this.#rows(sql('SELECT value FROM {}_cursor'));
    return row && (JSON.parse(row['value'] as string) as unknown);
  }

  async lease(now: number, duration: number, limit: number): Promise<readonly Lease[]> {
    const holder = systemUuid();
    const skip = this.#tables.onlyPostgresql('FOR UPDATE SKIP LOCKED');
    const unreturned = this.#unreturned.slice(0, MOST_RETURNED);
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
      .map((lease) => toLease(lease, events!));
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
      ...this.#keep([event], hasLetter),
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

  /**
   * Returns three statements that store any number of events. They make the subjects due, store the
   * events, and look up which events have these ids.
   */
  #keep(
    events: readonly ReceivedEvent[],
    condition: SqlStatement = sql('1 = 1'),
  ): readonly SqlStatement[] {
    const [rows, keys] = [formatJson(toRows(events)), formatJson(events.map(pickKey))];
    const given = this.#tables.jsonTable(EVENT);
    return [
      sql(
        `INSERT INTO {}_leases (subject, fresh, added)
          SELECT given.subject, min(CASE WHEN e.id IS NULL THEN given.received_at END), count(*)
            FROM ${given} LEFT JOIN {}_events e ON e.kind = given.kind AND e.id = given.id
            WHERE ${condition.sql} GROUP BY given.subject HAVING count(e.id) < count(*)
            ORDER BY given.subject
          ON CONFLICT (subject) DO UPDATE SET added = {}_leases.added + excluded.added, fresh = CASE
            WHEN excluded.fresh < {}_leases.fresh THEN excluded.fresh ELSE {}_leases.fresh END`,
        ...[rows, ...condition.values],
      ),
      sql(
        `INSERT INTO {}_events (kind, id, subject, body, created_at, received_at, place)
          SELECT given.kind, given.id, s.subject, given.body, given.created_at, given.received_at,
            s.added - given.later
            FROM ${given} JOIN {}_leases s ON s.subject = given.subject WHERE ${condition.sql}
          ON CONFLICT (kind, id) DO NOTHING RETURNING kind, id`,
        ...[rows, ...condition.values],
      ),
      sql(
        `SELECT e.kind, e.id, e.subject FROM ${this.#tables.jsonTable(KEY)}
          JOIN {}_events e ON e.kind = given.kind AND e.id = given.id`,
        keys,
      ),
    ];
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
    const text = state === undefined ? null : formatJson(state);
    const mark = systemUuid(); // identifies this commit in the row
    const close = `UPDATE {}_events SET open = 0, body = ''
      WHERE (kind, id) IN (SELECT given.kind, given.id FROM ${this.#tables.jsonTable(KEY)})`;
    const statements = [
      hold(subject, number),
      ...(done.length > 0 ? [sql(close, formatJson(done.map(pickKey)))] : []),
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

  /** Ends a lease whose last commit has an unknown result. */
  #end(lease: Lease): void {
    this.#over.add(lease);
    this.#unreturned = [...this.#unreturned, lease];
  }
}

/** Releases a lease. If one of its commits is still in flight, that commit writes nothing. */
function giveBack({ subject, number }: Lease, now: number): SqlStatement {
  return sql(
    'UPDATE {}_leases SET until = 0, due = ?, number = number + 1 WHERE subject = ? AND number = ?',
    ...[now, subject, number],
  );
}

/**
 * Locks a subject. If the lease is void, the whole transaction fails, because the number becomes
 * NULL, which the table rejects.
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

/** Replaces lone surrogates, because databases may reject them in JSON. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
const pickKey = ({
  kind,
  id,
}: ReceivedEventKey): { readonly kind: string; readonly id: string } => ({
  kind,
  id: wellFormed(id),
});
const nameEvent = ({ kind, id }: ReceivedEventKey | SqlRow): string =>
  `${String(kind)} ${wellFormed(String(id))}`;

/**
 * Groups events that are stored with the same statements. Each event is only stored once. Subjects
 * are always sorted, because concurrent writes could otherwise deadlock.
 */
function groupBySubject(events: readonly ReceivedEvent[]): readonly (readonly ReceivedEvent[])[] {
  const first = new Map(events.toReversed().map((event) => [nameEvent(event), event]));
  const once = events.filter((event) => first.get(nameEvent(event)) === event);
  const groups: ReceivedEvent[][] = [];
  let left = -1;
  for (const event of once.toSorted((a, b) => compare(a.subject, b.subject))) {
    left -= event.body.length;
    if (left >= 0) groups.at(-1)!.push(event);
    else {
      groups.push([event]);
      left = MOST_CHARACTERS - event.body.length;
    }
  }
  return groups;
}

const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/**
 * Returns the events as `EVENT` rows. `later` is the number of later events with the same subject.
 */
function toRows(events: readonly ReceivedEvent[]): readonly object[] {
  const later = new Map<string, number>();
  const rows = events.toReversed().map((event) => {
    const subject = wellFormed(event.subject);
    const count = later.get(subject) ?? 0;
    later.set(subject, count + 1);
    const { body, createdAt, receivedAt } = event;
    return {
      ...{ ...pickKey(event), subject, body: wellFormed(body), later: count },
      ...{ created_at: createdAt, received_at: receivedAt },
    };
  });
  return rows.toReversed();
}

function keepCursor(cursor: unknown): SqlStatement {
  return sql(
    `INSERT INTO {}_cursor (one, value) VALUES (1, ?)
      ON CONFLICT (one) DO UPDATE SET value = excluded.value`,
    formatJson(cursor),
  );
}

function toLease({ subject, number, state }: SqlRow, events: readonly SqlRow[]): Lease {
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
