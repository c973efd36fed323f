import { badInput, checkMethods, checkOptions } from '../core/errors/index.ts';
import { systemClock, takeTurns } from '../core/time.ts';
import {
  type SqlBatchOptions,
  type SqlConnection,
  type SqlDriver,
  SqlError,
  type SqlRow,
  type SqlStatement,
  type SqlText,
} from './drivers.ts';

/** The part of a connection from the `pg` package that the driver uses. */
export interface PgConnection {
  /** Runs one statement. Without values, `text` may contain several statements. */
  query(text: string, values?: unknown[]): Promise<unknown>;
  /** Adds a listener for `error`, `end` or `notification`. */
  on(event: string, listener: (given: never) => void): unknown;
}

/** The part of a `Client` from the `pg` package that the driver uses. */
export interface PgClient extends PgConnection {
  /** Opens the connection. */
  connect(): Promise<unknown>;
  /** Ends the connection. */
  end(): Promise<void>;
}

/** The part of a `Pool` from the `pg` package that the driver uses. */
export interface PgPool {
  /** Takes a connection from the pool. */
  connect(): Promise<PgConnection & { release(destroy?: boolean): void }>;
  /** Adds a listener for `error`. */
  on(event: 'error', listener: () => void): unknown;
  /** Ends the pool. */
  end(): Promise<void>;
}

/**
 * The part of a connection from the `postgres` package that the driver uses. The connection must
 * have `max: 1`.
 */
export interface PostgresSql {
  /** Runs one statement. Without values, `text` may contain several statements. */
  unsafe(text: string, values?: SqlText[]): PromiseLike<unknown>;
  /** Listens to a channel on a separate connection. */
  listen(channel: string, heard: (text: string) => void, listening?: () => void): Promise<unknown>;
  /** Closes the connection. If that takes longer than `timeout` seconds, it's terminated. */
  end(options: { timeout: number }): Promise<void>;
  /** The options that the connection was created with. */
  readonly options: { readonly max: number };
}

/** The options for a PostgreSQL driver. */
export interface PostgresqlOptions {
  /**
   * Creates a connection outside the pool, which is used for `LISTEN`. Return a `Client` from `pg`
   * that isn't connected yet, or a connection from the `postgres` package with `max: 1`. If you use
   * PgBouncer in transaction mode, this connection must go to PostgreSQL directly.
   */
  readonly openConnection?: (() => PgClient | PostgresSql) | undefined;
  /**
   * Timeout for each statement, in milliseconds. The timeout is enforced by a timer in this
   * process. Defaults to 5,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest time that a statement waits for a row that another transaction has locked, in
   * milliseconds. Defaults to 1,000.
   */
  readonly lockTimeoutMs?: number | undefined;
  /**
   * The maximum number of connections, if you pass a function that creates them. Defaults to 10.
   */
  readonly max?: number | undefined;
}

/** A driver for PostgreSQL. */
export interface PostgresqlDriver extends SqlDriver {
  /** The SQL dialect. */
  readonly dialect: 'postgresql';
  /** Closes the pool. Connections from `openConnection` stay open. */
  close(): Promise<void>;
}

/**
 * Creates a driver for a PostgreSQL database that any number of processes can share, using the `pg`
 * or `postgres` package. Each statement has a timeout in this process, because a server that
 * doesn't respond can't report it. A connection that times out is closed and replaced. The driver
 * works with PgBouncer in transaction mode, because it sets its options in each transaction and
 * doesn't use named statements.
 *
 * @param pool a `Pool` from `pg`, or a function that creates connections with the `postgres`
 * package, each with `max: 1`
 * @throws SqlError, when a batch runs
 *
 * @example
 * const journal = sqlStore(postgresqlDriver(pool, { timeoutMs: 3_000 }));
 */
