import type { SqlDriver } from '../../stores/index.ts';

/**
 * How a PostgreSQL database is reached that several processes share: the `SqlDriver` of the stores,
 * and a way to listen. The chapter shows it for the package `pg`.
 */
export interface PostgresqlDriver extends SqlDriver {
  /** Whose SQL it speaks. */
  readonly dialect: 'postgresql';
  /**
   * Listens on a connection of its own (`LISTEN`). Resolves when it listens, to what ends that.
   *
   * @param channel a name in small letters, digits and `_`
   * @param heard is called for each notification
   * @param lost is called when the connection is lost; it is listened anew then
   */
  listen(channel: string, heard: () => void, lost: () => void): Promise<() => void>;
}
