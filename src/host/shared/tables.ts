import type { SqlRow, SqlStatement } from '../../stores/index.ts';
import { sql, type SqlSchema, type SqlStoreOptions, SqlTables } from '../../stores/sql-store.ts';
import type { PostgresqlDriver } from './driver.ts';

/**
 * `processes` are those that live: a row that has run out is deleted before anything is decided by
 * it. `objects` says which process has an object, and since when: `term` rises with each owner.
 */
const SCHEMA: SqlSchema = {
  tables: [
    'CREATE SEQUENCE IF NOT EXISTS {}_terms',
    'CREATE TABLE IF NOT EXISTS {}_processes (id TEXT PRIMARY KEY, until TIMESTAMPTZ NOT NULL)',
    `CREATE TABLE IF NOT EXISTS {}_objects (name TEXT PRIMARY KEY, owner TEXT, term TEXT NOT NULL,
      alarm DOUBLE PRECISION)`,
    'CREATE INDEX IF NOT EXISTS {}_objects_alarm ON {}_objects (alarm) WHERE alarm IS NOT NULL',
    `CREATE TABLE IF NOT EXISTS {}_object_log (object TEXT NOT NULL, place INTEGER NOT NULL,
      entries TEXT NOT NULL, PRIMARY KEY (object, place))`,
    `CREATE UNLOGGED TABLE IF NOT EXISTS {}_messages (id BIGSERIAL PRIMARY KEY,
      recipient TEXT NOT NULL, sender TEXT NOT NULL, body TEXT NOT NULL)`,
    'CREATE INDEX IF NOT EXISTS {}_messages_recipient ON {}_messages (recipient)',
  ],
  probe: "SELECT id FROM {}_messages WHERE recipient = ''",
};

/** Only one process decides at a time who has what; a number of this protocol's own. */
const DECIDE = sql('SELECT pg_advisory_xact_lock(7218244, hashtext(CAST(? AS TEXT)))');
/** A process that has not said for too long that it lives has nothing any more. */
const BURY = sql('DELETE FROM {}_processes WHERE until <= clock_timestamp()');
const LIVING = 'SELECT id FROM {}_processes';
const UNTIL = "clock_timestamp() + CAST(? AS DOUBLE PRECISION) * INTERVAL '1 millisecond'";

/** What one process has of an object. */
export interface Claim {
  readonly name: string;
  readonly owner: string;
  readonly term: string;
}

/** What a beat has found. */
export interface Beat {
  /** Whether this process still has what it had. */
  readonly isMember: boolean;
  readonly living: ReadonlySet<string>;
  /** Objects whose alarm is due, of this process or of none. */
  readonly due: readonly string[];
}

/** What several processes share. */
export class SharedTables {
  readonly #tables: SqlTables;

  constructor(driver: PostgresqlDriver, options: SqlStoreOptions) {
    this.#tables = new SqlTables(driver, options, SCHEMA);
  }

  /** The channel on which a process hears that there is mail. */
  channelOf(id: string): string {
    return `${this.#tables.prefix}_${id.replaceAll('-', '')}`;
  }