export function postgresqlDriver(
  pool: PgPool | (() => PostgresSql),
  options: PostgresqlOptions = {},
): PostgresqlDriver {
  if (typeof pool !== 'function') checkMethods('pool', pool, 'connect', 'on');
  checkOptions<PostgresqlOptions>(options, {
    openConnection: 'function',
    timeoutMs: 'number',
    lockTimeoutMs: 'number',
    max: 'number',
  });
  const limits = { timeoutMs: 5_000, lockTimeoutMs: 1_000, ...pickDefined(options) };
  const lines = typeof pool === 'function' ? ownPool(pool, options.max ?? 10) : getLines(pool);
  const openConnection = options.openConnection ?? (typeof pool === 'function' ? pool : undefined);
  return {
    dialect: 'postgresql',
    batch: (statements, given) =>
      runBatch(lines.take, statements, { ...limits, ...pickDefined(given) }),
    close: lines.end,
    ...(openConnection && { openConnection: () => OwnConnection.open(openConnection(), limits) }),
  };
}

interface Limits {
  readonly timeoutMs: number;
  readonly lockTimeoutMs: number;
}

function pickDefined(options: PostgresqlOptions | SqlBatchOptions = {}): Partial<Limits> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as Partial<Limits>;
}

interface Line {
  query(text: string, values?: SqlStatement['values']): Promise<unknown>;
  giveBack(): void;
  destroy(): void;
}

interface Lines {
  take(timeoutMs: number): Promise<Line>;
  end(): Promise<void>;
}

/**
 * Rejects if `work` takes longer than `ms` milliseconds. A result that arrives later is passed to
 * `late`.
 */
function within<T>(work: Promise<T>, ms: number, late?: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stop = systemClock.after(ms, () => {
      isOver = true;
      reject(new Error(`no response within ${ms} ms`));
    });
    work.then(
      (value) => {
        stop();
        if (isOver) late?.(value);
        resolve(value);
      },
      (thrown: unknown) => {
        stop();
        reject(thrown);
      },
    );
  });
}

/** Returns whether the server has rejected a statement and its connection can still be used. */
function isRefusal(thrown: unknown): boolean {
  return (Object(thrown) as { readonly severity?: unknown }).severity === 'ERROR';
}

function toSqlError(thrown: unknown, outcome: SqlError['outcome']): SqlError {
  const { message } = Object(thrown) as { readonly message?: unknown };
  const end = outcome === 'unknown' ? '; the transaction may have been committed' : '';
  return new SqlError(`PostgreSQL: ${String(message ?? thrown)}${end}`, outcome, thrown);
}

/**
 * The error codes for a deadlock and a serialization failure. Nothing was written, so the batch is
 * retried.
 */
const REPEATED = ['40P01', '40001'];
const MAX_ATTEMPTS = 4;

async function runBatch(
  take: Lines['take'],
  statements: readonly SqlStatement[],
  limits: Limits,
): Promise<readonly (readonly SqlRow[])[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const line = await take(limits.timeoutMs).catch((thrown: unknown) => {
        throw toSqlError(thrown, 'not-done');
      });
      return await transact(line, statements, limits);
    } catch (thrown) {
      const { code } = thrown as SqlError;
      if (attempt === MAX_ATTEMPTS || !REPEATED.includes(code ?? '')) throw thrown;
    }
  }
}

/**
 * Formats the statements that start a transaction. The server ends the transaction if this process
 * stalls. A commit is on disk when it returns, even if the server's own setting is `off`.
 */
function formatBegin({ timeoutMs, lockTimeoutMs }: Limits): string {
  const locked = Math.ceil(Math.min(lockTimeoutMs, timeoutMs));
  return [
    'BEGIN ISOLATION LEVEL READ COMMITTED',
    `SET LOCAL lock_timeout = ${locked}`,
    `SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`,
    'SET LOCAL idle_in_transaction_session_timeout = 5000',
    `SELECT set_config('synchronous_commit', 'on', true)
      WHERE current_setting('synchronous_commit') = 'off'`,
  ].join('; ');
}

/**
 * Returns whether there's only a single read-only statement, in which case no transaction is
 * needed.
 */
function isRead([first, ...rest]: readonly SqlStatement[]): boolean {
  return rest.length === 0 && /^\s*SELECT\b(?!.*\bFOR\b)/is.test(first!.sql);
}

