import type { SqlDriver, SqlStatement, SqlText } from '../stores/index.ts';

type Dialect = SqlDriver['dialect'];

/** The context in which a part of a statement is rendered. */
interface Rendering {
  readonly dialect: Dialect;
  readonly prefix: string;
  /** The time of SQLite, which has no clock of its own here: that of this process. */
  readonly now: number;
  readonly values: SqlText[];
}

/** A part of an SQL text with its values in it. */
export class SqlPart {
  readonly #render: (rendering: Rendering) => string;

  constructor(render: (rendering: Rendering) => string) {
    this.#render = render;
  }

  /** Writes its text, and puts its values behind those that are there. */
  render(rendering: Rendering): string {
    return this.#render(rendering);
  }

  /** The statement in a dialect, for tables with this prefix. */
  statement(dialect: Dialect, prefix: string, now: number): SqlStatement {
    const values: SqlText[] = [];
    const sql = this.#render({ dialect, prefix, now, values });
    return { sql, values };
  }
}

/**
 * A part of an SQL text: `{}` is the prefix of the tables, a value becomes a place, another part is
 * written where it is.
 */
export function sql(
  texts: TemplateStringsArray,
  ...given: readonly (SqlText | SqlPart)[]
): SqlPart {
  return new SqlPart((rendering) =>
    texts
      .map((text, at) => {
        const own = text.replaceAll('{}', rendering.prefix);
        return at < given.length ? own + placeOf(given[at]!, rendering) : own;
      })
      .join(''),
  );
}

function placeOf(given: SqlText | SqlPart, rendering: Rendering): string {
  if (given instanceof SqlPart) return given.render(rendering);
  rendering.values.push(given);
  return rendering.dialect === 'sqlite' ? '?' : `$${rendering.values.length}`;
}

function byDialect(postgresql: string, sqlite: string): SqlPart {
  return new SqlPart(({ dialect }) => (dialect === 'sqlite' ? sqlite : postgresql));
}

function timeOf(postgresql: string): SqlPart {
  const text = `CAST(floor(extract(epoch FROM ${postgresql}) * 1000) AS DOUBLE PRECISION)`;
  return new SqlPart((rendering) =>
    rendering.dialect === 'sqlite' ? placeOf(rendering.now, rendering) : text,
  );
}

/** Now, to compare with: the planner can use it in a search of an index. */
export const NOW: SqlPart = timeOf('statement_timestamp()');
/** Now, to write: also after a wait for a lock it is the time of the write. */
export const CLOCK: SqlPart = timeOf('clock_timestamp()');
/**
 * Later than every time. It is written out: SQLite takes a partial index only where its condition
 * is in the statement, and not where a value is bound.
 */
export const NEVER: SqlPart = new SqlPart(() => '9007199254740991');
/**
 * The end of a turn to make an order's invoice that was given back. An order without one was never
 * opened; of this one there may be an invoice, though no response said so.
 */
export const OPENED = 1;
/** The larger of its arguments. */
export const MAX: SqlPart = byDialect('greatest', 'max');
/** The smaller of its arguments. */
export const MIN: SqlPart = byDialect('least', 'min');
/** Rows that another transaction has locked are left to it. */
export const SKIP_LOCKED: SqlPart = byDialect('FOR UPDATE SKIP LOCKED', '');

/** The rows of the table that is called `s` are locked, in the order in which all lock subjects. */
export const LOCKED_IN_ORDER: SqlPart = byDialect('ORDER BY s.subject FOR UPDATE OF s', 'LIMIT 0');

/** The whole part of a number that is not below zero. */
export function whole(number: SqlPart): SqlPart {
  return new SqlPart((rendering) => {
    const text = number.render(rendering);
    const floor = rendering.dialect === 'sqlite' ? text : `floor(${text})`;
    return `CAST(${floor} AS BIGINT)`;
  });
}

type Column = 'TEXT' | 'DOUBLE PRECISION' | 'INTEGER';

/** A table called `given` of these rows: one value carries all, as databases bound their number. */
export function rowsOf(
  columns: Readonly<Record<string, Column>>,
  rows: readonly Readonly<Record<string, SqlText>>[],
): SqlPart {
  const names = Object.entries(columns);
  return new SqlPart((rendering) => {
    const place = placeOf(JSON.stringify(rows), rendering);
    if (rendering.dialect === 'postgresql')
      return (
        `json_to_recordset(CAST(${place} AS json)) AS ` +
        `given(${names.map((one) => one.join(' ')).join(', ')})`
      );
    const parts = names.map(([name]) => `json_extract(value, '$.${name}') AS ${name}`);
    return `(SELECT ${parts.join(', ')} FROM json_each(${place})) AS given`;
  });
}
