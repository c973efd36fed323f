import type { Clock } from '../core/time.ts';
import type {
  AddResult,
  Commit,
  DeadLetter,
  InboxCounts,
  InboxStore,
  Lease,
  ReceivedEvent,
  SqlRow,
  SqlStatement,
  SqlTransaction,
} from '../stores/index.ts';
import { Gathered } from './gathered.ts';
import type { RelayTables } from './relay-tables.ts';
import type { SharedTurns } from './limits.ts';
import {
  CLOCK,
  LOCKED_IN_ORDER,
  MIN,
  NEVER,
  NOW,
  formatRows,
  SKIP_LOCKED,
  sql,
  SqlPart,
} from './sql-text.ts';
import { takenTurns } from './sql-turns.ts';

/**
 * The number of statements returned by `#keep`. The second statement returns the new events, and
 * the fourth returns all stored ones.
 */
const KEEP_STATEMENTS = 4;
const MOST_LEASES = 100;
/** The prefix of invoice subjects. */
export const INVOICE = 'invoice:';
/**
 * The maximum number of commits in one write. Commits with a handler's statements are written
 * separately.
 */
const MOST_COMMITS = 100;
/**
 * The number of old events to delete at once. Each feed read deletes at most `MOST_ROUNDS` such
 * batches.
 */
const FORGOTTEN = 500;
const MOST_ROUNDS = 20;
/**
 * How long after its last event a subject can still be handled, in milliseconds. Failed runs are
 * retried for a day.
 */
const HANDLED_WITHIN = 172_800_000;
/** The interval between attempts to release a lease, in milliseconds. */
const GIVE_BACK_EVERY = 500;

/** Collects the statements that a handler adds to the event's transaction. */
export interface RowsTransaction extends SqlTransaction {
  /** Adds one of the relay's own statements. */
  readonly own: (part: SqlPart) => void;
}

export interface LeaseHolder {
  /** The process's id. It's randomly generated on each start. */
  readonly id: string;
  /**
   * Whether the process's last heartbeat is recent, in which case other processes don't take over
   * its leases.
   */
  readonly isAlive: boolean;
  /**
   * Set if no other process can use the database, in which case all old leases can be released at
   * startup.
   */
  readonly isAlone?: boolean | undefined;
  /** Whether the process has ended and released all leases. */
  readonly isEnded?: boolean | undefined;
  /** Aborted when the process stops taking new work. */
  readonly ending?: AbortSignal | undefined;
}

interface Parts {
  readonly tables: RelayTables;
  readonly account: string;
  readonly holder: LeaseHolder;
  readonly clock: Clock;
  readonly newId: () => string;
  /**
   * Rate-limit slots for reads of leased subjects, shared by all processes of the account. Absent
   * if reads don't need any.
   */
  readonly turns?: Pick<SharedTurns, 'kind' | 'pace' | 'noteTaken'> | undefined;
  /** Returns false for events that need no work. They're not stored. Absent if all are stored. */
  readonly isWanted?: ((event: ReceivedEvent) => boolean) | undefined;
}

/**
 * The inbox of one of many accounts. Any process can handle any subject. A lease contains the id of
 * its process and is void once that process is no longer running. A subject's row is also its lock,
 * so it's written first. Times that the database has to compare are passed as durations.
 */
export class RowsInboxStore implements InboxStore<RowsTransaction> {
  readonly durable = true;
  readonly #tables: RelayTables;
  readonly #account: string;
  readonly #holder: LeaseHolder;
  readonly #clock: Clock;
  readonly #newId: () => string;
  readonly #turns: Parts['turns'];
  readonly #isWanted: (event: ReceivedEvent) => boolean;
  /**
   * Leases that this process may hold without working on them. Each entry has a name and the
   * condition that finds the lease's row.
   */
  readonly #unheld: Map<string, SqlPart> = new Map();
  #isGivingBack: boolean = false;
  /**
   * Leases that must not be used for another write, because the result of their last commit is
   * unknown. The next lease reads that result.
   */
  readonly #over: WeakSet<Lease> = new WeakSet();
  readonly #commits: Gathered<LeaseCommit, boolean>;