async function transact(
  line: Line,
  statements: readonly SqlStatement[],
  limits: Limits,
): Promise<readonly (readonly SqlRow[])[]> {
  const ask = (text: string, values?: SqlStatement['values']) =>
    within(line.query(text, values), limits.timeoutMs);
  const isOne = isRead(statements);
  let isCommitting = false;
  try {
    if (!isOne) await ask(formatBegin(limits));
    const rows: (readonly SqlRow[])[] = [];
    for (const { sql, values } of statements) rows.push(readRows(await ask(sql, values)));
    isCommitting = !isOne;
    if (!isOne) await ask('COMMIT');
    line.giveBack();
    return rows;
  } catch (thrown) {
    const isRefused = isRefusal(thrown);
    const isUsable = isRefused && (isOne || (await isRolledBack(ask)));
    if (isUsable) line.giveBack();
    else line.destroy();
    throw toSqlError(thrown, isCommitting && !isRefused ? 'unknown' : 'not-done');
  }
}

function isRolledBack(ask: (text: string) => Promise<unknown>): Promise<boolean> {
  return ask('ROLLBACK').then(
    () => true,
    () => false,
  );
}

function readRows(found: unknown): readonly SqlRow[] {
  if (Array.isArray(found)) return [...(found as SqlRow[])];
  return (found as { readonly rows: readonly SqlRow[] }).rows;
}

/**
 * Closes the socket of a connection, because a connection that doesn't respond can't be closed
 * normally.
 */
function closeSocket(connection: PgConnection): void {
  const { connection: wire } = connection as {
    readonly connection?: { readonly stream?: { destroy?(): void } };
  };
  wire?.stream?.destroy?.();
}

/**
 * Returns the connections of a `pg` pool. An error on an idle connection is only reported when the
 * connection is used.
 */
function getLines(pool: PgPool): Lines {
  pool.on('error', () => {});
  const known = new WeakSet<object>();
  return {
    end: () => pool.end(),
    async take(timeoutMs) {
      const connection = await within(openIn(pool, timeoutMs), 2 * timeoutMs, (late) =>
        late.release(),
      );
      // an error without a listener would end the process
      if (!known.has(connection)) connection.on('error', () => {});
      known.add(connection);
      return {
        query: (text, values) => connection.query(text, values && [...values]),
        giveBack: () => connection.release(),
        destroy() {
          closeSocket(connection);
          connection.release(true);
        },
      };
    },
  };
}

/**
 * Takes a connection from a `pg` pool with a timeout. By default, the pool waits forever for a
 * server that accepts connections but doesn't respond.
 */
function openIn(pool: PgPool, timeoutMs: number): ReturnType<PgPool['connect']> {
  const { options } = pool as { readonly options?: { connectionTimeoutMillis?: number } };
  if (options) options.connectionTimeoutMillis ||= timeoutMs;
  return pool.connect();
}

/** Wraps a connection from the `postgres` package. Calls `onLost` when the connection has ended. */
function lineOfPostgres(sql: PostgresSql, giveBack: () => void, onLost: () => void): Line {
  const options = sql.options as {
    readonly max: number;
    onclose?: ((id: number) => void) | undefined;
    readonly serializers?: Record<string, (value: unknown) => string> | undefined;
  };
  if (options.max !== 1)
    throw badInput('pool', 'must return a connection of the postgres package with max: 1');
  // By default, `postgres` quotes JSON strings twice and stores strings as `false` in boolean
  // columns.
  const { serializers = {} } = options;
  const types = Object.keys(serializers);
  Object.assign(serializers, Object.fromEntries(types.map((type) => [type, String])));
  const { onclose } = options;
  let isLost = false;
  const lose = (): void => {
    if (isLost) return;
    isLost = true;
    void sql.end({ timeout: 0 }).catch(() => {});
    onLost();
  };
  // The package would reconnect and run the rest of a transaction outside the transaction.
  options.onclose = (id) => {
    onclose?.(id);
    lose();
  };
  return {
    query: async (text, values) => {
      if (isLost) throw new Error('the connection has ended');
      return sql.unsafe(text, values && [...values]);
    },
    giveBack: () => !isLost && giveBack(),
    destroy: lose,
  };
}

/**
 * Creates a pool whose connections can be closed individually. The `postgres` package doesn't
 * support that.
 */
