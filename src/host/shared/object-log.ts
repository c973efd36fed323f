import { badInput } from '../../core/errors/index.ts';
import { sql } from '../../stores/sql-store.ts';
import type { SqlStatement, SqlText } from '../../stores/index.ts';
import { rowsOf, type SqliteDatabase } from '../sqlite.ts';
import { dumpOf, type LoggedStatement } from './dump.ts';
import type { Claim, SharedTables } from './tables.ts';

/** The log is written anew as one dump after so many entries at least, in rows of so many. */
const LONGEST_LOG = 500;
const ROW = 1_000;

/** What is not in PostgreSQL yet; how much of it there was, for taking a part of it back. */
interface Mark {
  readonly entries: number;
  readonly others: number;
}

interface ObjectLogParts {
  readonly tables: SharedTables;
  readonly claim: Claim;
  readonly database: SqliteDatabase;
  /** Whether this process still has it. */
  readonly isOwn: () => boolean;
  /** It has another owner, or it is not known whether it was written: the object must end. */
  readonly onLost: () => void;
}

/**
 * Carries what an object writes into PostgreSQL: the object works on a SQLite database in memory,
 * and each statement that changes it is appended to the object's log, as long as this process has
 * the object. The next owner runs the log again.
 */
export class ObjectLog {
  readonly #parts: ObjectLogParts;
  #entries: LoggedStatement[] = [];
  #others: SqlStatement[] = [];
  #alarm: number | null = null;
  #isAlarmNew: boolean = false;
  #isWiped: boolean = false;
  #place: number = 0;
  /** Entries since the last dump, and in it. */
  #length: number = 0;
  #dumped: number = 0;
  #isScheduled: boolean = false;
  #isOver: boolean = false;
  /** The writing of all that was noted so far. */
  #written: Promise<void> = Promise.resolve();

  constructor(parts: ObjectLogParts) {
    this.#parts = parts;
  }

  /** Makes the database what it was when its last owner wrote. */
  async replay(): Promise<void> {
    const { tables, claim, database } = this.#parts;
    const { alarm, log } = await tables.load(claim);
    this.#alarm = alarm;
    for (const row of log) {
      const entries = JSON.parse(row['entries'] as string) as LoggedStatement[];
      for (const [text, ...values] of entries) rowsOf(database, text, ...values);
      this.#place = (row['place'] as number) + 1;
      this.#length += entries.length;
    }
  }

  get alarm(): number | null {
    return this.#alarm;
  }

  set alarm(at: number | null) {
    this.check();
    if (at === this.#alarm) return;
    this.#alarm = at;
    this.#isAlarmNew = true;
    this.#schedule();
  }

  /** Throws where the object lives elsewhere by now. */
  check(): void {
    if (this.#isOver || !this.#parts.isOwn())
      throw new Error('this object lives in another process by now');
  }

  /** A statement has been run here. */
  note(text: string, values: readonly unknown[]): void {
    if (/^\s*(select|pragma|explain)\b/i.test(text)) return;
    checkValues(values);
    this.#entries.push([text, ...values]);
    this.#schedule();
  }

  /** A statement of the shop's own, for PostgreSQL, in the same transaction as the rest. */
  noteOther(text: string, values: readonly SqlText[]): void {
    this.check();
    this.#others.push({ sql: text, values });
    this.#schedule();
  }

  mark(): Mark {
    return { entries: this.#entries.length, others: this.#others.length };
  }

  /** What was noted since then was taken back. */
  backTo({ entries, others }: Mark): void {
    this.#entries.length = entries;
    this.#others.length = others;
  }

  /** All was forgotten. */
  wipe(): void {
    this.#isWiped = true;
    this.#schedule();
  }

  /** There is nothing of it that the next owner would need. */
  get isEmpty(): boolean {
    return this.#place === 0 && this.#alarm === null && !this.#isScheduled;
  }

  /** Resolves when all that was noted is in PostgreSQL. */
  async flush(): Promise<void> {
    await this.#written;
    this.check();
  }

  /** Nothing is written any more. */
  end(): void {
    this.#isOver = true;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#written = this.#written.then(() => this.#write());
    this.#written.catch(() => {}); // who waits is told
  }

  async #write(): Promise<void> {
    this.check();
    this.#isScheduled = false;
    const others = this.#others.splice(0);
    const statements = [...this.#takeEntries(), ...this.#takeAlarm()];
    const { tables, claim, onLost } = this.#parts;
    if (statements.length + others.length === 0) return;
    try {
      await tables.write(claim, statements, others);
    } catch (thrown) {
      onLost();
      throw thrown;
    }
  }

  #takeEntries(): SqlStatement[] {
    const entries = this.#entries.splice(0);
    this.#length += entries.length;
    const isLong = this.#length > Math.max(LONGEST_LOG, 2 * this.#dumped);
    if (!isLong && !this.#isWiped) return entries.length > 0 ? [this.#append(entries)] : [];
    const all = dumpOf(this.#parts.database);
    this.#isWiped = false;
    this.#place = 0;
    this.#length = this.#dumped = all.length;
    const rows = Array.from({ length: Math.ceil(all.length / ROW) }, (_, n) =>
      this.#append(all.slice(n * ROW, (n + 1) * ROW)),
    );
    return [sql('DELETE FROM {}_object_log WHERE object = ?', this.#parts.claim.name), ...rows];
  }

  #append(entries: readonly LoggedStatement[]): SqlStatement {
    return sql(
      'INSERT INTO {}_object_log (object, place, entries) VALUES (?, ?, ?)',
      ...[this.#parts.claim.name, this.#place++, JSON.stringify(entries)],
    );
  }

  #takeAlarm(): SqlStatement[] {
    if (!this.#isAlarmNew) return [];
    this.#isAlarmNew = false;
    return [
      sql('UPDATE {}_objects SET alarm = ? WHERE name = ?', this.#alarm, this.#parts.claim.name),
    ];
  }
}

/** What JSON would change would be another value for the next owner. */
function checkValues(values: readonly unknown[]): void {
  for (const value of values)
    if (value !== null && typeof value !== 'string' && !Number.isFinite(value))
      throw badInput('bindings', 'must be texts, finite numbers or null where processes share it');
}
