import { rowsOf, type SqliteDatabase } from './sqlite.ts';

/** Databases in files that are open at most: each takes up to three of the process's files. */
const MOST = 100;

/**
 * The databases of all objects of this process. Those in files are opened when they are used, and
 * beyond `MOST` the one that was used longest ago is closed. One in memory ends with its closing,
 * so it stays.
 */
export class OpenFiles {
  readonly #open: (name: string) => SqliteDatabase;
  /** By names of objects, the one that was used longest ago first. */
  readonly #files = new Map<string, SqliteDatabase>();
  readonly #inMemory = new Map<string, SqliteDatabase>();

  constructor(open: (name: string) => SqliteDatabase) {
    this.#open = open;
  }

  /** The database of an object. To be asked for at each use: it may have been closed since. */
  of(name: string): SqliteDatabase {
    const kept = this.#inMemory.get(name);
    if (kept) return kept;
    const database = this.#files.get(name) ?? this.#open(name);
    if (!this.#files.delete(name) && !isClosable(database)) {
      this.#inMemory.set(name, database);
      return database;
    }
    this.#files.set(name, database);
    if (this.#files.size > MOST) this.#closeOldest();
    return database;
  }

  #closeOldest(): void {
    const [oldest] = this.#files;
    const [name, database] = oldest!;
    this.#files.delete(name);
    database.close!();
  }
}

/** It is in a file, and its driver can close it. */
function isClosable(database: SqliteDatabase): boolean {
  if (!database.close) return false;
  const files = rowsOf<{ file: string | null }>(database, 'PRAGMA database_list');
  return files.every(({ file }) => file);
}
