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

/** The part of a connection of the package `pg` that is used. */
export interface PgConnection {
  /** Runs one statement, or several without values. */
  query(text: string, values?: unknown[]): Promise<unknown>;
  /** Hears `error`, `end` and `notification`. */
  on(event: string, listener: (given: never) => void): unknown;
}

/** The part of a `Client` of the package `pg` that is used. */
export interface PgClient extends PgConnection {
  /** Opens it. */
  connect(): Promise<unknown>;
  /** Ends it. */
  end(): Promise<void>;
}

/** The part of a `Pool` of the package `pg` that is used. */
export interface PgPool {
  /** Takes a connection out of the pool. */
  connect(): Promise<PgConnection & { release(destroy?: boolean): void }>;
  /** Hears `error`. */
  on(event: 'error', listener: () => void): unknown;
  /** Ends it. */
  end(): Promise<void>;
}

/** The part of the package `postgres`'s result that is used; it must have `max: 1`. */
export interface PostgresSql {
  /** Runs one statement, or several without values. */
  unsafe(text: string, values?: SqlText[]): PromiseLike<unknown>;
  /** Listens on a connection of its own. */
  listen(channel: string, heard: (text: string) => void, listening?: () => void): Promise<unknown>;
  /** Ends it, after this number of seconds by force. */
  end(options: { timeout: number }): Promise<void>;
  /** Its options. */
  readonly options: { readonly max: number };
}

/** The time limits of a driver of PostgreSQL. */
export interface PostgresqlOptions {
  /**
   * Makes a connection that is not one of the pool: a `Client` of `pg`, not connected yet, or what
   * the package `postgres` returns with `max: 1`. For `LISTEN`; behind PgBouncer in transaction
   * mode it needs the address of PostgreSQL itself.
   */
  readonly openConnection?: (() => PgClient | PostgresSql) | undefined;
  /** Longest time of each statement, milliseconds, by a timer of this process; 5,000. */
  readonly timeoutMs?: number | undefined;
  /**
   * The time for which a statement waits for a row that another transaction holds, milliseconds;
   * 1,000.
   */
  readonly lockTimeoutMs?: number | undefined;
  /** Only with a function that makes connections: most connections at a time; 10. */
  readonly max?: number | undefined;
}

/** A driver for PostgreSQL. */
export interface PostgresqlDriver extends SqlDriver {
  /** The dialect of SQL that it speaks. */
  readonly dialect: 'postgresql';
  /** Ends the pool. Connections that `openConnection` has opened stay. */
  close(): Promise<void>;
}

/**
 * A driver for PostgreSQL, which any number of processes may share, by the packages `pg` or
 * `postgres`. Every statement has a time limit in this process, because no server can notify a
 * client of its own silence; a connection that exceeds it is closed and replaced. The settings of a
 * transaction are made inside it and no statement has a name, so PgBouncer in transaction mode
 * fits.
 *
 * @param pool a `Pool` of `pg`, or a function that makes connections of the package `postgres`,
 * each with `max: 1`
 * @throws SqlError, when a batch is run
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

/** A connection for one transaction at a time. */
interface Line {
  query(text: string, values?: SqlStatement['values']): Promise<unknown>;
  /** It can be used again. */
  giveBack(): void;
  /** It must not be used any more, whatever it is doing. */
  destroy(): void;
}

interface Lines {
  take(timeoutMs: number): Promise<Line>;
  end(): Promise<void>;
}

/** Rejects where `work` takes longer. What it comes to then is handed to `late`. */
function within<T>(work: Promise<T>, ms: number, late?: (value: T) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const stop = systemClock.after(ms, () => {
      isOver = true;
      reject(new Error(`no response in ${ms} ms`));
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

/** True if the server has refused a statement, and its connection can still be used. */
function isRefusal(thrown: unknown): boolean {
  return (Object(thrown) as { readonly severity?: unknown }).severity === 'ERROR';
}

function toSqlError(thrown: unknown, outcome: SqlError['outcome']): SqlError {
  const { message } = Object(thrown) as { readonly message?: unknown };
  const end = outcome === 'unknown' ? '; the transaction may have been committed' : '';
  return new SqlError(`PostgreSQL: ${String(message ?? thrown)}${end}`, outcome, thrown);
}

/** A deadlock, or transactions that cannot be put in an order: nothing was written. */
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
 * Begins a transaction whose server ends it where this process does not go on. A journal is on disk
 * when it is committed, also where the server's own setting is `off`.
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

/** One statement that only reads needs no transaction. */
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

/** `pg` returns a result with rows, `postgres` the rows. */
function readRows(found: unknown): readonly SqlRow[] {
  if (Array.isArray(found)) return [...(found as SqlRow[])];
  return (found as { readonly rows: readonly SqlRow[] }).rows;
}

/** Closes the socket itself: a connection that is silent does not respond to an ordinary end. */
function closeSocket(connection: PgConnection): void {
  const { connection: wire } = connection as {
    readonly connection?: { readonly stream?: { destroy?(): void } };
  };
  wire?.stream?.destroy?.();
}

/** The connections of a pool of `pg`. Errors of idle ones are found when they are used. */
function getLines(pool: PgPool): Lines {
  pool.on('error', () => {});
  const known = new WeakSet<object>();
  return {
    end: () => pool.end(),
    async take(timeoutMs) {
      const connection = await within(openIn(pool, timeoutMs), 2 * timeoutMs, (late) =>
        late.release(),
      );
      if (!known.has(connection)) connection.on('error', () => {}); // else it ends the process
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

/** A pool of `pg` waits without end for a server that accepts connections and says nothing. */
function openIn(pool: PgPool, timeoutMs: number): ReturnType<PgPool['connect']> {
  const { options } = pool as { readonly options?: { connectionTimeoutMillis?: number } };
  if (options) options.connectionTimeoutMillis ||= timeoutMs;
  return pool.connect();
}

/** A connection of the package `postgres`, with `onLost` for one that has ended. */
function lineOfPostgres(sql: PostgresSql, giveBack: () => void, onLost: () => void): Line {
  const options = sql.options as {
    readonly max: number;
    onclose?: ((id: number) => void) | undefined;
    readonly serializers?: Record<string, (value: unknown) => string> | undefined;
  };
  if (options.max !== 1)
    throw badInput('pool', 'must return a connection of the postgres package with max: 1');
  // it would quote a text once more for json, and write every text as false for boolean
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
  // it would connect again by itself, and run the rest of a transaction outside of it
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
 * A pool of connections that can each be closed by itself, which that of `postgres` does not offer.
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

/** A connection that serves one caller. */
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
      throw badInput('channel', 'must be a name of lower-case letters, digits and _');
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

/** It listens again by itself after a loss: what was said in between is lost, so this is one. */
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