  constructor({ tables, account, holder, clock, newId, turns, isWanted = () => true }: Parts) {
    this.#tables = tables;
    this.#account = account;
    this.#holder = holder;
    this.#clock = clock;
    this.#newId = newId;
    this.#turns = turns;
    this.#isWanted = isWanted;
    this.#commits = new Gathered({
      most: MOST_COMMITS,
      work: (commits) => this.#commitTogether(commits),
      pause: () => clock.wait(0),
    });
  }

  async add(events: readonly ReceivedEvent[], cursor?: unknown): Promise<readonly AddResult[]> {
    const wanted = events.filter(this.#isWanted);
    const added = await this.#add(wanted, cursor);
    const results = new Map(wanted.map((event, place) => [event, added[place]!]));
    return events.map((event) => results.get(event) ?? 'known');
  }

  async #add(events: readonly ReceivedEvent[], cursor: unknown): Promise<readonly AddResult[]> {
    const rounds = splitRounds(events);
    const parts = rounds.flatMap((places) => this.#keep(places.map((place) => events[place]!)));
    if (cursor !== undefined) parts.push(this.#keepCursor(cursor));
    if (parts.length === 0) return [];
    const rows = await this.#tables.batch(parts, { name: `${this.#account} events`, width: 1 });
    const added: AddResult[] = [];
    for (const [n, places] of rounds.entries()) {
      const [, inserted = [], , present = []] = rows.slice(KEEP_STATEMENTS * n);
      const news = new Set(inserted.map(makeKey));
      const known = new Map(present.map((row) => [makeKey(row), row['subject']]));
      for (const place of places) {
        const event = events[place]!;
        const isSame = known.get(makeKey(event)) === event.subject;
        added[place] = news.has(makeKey(event)) ? 'new' : isSame ? 'known' : 'clash';
      }
    }
    return added;
  }

  async cursor(): Promise<unknown> {
    const [row] = await this.#tables.read(
      sql`SELECT cursor FROM {}_account WHERE account = ${this.#account}`,
    );
    const text = row?.['cursor'] as string | null | undefined;
    return text ? (JSON.parse(text) as unknown) : undefined;
  }

  /**
   * Leases all due subjects that fit into one list. Leasing takes a rate-limit slot, so this waits
   * for one while any subjects are due.
   */
  async lease(_now: number, duration: number): Promise<readonly Lease[]> {
    for (;;) {
      // without heartbeats, another process could take over the leases
      if (!this.#holder.isAlive || this.#holder.ending?.aborted) return [];
      const turn = this.#newId();
      try {
        const { leases, delay } = await this.#lease(turn, duration);
        if (leases.length > 0) this.#turns?.noteTaken();
        if (leases.length > 0 || delay === undefined) return leases;
        await this.#clock.wait(delay, this.#holder.ending);
      } catch (thrown) {
        this.#giveBack(turn, sql`turn = ${turn}`); // the transaction may have been committed
        throw thrown;
      }
    }
  }

  async commit(
    lease: Lease,
    commit: Commit,
    write?: (tx: RowsTransaction) => void,
  ): Promise<boolean> {
    const others: SqlPart[] = [];
    write?.({
      run: (text, ...values) => void others.push(foreign({ sql: text, values })),
      own: (part) => void others.push(part),
    });
    return this.#commit(lease, commit, others, []);
  }

  async deadLetter(
    lease: Lease,
    commit: Commit,
    { key, subject, body }: DeadLetter,
  ): Promise<boolean> {
    const letter = sql`INSERT INTO {}_letter (account, key, subject, body, kept_at)
      VALUES (${this.#account}, ${key}, ${subject}, ${body}, ${CLOCK})
      ON CONFLICT (account, key) DO UPDATE SET subject = excluded.subject, body = excluded.body`;
    return this.#commit(lease, commit, [], [letter]);
  }

  async deadLetters(): Promise<readonly DeadLetter[]> {
    const rows = await this.#tables.read(
      sql`SELECT key, subject, body FROM {}_letter WHERE account = ${this.#account}
        ORDER BY kept_at, key`,
    );
    return rows.map(({ key, subject, body }) => ({ key, subject, body }) as unknown as DeadLetter);
  }

  async requeue(key: string, event: ReceivedEvent): Promise<boolean> {
    const hasLetter = sql`EXISTS (SELECT 1 FROM {}_letter
      WHERE account = ${this.#account} AND key = ${key})`;
    const [deleted = []] = (
      await this.#write([
        ...this.#keep([event], hasLetter),
        sql`DELETE FROM {}_letter WHERE account = ${this.#account} AND key = ${key} RETURNING key`,
      ])
    ).slice(KEEP_STATEMENTS);
    return deleted.length > 0;
  }

  async counts(): Promise<InboxCounts> {
    const account = this.#account;
    const [row] = await this.#tables.read(sql`SELECT
      (SELECT CAST(count(*) AS INTEGER) FROM {}_event
        WHERE account = ${account} AND open = 1) AS open,
      (SELECT min(created_at) FROM {}_event WHERE account = ${account} AND open = 1) AS oldest,
      (SELECT CAST(count(*) AS INTEGER) FROM {}_letter WHERE account = ${account}) AS letters,
      (SELECT min(CASE WHEN until > due THEN until ELSE due END) FROM {}_subject
        WHERE account = ${account} AND due < ${NEVER}) - ${NOW} AS due,
      (SELECT min(CASE WHEN until > fresh THEN until ELSE fresh END) FROM {}_subject
        WHERE account = ${account} AND fresh < ${NEVER}) - ${NOW} AS fresh`);
    const { open, oldest, letters, due, fresh } = row as Record<string, number | null>;
    const next = Math.min(due ?? Infinity, fresh ?? Infinity);
    return {
      open: open!,
      deadLetters: letters!,
      ...(next < Infinity && { nextDue: this.#clock.now() + next }),
      ...(typeof oldest === 'number' && { oldest }),
    };
  }

  async forget(before: number): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round++)
      if ((await this.#forgetSome(before)) < FORGOTTEN) return;
  }

  /**
   * Deletes old events, and subjects that have no other events. Resolves to the number of deleted
   * events.
   */
  async #forgetSome(before: number): Promise<number> {
    const old = sql`{}_event WHERE account = ${this.#account} AND open = 0
      AND received_at < ${before} ORDER BY received_at LIMIT ${FORGOTTEN}`;
    const [, events] = await this.#write([
      sql`DELETE FROM {}_subject WHERE account = ${this.#account}
        AND subject IN (SELECT subject FROM ${old}) AND due >= ${NEVER} AND fresh >= ${NEVER}
        AND until > 0 AND until < ${before + HANDLED_WITHIN}`,
      sql`DELETE FROM {}_event WHERE (account, kind, id) IN (SELECT account, kind, id FROM ${old})
        RETURNING 1 AS one`,
      sql`DELETE FROM {}_letter WHERE account = ${this.#account} AND kept_at < ${before}`,
    ]);
    return events!.length;
  }

  async #lease(
    turn: string,
    duration: number,
  ): Promise<{ readonly leases: readonly Lease[]; readonly delay?: number | undefined }> {
    const account = this.#account;
    const since = sql`CASE WHEN s.fresh < s.due THEN s.fresh ELSE s.due END`;
    // orders come first, because anyone can pay thousands of unrelated invoices into the account
    const isOrders = sql`EXISTS (SELECT 1 FROM {}_order o
      WHERE o.account = s.account AND o.invoice_id = substr(s.subject, ${INVOICE.length + 1}))`;
    const isDue = sql`s.account = ${account} AND s.until <= ${NOW}
      AND ((s.due < ${NEVER} AND s.due <= ${NOW})
        OR (s.fresh < ${NEVER} AND s.fresh <= ${NOW}))`;
    const isAnyDue = sql`EXISTS (SELECT 1 FROM {}_subject s WHERE ${isDue})`;
    const gate =
      this.#turns && takenTurns(account, this.#turns.kind, 1, this.#turns.pace, isAnyDue);
    const rows = await this.#write([
      ...(gate?.take ?? []),
      sql`UPDATE {}_subject AS s SET holder = ${this.#holder.id}, turn = ${turn},
          number = s.number + 1, until = ${CLOCK} + ${duration}, due = ${since}, fresh = ${NEVER}
        WHERE s.account = ${account} AND s.subject IN (SELECT s.subject FROM {}_subject s
          WHERE ${isDue} ${gate ? sql`AND ${gate.granted} > 0` : sql``}
          ORDER BY ${isOrders} DESC, ${since} LIMIT ${MOST_LEASES} ${SKIP_LOCKED})
        RETURNING subject, number, state, due`,
      sql`SELECT e.kind, e.id, e.subject, e.body, e.created_at, e.received_at
        FROM {}_subject s JOIN {}_event e ON e.account = s.account AND e.subject = s.subject
          AND e.open = 1
        WHERE s.holder = ${this.#holder.id} AND s.account = ${account} AND s.turn = ${turn}
        ORDER BY e.place`,
      ...(gate ? [gate.state] : []),
    ]);
    const [leases, events, [wait] = []] = rows.slice(gate?.take.length ?? 0);
    return {
      leases: [...leases!]
        .sort((a, b) => (a['due'] as number) - (b['due'] as number))
        .map((lease) => toLease(lease, events!)),
      delay: wait && Math.max(1, wait['delay'] as number),
    };
  }

  /**
   * Releases leases that this process may hold without working on them, because a response was lost
   * or the database failed. Retries until the database confirms.
   */
  #giveBack(name: string, which: SqlPart): void {
    this.#unheld.set(name, which);
    if (!this.#isGivingBack) void this.#giveAllBack();
  }

  async #giveAllBack(): Promise<void> {
    this.#isGivingBack = true;
    while (this.#unheld.size > 0 && !this.#holder.isEnded)
      for (const [name, which] of [...this.#unheld])
        try {
          await this.#write([
            sql`UPDATE {}_subject SET until = 0, due = ${CLOCK}, holder = NULL, number = number + 1
              WHERE holder = ${this.#holder.id} AND account = ${this.#account} AND ${which}`,
          ]);
          this.#unheld.delete(name);
        } catch {
          await this.#clock.wait(GIVE_BACK_EVERY);
        }
    this.#isGivingBack = false;
  }

  async #commit(
    lease: Lease,
    commit: Commit,
    others: readonly SqlPart[],
    more: readonly SqlPart[],
  ): Promise<boolean> {
    const { subject, number } = lease;
    if (this.#over.has(lease)) return false;
    if (!this.#holder.isAlive) {
      this.#end(lease);
      throw new Error('this process could not renew its lease for 4 seconds');
    }
    const mark = this.#newId();
    try {
      if (others.length + more.length === 0) return await this.#commits.add({ lease, commit });
      await this.#write([
        this.#hold(subject, number),
        ...others,
        ...this.#ends([{ lease, commit, mark }]),
        ...more,
      ]);
      return true;
    } catch (thrown) {
      const found = await this.#find(subject).catch(() => undefined);
      if (found?.['turn'] === mark) return true; // only the response was lost
      if (found && found['number'] !== number) return false;
      const { outcome } = thrown as { readonly outcome?: unknown };
      // if the database rejects a handler's statement, the handler has failed and runs again later
      const isHandlers = others.length > 0 && found && outcome !== 'unknown';
      if (!isHandlers) this.#end(lease);
      throw thrown;
    }
  }

  /** Ends a lease whose last commit has an unknown result. */
  #end(lease: Lease): void {
    const { subject, number } = lease;
    this.#over.add(lease);
    this.#giveBack(`${subject} ${number}`, sql`subject = ${subject} AND number = ${number}`);
  }

  /**
   * Writes several commits. Resolves to whether each lease was valid. A void lease doesn't affect
   * the other commits.
   */
  async #commitTogether(commits: readonly LeaseCommit[]): Promise<readonly boolean[]> {
    const [, rows] = await this.#write(this.#ends(commits));
    const written = new Set(
      rows!.map((row) => `${String(row['number'])} ${String(row['subject'])}`),
    );
    return commits.map(({ lease: { number, subject } }) => written.has(`${number} ${subject}`));
  }

  /**
   * Locks the subjects in a fixed order, writes those with a valid lease, and closes their events.
   * The second statement returns the subjects that were written.
   */
  #ends(commits: readonly LeaseCommit[]): readonly SqlPart[] {
    const account = this.#account;
    const now = this.#clock.now();
    const given = formatRows(
      COMMIT_COLUMNS,
      commits.map((one) => commitRow(account, now, one)),
    );
    const done = commits.flatMap(({ lease: { subject, number }, commit: { done: ended = [] } }) =>
      ended.map(({ kind, id }) => ({ account, name: subject, turn: number, kind, id })),
    );
    const holds = sql`s.account = given.account AND s.subject = given.name
      AND s.number = given.turn`;
    return [
      sql`SELECT s.subject FROM ${given} JOIN {}_subject s ON ${holds} ${LOCKED_IN_ORDER}`,
      sql`UPDATE {}_subject AS s SET state = given.content,
        due = coalesce(${CLOCK} + given.due_in, ${NEVER}),
        until = ${CLOCK} + coalesce(given.held_for, 0),
        holder = CASE WHEN given.held_for IS NULL THEN NULL ELSE ${this.#holder.id} END,
        turn = given.mark
        FROM ${given} WHERE ${holds} RETURNING subject, number`,
      sql`UPDATE {}_event AS e SET open = 0, body = ''
        FROM ${formatRows(DONE_COLUMNS, done)} JOIN {}_subject s ON ${holds}
        WHERE e.account = given.account AND e.kind = given.kind AND e.id = given.id`,
    ].slice(0, done.length > 0 ? 3 : 2);
  }

  /**
   * Writes to the database. A process has at most two concurrent writes per account, besides
   * webhooks.
   */
  #write(parts: readonly SqlPart[]): ReturnType<RelayTables['batch']> {
    return this.#tables.batch(parts, { name: this.#account, width: 2 });
  }

  async #find(subject: string): Promise<SqlRow> {
    const [row] = await this.#tables.read(
      sql`SELECT number, turn FROM {}_subject
        WHERE account = ${this.#account} AND subject = ${subject}`,
    );
    return row ?? {};
  }

  /**
   * Locks a subject. If the lease is void, the whole transaction fails, because the number becomes
   * NULL, which the table rejects.
   */
  #hold(subject: string, number: number): SqlPart {
    const account = this.#account;
    return sql`INSERT INTO {}_subject (account, subject, number)
      SELECT CAST(${account} AS TEXT), CAST(${subject} AS TEXT), (SELECT number FROM {}_subject
        WHERE account = ${account} AND subject = ${subject} AND number = ${number}) WHERE 1 = 1
      ON CONFLICT (account, subject) DO UPDATE SET number =
        CASE WHEN {}_subject.number = excluded.number THEN excluded.number END`;
  }

  /**
   * Returns four statements, which make the subjects due, store the events, mark their invoices as
   * changed, and look up which events have these ids. No two of the given events may share a
   * subject or an id.
   */
  #keep(events: readonly ReceivedEvent[], condition: SqlPart = sql`1 = 1`): readonly SqlPart[] {
    const account = this.#account;
    const given = formatGiven(account, events);
    const event = sql`{}_event e WHERE e.account = given.account AND e.kind = given.kind
      AND e.id = given.id`;
    return [
      sql`INSERT INTO {}_subject (account, subject, fresh, added)
        SELECT given.account, given.subject, ${CLOCK}, 1 FROM ${given} WHERE ${condition}
          AND NOT EXISTS (SELECT 1 FROM ${event}) ORDER BY given.subject
        ON CONFLICT (account, subject) DO UPDATE SET added = {}_subject.added + 1,
          fresh = ${MIN}({}_subject.fresh, excluded.fresh)`,
      sql`INSERT INTO {}_event (account, kind, id, subject, body, created_at, received_at, place)
        SELECT s.account, given.kind, given.id, s.subject, given.body, given.created_at,
          given.received_at, s.added
          FROM ${given} JOIN {}_subject s ON s.account = given.account AND s.subject = given.subject
          WHERE ${condition}
        ON CONFLICT (account, kind, id) DO NOTHING RETURNING kind, id`,
      sql`UPDATE {}_follow SET announced = ${CLOCK} FROM ${given}
        WHERE {}_follow.account = given.account AND {}_follow.invoice_id = given.invoice_id
          AND EXISTS (SELECT 1 FROM ${event} AND e.open = 1)`,
      sql`SELECT e.kind, e.id, e.subject FROM ${given} JOIN {}_event e
        ON e.account = given.account AND e.kind = given.kind AND e.id = given.id`,
    ];
  }

  #keepCursor(cursor: unknown): SqlPart {
    return sql`INSERT INTO {}_account (account, cursor)
      VALUES (${this.#account}, ${JSON.stringify(cursor)})
      ON CONFLICT (account) DO UPDATE SET cursor = excluded.cursor`;
  }
}

