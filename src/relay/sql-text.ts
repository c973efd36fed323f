import type { SqlDriver, SqlStatement, SqlText } from '../stores/index.ts';

type Dialect = SqlDriver['dialect'];

interface Rendering {
  readonly dialect: Dialect;
  readonly prefix: string;
  /** This process's time, because SQLite has no clock of its own here. */
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
 * Creates part of an SQL statement. `{}` becomes the prefix of the tables, values become
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

/** The current time for comparisons. The planner can use it to search an index. */
export const NOW: SqlPart = formatTime('statement_timestamp()');
/** The current time for storing. After waiting for a lock, it's still the time of the write. */
export const CLOCK: SqlPart = formatTime('clock_timestamp()');
/**
 * A time after all others. It's written out, because SQLite only uses a partial index if the
 * statement contains its condition without bound values.
 */
export const NEVER: SqlPart = new SqlPart(() => '9007199254740991');
/**
 * Marks a turn to create an order's invoice that was given back. The service may have that invoice
 * even if no response arrived. An order without a turn was never opened.
 */
export const OPENED = 1;
export const MAX: SqlPart = byDialect('greatest', 'max');
export const MIN: SqlPart = byDialect('least', 'min');
/** Skips rows locked by another transaction. */
export const SKIP_LOCKED: SqlPart = byDialect('FOR UPDATE SKIP LOCKED', '');

/** Locks the rows of the table called `s`, in the common order of subjects. */
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
 * Returns a table of these rows, called `given`. It's passed as a single value, because databases
 * limit their number.
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
