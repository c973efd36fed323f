/** A value that every SQL database keeps. */
export type SqlText = string | number | null;

/** One statement, with a value for each `?` of SQLite, or for `$1`, `$2` … of PostgreSQL. */
export interface SqlStatement {
  /** The text of one statement. */
  readonly sql: string;
  /** The values, in the order of the places in the text. */
  readonly values: readonly SqlText[];
}

/** A row: values by the names of their columns, in small letters. */
export type SqlRow = Readonly<Record<string, unknown>>;

/**
 * How an SQL database is reached: the few lines that you write. The chapter shows them for
 * `node:sqlite`, Bun, Cloudflare D1 and PostgreSQL.
 */
export interface SqlDriver {
  /** Whose SQL it speaks. */
  readonly dialect: 'sqlite' | 'postgresql';
  /**
   * Runs the statements one after the other, as one transaction that is on disk when it resolves:
   * all of them, or none where it rejects. Resolves to the rows that each has returned.
   */
  batch(statements: readonly SqlStatement[]): Promise<readonly (readonly SqlRow[])[]>;
}
