import type { SqlDriver, SqlStatement, SqlText } from '../stores/index.ts';

type Dialect = SqlDriver['dialect'];

interface Rendering {
  readonly dialect: Dialect;
  readonly prefix: string;
  /** This process's time. It's used for SQLite, which has no suitable clock. */
  readonly now: number;
  readonly values: SqlText[];
}

export class SqlPart {
  readonly #render: (rendering: Rendering) => string;

  constructor(render: (rendering: Rendering) => string) {
    this.#render = render;
  }

  render(rendering: Rendering): string {
    return this.#render(rendering);
  }

  statement(dialect: Dialect, prefix: string, now: number): SqlStatement {
    const values: SqlText[] = [];
    const sql = this.#render({ dialect, prefix, now, values });
    return { sql, values };
  }
}

/**
 * Creates part of an SQL statement. `{}` is replaced by the table prefix, values become
 * placeholders, and other parts are inserted.
 */
export function sql(
  texts: TemplateStringsArray,
  ...given: readonly (SqlText | SqlPart)[]
): SqlPart {
  return new SqlPart((rendering) =>
    texts
      .map((text, at) => {
        const own = text.replaceAll('{}', rendering.prefix);
        return at < given.length ? own + addPlace(given[at]!, rendering) : own;
      })
      .join(''),
  );
}

function addPlace(given: SqlText | SqlPart, rendering: Rendering): string {
  if (given instanceof SqlPart) return given.render(rendering);
  rendering.values.push(given);
  return rendering.dialect === 'sqlite' ? '?' : `$${rendering.values.length}`;
}

function byDialect(postgresql: string, sqlite: string): SqlPart {
  return new SqlPart(({ dialect }) => (dialect === 'sqlite' ? sqlite : postgresql));
}

function formatTime(postgresql: string): SqlPart {
  const text = `CAST(floor(extract(epoch FROM ${postgresql}) * 1000) AS DOUBLE PRECISION)`;
  return new SqlPart((rendering) =>
    rendering.dialect === 'sqlite' ? addPlace(rendering.now, rendering) : text,
  );
}

/** The current time for comparisons. Query planners can use it to search an index. */
export const NOW: SqlPart = formatTime('statement_timestamp()');
/** The current time for writes. If a write waits for a lock, this is the time after the wait. */
export const CLOCK: SqlPart = formatTime('clock_timestamp()');
/**
 * A time later than all others. It's a literal, because SQLite only uses a partial index if the
 * statement contains the index's condition without bound values.
 */
export const NEVER: SqlPart = new SqlPart(() => '9007199254740991');
/**
 * Marks an order whose invoice was being created when the process was interrupted. The service may
 * have created the invoice even if there was no response. An order that was never opened has 0
 * instead.
 */
export const OPENED = 1;
export const MAX: SqlPart = byDialect('greatest', 'max');
export const MIN: SqlPart = byDialect('least', 'min');
/** Skips rows that another transaction has locked. */
export const SKIP_LOCKED: SqlPart = byDialect('FOR UPDATE SKIP LOCKED', '');

/** Locks the rows of the table with the alias `s`, in a fixed order. */
export const LOCKED_IN_ORDER: SqlPart = byDialect('ORDER BY s.subject FOR UPDATE OF s', 'LIMIT 0');

/** Returns the integer part of a non-negative number. */
export function whole(number: SqlPart): SqlPart {
  return new SqlPart((rendering) => {
    const text = number.render(rendering);
    const floor = rendering.dialect === 'sqlite' ? text : `floor(${text})`;
    return `CAST(${floor} AS BIGINT)`;
  });
}

type Column = 'TEXT' | 'DOUBLE PRECISION' | 'INTEGER';

/**
 * Returns a table of these rows with the alias `given`. The rows are passed as a single value,
 * because databases limit the number of values.
 */
export function formatRows(
  columns: Readonly<Record<string, Column>>,
  rows: readonly Readonly<Record<string, SqlText>>[],
): SqlPart {
  const names = Object.entries(columns);
  return new SqlPart((rendering) => {
    const place = addPlace(JSON.stringify(rows), rendering);
    if (rendering.dialect === 'postgresql')
      return (
        `json_to_recordset(CAST(${place} AS json)) AS ` +
        `given(${names.map((one) => one.join(' ')).join(', ')})`
      );
    const parts = names.map(([name]) => `json_extract(value, '$.${name}') AS ${name}`);
    return `(SELECT ${parts.join(', ')} FROM json_each(${place})) AS given`;
  });
}
