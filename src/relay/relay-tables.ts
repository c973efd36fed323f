import { badInput } from '../core/errors/index.ts';
import type { SqlDriver, SqlError, SqlRow } from '../stores/index.ts';
import { CLOCK, MAX, sql, SqlPart } from './sql-text.ts';

/** The timeout for a statement, in milliseconds. It's enforced by a timer in this process. */
const STATEMENT_TIMEOUT = 5_000;
/**
 * The maximum number of attempts to create the tables. Another process may be creating them, and
 * PostgreSQL only waits a second for a lock.
 */
const MAX_ATTEMPTS = 30;
/** PostgreSQL's error code for a lock that wasn't granted in time. */
const LOCK_TIMEOUT = '55P03';

// These statements work in both SQLite and PostgreSQL.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS {}_schema (room TEXT PRIMARY KEY, number INTEGER NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS {}_account (account TEXT PRIMARY KEY,
    feed_at DOUBLE PRECISION NOT NULL DEFAULT 0, true_at DOUBLE PRECISION NOT NULL DEFAULT 0,
    cursor TEXT)`,
  `CREATE TABLE IF NOT EXISTS {}_note (account TEXT NOT NULL, name TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY (account, name))`,
  `CREATE TABLE IF NOT EXISTS {}_proc (id TEXT PRIMARY KEY, seen DOUBLE PRECISION NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS {}_egress (address TEXT NOT NULL, bucket TEXT NOT NULL,
    blocked_until DOUBLE PRECISION NOT NULL DEFAULT 0, PRIMARY KEY (address, bucket))`,
  `CREATE TABLE IF NOT EXISTS {}_share (account TEXT NOT NULL, kind TEXT NOT NULL,
    who TEXT NOT NULL, turn DOUBLE PRECISION NOT NULL, granted INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account, kind, who))`,
  `CREATE TABLE IF NOT EXISTS {}_order (account TEXT NOT NULL, order_id TEXT NOT NULL,
    hash TEXT NOT NULL, draft TEXT NOT NULL, until DOUBLE PRECISION NOT NULL, invoice_id TEXT,
    receiver_id TEXT, opener TEXT, open_until DOUBLE PRECISION NOT NULL DEFAULT 0,
    held_until DOUBLE PRECISION NOT NULL DEFAULT 0, PRIMARY KEY (account, order_id))`,
  'CREATE INDEX IF NOT EXISTS {}_order_invoice ON {}_order (account, invoice_id)',
  'CREATE INDEX IF NOT EXISTS {}_order_until ON {}_order (until)',
  'CREATE INDEX IF NOT EXISTS {}_order_opener ON {}_order (opener) WHERE opener IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS {}_invoice (account TEXT NOT NULL, invoice_id TEXT NOT NULL,
    epoch TEXT NOT NULL, revision INTEGER NOT NULL, version DOUBLE PRECISION NOT NULL,
    as_of DOUBLE PRECISION NOT NULL, json TEXT NOT NULL, held TEXT NOT NULL, unconfirmed TEXT,
    quote TEXT, quoter TEXT, quote_until DOUBLE PRECISION NOT NULL DEFAULT 0,
    PRIMARY KEY (account, invoice_id))`,
  `CREATE TABLE IF NOT EXISTS {}_follow (account TEXT NOT NULL, invoice_id TEXT NOT NULL,
    until DOUBLE PRECISION NOT NULL, since DOUBLE PRECISION NOT NULL,
    check_at DOUBLE PRECISION NOT NULL, reader TEXT, read_until DOUBLE PRECISION NOT NULL DEFAULT 0,
    seen DOUBLE PRECISION NOT NULL DEFAULT 0, announced DOUBLE PRECISION NOT NULL DEFAULT 0,
    told DOUBLE PRECISION NOT NULL DEFAULT 0, PRIMARY KEY (account, invoice_id))`,
  'CREATE INDEX IF NOT EXISTS {}_follow_check ON {}_follow (account, check_at)',
  'CREATE INDEX IF NOT EXISTS {}_follow_reader ON {}_follow (reader) WHERE reader IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS {}_event (account TEXT NOT NULL, kind TEXT NOT NULL,
    id TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL,
    created_at DOUBLE PRECISION NOT NULL, received_at DOUBLE PRECISION NOT NULL,
    place INTEGER NOT NULL, open INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (account, kind, id))`,
  'CREATE INDEX IF NOT EXISTS {}_event_open ON {}_event (account, subject) WHERE open = 1',
  'CREATE INDEX IF NOT EXISTS {}_event_done ON {}_event (account, received_at) WHERE open = 0',
  // `due` is set by a commit or a lease. `fresh` is the time of the first event that arrived after
  // that.
  `CREATE TABLE IF NOT EXISTS {}_subject (account TEXT NOT NULL, subject TEXT NOT NULL,
    state TEXT, number INTEGER NOT NULL DEFAULT 0, added INTEGER NOT NULL DEFAULT 0,
    due DOUBLE PRECISION NOT NULL DEFAULT 9007199254740991,
    fresh DOUBLE PRECISION NOT NULL DEFAULT 9007199254740991, holder TEXT, turn TEXT,
    until DOUBLE PRECISION NOT NULL DEFAULT 0, PRIMARY KEY (account, subject))`,
  `CREATE INDEX IF NOT EXISTS {}_subject_due ON {}_subject (account, due)
    WHERE due < 9007199254740991`,
  `CREATE INDEX IF NOT EXISTS {}_subject_fresh ON {}_subject (account, fresh)
    WHERE fresh < 9007199254740991`,
  'CREATE INDEX IF NOT EXISTS {}_subject_holder ON {}_subject (holder) WHERE holder IS NOT NULL',
  `CREATE TABLE IF NOT EXISTS {}_letter (account TEXT NOT NULL, key TEXT NOT NULL,
    subject TEXT NOT NULL, body TEXT NOT NULL, kept_at DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (account, key))`,
];

type Steps = readonly (readonly string[])[];

/**
 * The tables, as numbered migrations. The number of the last one is the schema version. Each
 * version of this package adds at most one migration, and never changes a released one. A process
 * works with the tables of its own version and of the next one. A migration may therefore only add
 * columns with defaults. Old columns are removed by a later version.
 */
const STEPS: Steps = [TABLES];

/** A queue of writes to the database. At most `width` of them run at the same time. */
interface Lane {
  readonly name: string;
  readonly width: number;
}

/** The maximum number of writes waiting in one queue. Further writes are rejected immediately. */
const MOST_WAITING = 2_000;

/**
 * Limits how many of an account's writes run at the same time, so that a locked row doesn't block
 * other accounts.
 */
class Lanes {
  readonly #running: Map<string, number> = new Map();
  readonly #waiting: Map<string, (() => void)[]> = new Map();

  async run<T>({ name, width }: Lane, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name) ?? 0;
    if (running < width) this.#running.set(name, running + 1);
    else await this.#wait(name);
    try {
      return await work();
    } finally {
      this.#next(name);
    }
  }

  #wait(name: string): Promise<void> {
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.set(name, waiting);
    if (waiting.length >= MOST_WAITING)
      throw new Error('too many writes are queued for this account');
    return new Promise((resolve) => void waiting.push(resolve));
  }

  #next(name: string): void {
    const waiting = this.#waiting.get(name);
    const next = waiting?.shift();
    if (next) return next();
    this.#waiting.delete(name);
    const left = this.#running.get(name)! - 1;
    if (left > 0) this.#running.set(name, left);
    else this.#running.delete(name);
  }
}

/** Options for the database tables of a relay. */
export interface RelayTablesOptions {
  /** The database driver. */
  readonly driver: SqlDriver;
  /** The prefix for table names, matching `[a-z][a-z0-9_]*`. Defaults to `paystate`. */
  readonly prefix?: string | undefined;
  /**
   * Allows a SQLite database to be in memory, in which case all data is lost when the process ends.
   */
  readonly mayForget?: boolean | undefined;
}

export class RelayTables {
  readonly dialect: SqlDriver['dialect'];
  readonly prefix: string;
  readonly driver: SqlDriver;
  readonly #mayForget: boolean;
  readonly #now: () => number;
  readonly #lanes: Lanes = new Lanes();
  readonly #steps: Steps;
  #ready: Promise<void> | undefined;

  /**
   * @param now returns the time for a database without a clock, in milliseconds since 1970
   */
  constructor(options: RelayTablesOptions, now: () => number, steps: Steps = STEPS) {
    const { driver, prefix = 'paystate', mayForget = false } = options;
    if (!/^[a-z][a-z0-9_]{0,30}$/.test(prefix))
      throw badInput('prefix', 'must start with a-z, followed by up to 30 of a-z, 0-9 and _');
    this.driver = driver;
    this.prefix = prefix;
    this.dialect = driver.dialect;
    this.#mayForget = mayForget;
    this.#now = now;
    this.#steps = steps;
  }

  /**
   * Runs the statements in one transaction. Resolves to the rows of each statement.
   *
   * @param lane writes in the same queue wait for each other, so that a locked row only blocks a
   * few connections
   */
  async batch(parts: readonly SqlPart[], lane?: Lane): Promise<readonly (readonly SqlRow[])[]> {
    await this.ready();
    const work = () => this.#run(parts, STATEMENT_TIMEOUT);
    return lane && this.dialect === 'postgresql' ? this.#lanes.run(lane, work) : work();
  }

  /** Runs one statement that doesn't lock anything, and returns its rows. */
  async read(part: SqlPart): Promise<readonly SqlRow[]> {
    await this.ready();
    const options = { timeoutMs: STATEMENT_TIMEOUT };
    return (await this.driver.batch([this.statement(part)], options))[0]!;
  }

  async tryWrite(): Promise<void> {
    await this.batch([sql`UPDATE {}_schema SET number = number WHERE room = 'relay'`]);
  }

  statement(part: SqlPart): { sql: string; values: readonly (string | number | null)[] } {
    return part.statement(this.dialect, this.prefix, this.#now());
  }

  /** Sends a notification to a channel's listeners. Only works with PostgreSQL. */
  notification(channel: string, text: string): SqlPart {
    return sql`SELECT pg_notify(${channel}, ${text})`;
  }

  /** Resolves once the tables exist. Rejects if this process isn't allowed to use them. */
  ready(): Promise<void> {
    this.#ready ??= this.#prepare().catch((thrown: unknown) => {
      this.#ready = undefined;
      throw thrown;
    });
    return this.#ready;
  }

  #run(parts: readonly SqlPart[], timeoutMs: number): Promise<readonly (readonly SqlRow[])[]> {
    return this.driver.batch(
      parts.map((part) => this.statement(part)),
      { timeoutMs },
    );
  }

  async #prepare(): Promise<void> {
    if (this.dialect === 'sqlite' && !this.driver.durable) await this.#lockFile();
    for (let attempt = 1; ; attempt++)
      try {
        return await this.#makeTables();
      } catch (thrown) {
        const isLocked = (thrown as Partial<SqlError>).code === LOCK_TIMEOUT;
        if (!isLocked || attempt === MAX_ATTEMPTS) throw thrown;
      }
  }

  async #makeTables(): Promise<void> {
    const found = await this.#readVersion();
    if (found >= this.#steps.length) return checkVersion(found, this.#steps.length);
    try {
      await this.#makeFrom(found);
    } catch (thrown) {
      // another process has applied the same migration first
      if ((await this.#readVersion()) === found) throw thrown;
      await this.#makeTables();
    }
  }

  async #readVersion(): Promise<number> {
    const rows = await this.#run([readVersion()], STATEMENT_TIMEOUT).catch(() => []);
    return (rows[0]?.[0]?.['number'] as number | undefined) ?? 0;
  }

  async #makeFrom(found: number): Promise<void> {
    const parts = this.#steps.slice(found).flatMap((step) => step.map(plain));
    const lock = this.dialect === 'postgresql' ? [sql`SELECT pg_advisory_xact_lock(7218244)`] : [];
    await this.#run([...lock, ...parts, noteVersion(this.#steps.length)], 30_000);
  }

  /** Locks the database file for this process. SQLite releases the lock when the process ends. */
  async #lockFile(): Promise<void> {
    const run = (text: string): Promise<readonly (readonly SqlRow[])[]> =>
      this.driver.batch([{ sql: text, values: [] }]);
    try {
      const [files = []] = await run('PRAGMA database_list');
      const isFile = !!files.find(({ name }) => name === 'main')?.['file'];
      if (!isFile && !this.#mayForget)
        throw badInput(
          'driver',
          'must be a file, because memory is lost when the process ends; or set mayForget: true',
        );
      if (!isFile) return;
      await run('PRAGMA locking_mode = EXCLUSIVE');
      await run('CREATE TABLE IF NOT EXISTS paystate_lock (one INTEGER)');
      await run('INSERT INTO paystate_lock (one) VALUES (1)');
      await run('DELETE FROM paystate_lock');
    } catch (thrown) {
      if (!/lock|busy/i.test(String((thrown as Error).message))) throw thrown;
      throw badInput(
        'driver',
        'another process has this SQLite file open. Stop that process, or use PostgreSQL for several processes',
      );
    }
  }
}

const noteVersion = (
  version: number,
): SqlPart => sql`INSERT INTO {}_schema (room, number) VALUES ('relay', ${version})
  ON CONFLICT (room) DO UPDATE SET number = ${MAX}({}_schema.number, excluded.number)`;

const readVersion = (): SqlPart => sql`SELECT number FROM {}_schema WHERE room = 'relay'`;

/** Checks the schema version. The tables may be at most one version newer than this package. */
function checkVersion(found: number, own: number): void {
  if (found > own + 1)
    throw badInput(
      'driver',
      `has tables of version ${found}, but this package only supports version ${own}: update the package`,
    );
}

function plain(text: string): SqlPart {
  return new SqlPart(({ prefix }) => text.replaceAll('{}', prefix));
}

/**
 * Returns the statements that write a process's heartbeat and read all heartbeats and the schema
 * version.
 */
export function signOfLife(id: string): readonly SqlPart[] {
  return [
    sql`INSERT INTO {}_proc (id, seen) VALUES (${id}, ${CLOCK})
      ON CONFLICT (id) DO UPDATE SET seen = excluded.seen`,
    sql`SELECT id, seen FROM {}_proc`,
    readVersion(),
  ];
}

/**
 * Returns the heartbeats of all processes from the rows of `signOfLife`. Throws if the tables are
 * too new.
 */
export function signsFrom(
  rows: readonly (readonly SqlRow[])[],
): readonly { readonly id: string; readonly seen: number }[] {
  const [, signs = [], [version] = []] = rows;
  checkVersion(version!['number'] as number, STEPS.length);
  return signs.map((row) => ({ id: row['id'] as string, seen: row['seen'] as number }));
}
