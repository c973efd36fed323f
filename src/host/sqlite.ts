/** As much of a SQLite database as is used: `node:sqlite` (Node and Deno) and `bun:sqlite` fit. */
export interface SqliteDatabase {
  /** Prepares one statement; `all` runs it with a value for each `?` and returns its rows. */
  prepare(sql: string): { all(...values: never[]): unknown[] };
  /** Closes it. Without this member files of objects stay open. */
  close?(): void;
}

/** Runs one statement and returns its rows. */
export function rowsOf<Row>(
  database: SqliteDatabase,
  sql: string,
  ...values: readonly unknown[]
): Row[] {
  return database.prepare(sql).all(...(values as never[])) as Row[];
}
