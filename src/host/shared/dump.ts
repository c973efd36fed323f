import { rowsOf, type SqliteDatabase } from '../sqlite.ts';

/** One statement that was run, and its values. */
export type LoggedStatement = readonly [sql: string, ...values: readonly unknown[]];

/** The statements that make a database as it is now, rows in their order. */
export function dumpOf(database: SqliteDatabase): readonly LoggedStatement[] {
  const made = (isTable: boolean) =>
    rowsOf<{ name: string; sql: string }>(
      database,
      `SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
        AND (type = 'table') = ? ORDER BY rowid`,
      isTable ? 1 : 0,
    );
  const tables = made(true).flatMap(({ name, sql }): LoggedStatement[] => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    const rows = rowsOf<object>(database, `SELECT * FROM ${quoted} ORDER BY rowid`);
    return [[sql], ...rows.map((row) => insertInto(quoted, Object.values(row)))];
  });
  return [...tables, ...made(false).map(({ sql }): LoggedStatement => [sql])];
}

function insertInto(table: string, values: readonly unknown[]): LoggedStatement {
  return [`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`, ...values];
}
