import type { SqlDriver, SqlRow, SqlText } from 'paystate/stores';

/** A statement with `?` for each value, then the values. */
export type Statement = readonly [text: string, ...values: readonly SqlText[]];

/** Processes that start together would create a table twice, which PostgreSQL refuses. */
const ONE_AT_A_TIME = 'SELECT pg_advisory_xact_lock(80121)';

/**
 * Tables in a database of a Durable Object or of PostgreSQL, with the same statements. A decision
 * and its write must be one statement, because another process may write in between.
 */
export class Rows {
  readonly #driver: SqlDriver;
  readonly #probe: string;
  readonly #tables: readonly string[];
  #ready: Promise<unknown> | undefined;

  /**
   * @param probe reads from the table that is created last, and fails if it's missing
   * @param tables statements that create the missing tables
   */
  constructor(driver: SqlDriver, probe: string, tables: readonly string[]) {
    this.#driver = driver;
    this.#probe = probe;
    this.#tables = tables;
  }

  /** Runs the statements as one transaction. Resolves to the rows of each. */
  async run(...statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]> {
    await (this.#ready ??= this.#prepare());
    return this.#batch(statements);
  }

  async #prepare(): Promise<void> {
    const lock = this.#driver.dialect === 'postgresql' ? [ONE_AT_A_TIME] : [];
    const make = () => this.#batch([...lock, ...this.#tables].map((text) => [text]));
    try {
      await this.#batch([[this.#probe]]).catch(make);
    } catch (thrown) {
      this.#ready = undefined; // the next call tries again
      throw thrown;
    }
  }

  #batch(statements: readonly Statement[]): ReturnType<SqlDriver['batch']> {
    const isPostgresql = this.#driver.dialect === 'postgresql';
    return this.#driver.batch(
      statements.map(([text, ...values]) => {
        let count = 0;
        return { sql: isPostgresql ? text.replace(/\?/g, () => `$${++count}`) : text, values };
      }),
    );
  }
}