interface LeaseCommit {
  readonly lease: Lease;
  readonly commit: Commit;
  /** Identifies this commit in the row after it was written. */
  readonly mark?: string | undefined;
}

const COMMIT_COLUMNS = {
  account: 'TEXT',
  name: 'TEXT',
  turn: 'INTEGER',
  content: 'TEXT',
  due_in: 'DOUBLE PRECISION',
  held_for: 'DOUBLE PRECISION',
  mark: 'TEXT',
} as const;
const DONE_COLUMNS = {
  account: 'TEXT',
  name: 'TEXT',
  turn: 'INTEGER',
  kind: 'TEXT',
  id: 'TEXT',
} as const;

/**
 * Returns a row with the columns of `COMMIT_COLUMNS`. Times are durations, because the database has
 * its own clock.
 */
function commitRow(account: string, now: number, { lease, commit, mark }: LeaseCommit) {
  const { state, due = Infinity, until = 0 } = commit;
  return {
    account,
    name: lease.subject,
    turn: lease.number,
    content: state === undefined ? null : JSON.stringify(state),
    due_in: due < Infinity ? Math.round(due - now) : null,
    held_for: until > now ? Math.round(until - now) : null,
    mark: mark ?? null,
  };
}

/** Replaces lone surrogates, because PostgreSQL rejects them. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');
const makeKey = ({ kind, id }: Pick<ReceivedEvent, 'kind' | 'id'> | SqlRow): string =>
  `${String(kind)} ${wellFormed(String(id))}`;

function formatGiven(account: string, events: readonly ReceivedEvent[]): SqlPart {
  const columns = {
    account: 'TEXT',
    kind: 'TEXT',
    id: 'TEXT',
    subject: 'TEXT',
    invoice_id: 'TEXT',
    body: 'TEXT',
    created_at: 'DOUBLE PRECISION',
    received_at: 'DOUBLE PRECISION',
  } as const;
  const rows = events.map(({ kind, id, subject, body, createdAt, receivedAt }) => {
    const [resource, ...rest] = subject.split(':');
    const invoiceId = resource === 'invoice' ? rest.join(':') : '';
    return {
      account,
      kind,
      id: wellFormed(id),
      subject: wellFormed(subject),
      invoice_id: wellFormed(invoiceId),
      body: wellFormed(body),
      created_at: createdAt,
      received_at: receivedAt,
    };
  });
  return formatRows(columns, rows);
}

/**
 * Groups the positions of events so that each group can be written with the same statements. No two
 * events in a group share a subject or an id, and events with the same subject stay in order.
 */
function splitRounds(events: readonly ReceivedEvent[]): readonly (readonly number[])[] {
  const rounds: number[][] = [];
  const next = new Map<string, number>();
  for (const [place, event] of events.entries()) {
    const names = [`subject ${event.subject}`, `event ${makeKey(event)}`];
    const round = Math.max(...names.map((name) => next.get(name) ?? 0));
    for (const name of names) next.set(name, round + 1);
    (rounds[round] ??= []).push(place);
  }
  return rounds;
}

/** Inserts a handler's statement unchanged. */
function foreign({ sql: text, values }: SqlStatement): SqlPart {
  return new SqlPart((rendering) => {
    rendering.values.push(...values);
    return text;
  });
}

function toLease({ subject, number, state }: SqlRow, events: readonly SqlRow[]): Lease {
  return {
    subject: subject as string,
    number: number as number,
    state: state === null ? undefined : (JSON.parse(state as string) as unknown),
    events: events.filter((event) => event['subject'] === subject).map(toEvent),
  };
}

function toEvent(row: SqlRow): ReceivedEvent {
  const { kind, id, subject, body, created_at: createdAt, received_at: receivedAt } = row;
  return { kind, id, subject, body, createdAt, receivedAt } as unknown as ReceivedEvent;
}