function ownPool(make: () => PostgresSql, max: number): Lines {
  const idle: Line[] = [];
  const open = new Set<Line>();
  const waiting: ((line: Line) => void)[] = [];
  let isEnded = false;
  const create = (): Line => {
    const line = lineOfPostgres(
      make(),
      () => give(line),
      () => {
        open.delete(line);
        if (idle.includes(line)) idle.splice(idle.indexOf(line), 1);
        if (waiting.length > 0 && !isEnded) waiting.shift()!(create());
      },
    );
    open.add(line);
    return line;
  };
  const give = (line: Line): void => {
    const next = waiting.shift();
    if (next) next(line);
    else idle.push(line);
  };
  return {
    async take(timeoutMs) {
      if (isEnded) throw new Error('the driver was closed');
      const free = idle.pop();
      if (free) return free;
      if (open.size < max) return create();
      const turn = new Promise<Line>((resolve) => void waiting.push(resolve));
      return within(turn, timeoutMs, (late) => late.giveBack());
    },
    async end() {
      isEnded = true;
      for (const line of [...open]) line.destroy();
    },
  };
}

class OwnConnection implements SqlConnection {
  readonly #line: Line;
  readonly #limits: Limits;
  readonly #listen: SqlConnection['listen'];
  readonly #turns: ReturnType<typeof takeTurns> = takeTurns();
  #state: 'open' | 'lost' | 'closed' = 'open';
  readonly #listeners: (() => void)[] = [];

  static async open(client: PgClient | PostgresSql, limits: Limits): Promise<SqlConnection> {
    const own = new OwnConnection(client, limits);
    try {
      if ('unsafe' in client) await within(own.#line.query('SELECT 1'), limits.timeoutMs);
      else await within(client.connect(), limits.timeoutMs);
    } catch (thrown) {
      own.close();
      throw toSqlError(thrown, 'not-done');
    }
    return own;
  }

  constructor(client: PgClient | PostgresSql, limits: Limits) {
    this.#limits = limits;
    const lose = (): void => this.#lose();
    if ('unsafe' in client) {
      this.#line = lineOfPostgres(client, () => {}, lose);
      this.#listen = (channel, heard) => listenByPostgres(client, channel, heard, lose);
      return;
    }
    client.on('error', lose);
    client.on('end', lose);
    this.#line = lineOfClient(client, lose);
    this.#listen = async (channel, heard) => {
      client.on('notification', (told: { readonly channel: string; readonly payload?: string }) => {
        if (told.channel === channel) heard(told.payload ?? '');
      });
      await client.query(`LISTEN ${channel}`);
    };
  }

  batch(
    statements: readonly SqlStatement[],
    options?: SqlBatchOptions,
  ): Promise<readonly (readonly SqlRow[])[]> {
    const limits = { ...this.#limits, ...pickDefined(options) };
    return this.#inTurn(() => runBatch(async () => this.#line, statements, limits));
  }

  listen(channel: string, heard: (text: string) => void): Promise<void> {
    if (!/^[a-z_][a-z0-9_]*$/.test(channel))
      throw badInput('channel', 'must be a name made of lowercase letters, digits and _');
    return this.#inTurn(async () => {
      try {
        await within(this.#listen(channel, heard), this.#limits.timeoutMs);
      } catch (thrown) {
        this.#line.destroy();
        throw toSqlError(thrown, 'not-done');
      }
    });
  }

  onLost(fn: () => void): void {
    if (this.#state === 'lost') fn();
    else this.#listeners.push(fn);
  }

  close(): void {
    if (this.#state === 'open') this.#state = 'closed';
    this.#line.destroy();
  }

  #lose(): void {
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    for (const fn of this.#listeners) fn();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns(async () => {
      if (this.#state !== 'open')
        throw toSqlError(new Error(`the connection was ${this.#state}`), 'not-done');
      return work();
    });
  }
}

function lineOfClient(client: PgClient, lose: () => void): Line {
  return {
    query: (text, values) => client.query(text, values && [...values]),
    giveBack() {},
    destroy() {
      closeSocket(client);
      void client.end().catch(() => {});
      lose();
    },
  };
}

/**
 * Listens to a channel and calls `lose` when the connection is lost. The package starts listening
 * again, but any notifications in between are lost.
 */
async function listenByPostgres(
  sql: PostgresSql,
  channel: string,
  heard: (text: string) => void,
  lose: () => void,
): Promise<void> {
  let times = 0;
  await sql.listen(channel, heard, () => {
    times += 1;
    if (times > 1) lose();
  });
}