  /** Lives from now on, for so many milliseconds. */
  async join(id: string, ms: number): Promise<void> {
    await this.#tables.batch([
      sql(`INSERT INTO {}_processes (id, until) VALUES (?, ${UNTIL})`, id, ms),
    ]);
  }

  /** Goes on living, if it has not been late. */
  async beat(id: string, ms: number, now: number): Promise<Beat> {
    const [, kept, living, due] = await this.#tables.batch([
      BURY,
      sql(`UPDATE {}_processes SET until = ${UNTIL} WHERE id = ? RETURNING id`, ms, id),
      sql(LIVING),
      sql(
        `SELECT name FROM {}_objects WHERE alarm <= ?
          AND (owner IS NULL OR owner = ? OR owner NOT IN (${LIVING})) ORDER BY alarm LIMIT 50`,
        now,
        id,
      ),
      sql(`DELETE FROM {}_messages WHERE recipient NOT IN (${LIVING})`),
    ]);
    return {
      isMember: kept!.length > 0,
      living: new Set(living!.map((row) => row['id'] as string)),
      due: due!.map((row) => row['name'] as string),
    };
  }

  /** Gives up all that it has. */
  async leave(id: string): Promise<void> {
    await this.#tables.batch([sql('DELETE FROM {}_processes WHERE id = ?', id)]);
  }

  /**
   * Takes an object that no process has. Resolves to the one that has it now. What this process has
   * already it has anew: what it began to write before is void.
   */
  async claim(name: string, id: string): Promise<Claim> {
    const rows = await this.#tables.batch([
      { ...DECIDE, values: [this.#tables.prefix] },
      BURY,
      sql(
        `INSERT INTO {}_objects (name, owner, term)
          VALUES (?, ?, CAST(nextval('{}_terms') AS TEXT))
          ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, term = excluded.term
            WHERE {}_objects.owner IS NULL OR {}_objects.owner = excluded.owner
              OR {}_objects.owner NOT IN (${LIVING})`,
        name,
        id,
      ),
      sql('SELECT owner, term FROM {}_objects WHERE name = ?', name),
    ]);
    const { owner, term } = rows[3]![0] as unknown as Omit<Claim, 'name'>;
    return { name, owner, term };
  }

  /** The alarm of an object, and its log in order. */
  async load({
    name,
  }: Claim): Promise<{ readonly alarm: number | null; readonly log: readonly SqlRow[] }> {
    const [objects, log] = await this.#tables.batch([
      sql('SELECT alarm FROM {}_objects WHERE name = ?', name),
      sql('SELECT place, entries FROM {}_object_log WHERE object = ? ORDER BY place', name),
    ]);
    return { alarm: (objects![0]?.['alarm'] as number | null | undefined) ?? null, log: log! };
  }

  /**
   * Writes as the owner of an object, with statements of the shop's own: all of it, or nothing
   * where it has another owner by now.
   */
  async write(
    claim: Claim,
    statements: readonly SqlStatement[],
    others: readonly SqlStatement[],
  ): Promise<void> {
    await this.#tables.batch([fence(claim), ...statements], others);
  }

  /** Nothing is left of an object, and this process has it no more. */
  async forget({ name, owner, term }: Claim): Promise<void> {
    await this.#tables.batch([
      sql('DELETE FROM {}_objects WHERE name = ? AND owner = ? AND term = ?', name, owner, term),
    ]);
  }

  /** Leaves messages for another process, and rings. */
  async post(recipient: string, sender: string, bodies: readonly string[]): Promise<void> {
    await this.#tables.batch([
      ...bodies.map((body) =>
        sql(
          'INSERT INTO {}_messages (recipient, sender, body) VALUES (?, ?, ?)',
          recipient,
          sender,
          body,
        ),
      ),
      sql("SELECT pg_notify(?, '')", this.channelOf(recipient)),
    ]);
  }

  /** Takes what was left for this process, in order. */
  async collect(recipient: string): Promise<readonly { sender: string; body: string }[]> {
    const [rows] = await this.#tables.batch([
      sql(
        `DELETE FROM {}_messages WHERE recipient = ?
          RETURNING CAST(id AS DOUBLE PRECISION) AS id, sender, body`,
        recipient,
      ),
    ]);
    return [...rows!]
      .sort((a, b) => (a['id'] as number) - (b['id'] as number))
      .map(({ sender, body }) => ({ sender: sender as string, body: body as string }));
  }
}

/** Locks the object's row, and fails where it is another's: so many owners, one, is divided by. */
function fence({ name, owner, term }: Claim): SqlStatement {
  return sql(
    `SELECT 1 / CAST(count(*) AS INTEGER) AS one FROM (SELECT 1 FROM {}_objects
      WHERE name = ? AND owner = ? AND term = ? FOR UPDATE) AS own`,
    ...[name, owner, term],
  );
}
