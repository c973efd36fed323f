import type { SqlDriver } from '../stores/index.ts';

const READS = /^\s*(SELECT|PRAGMA)\b/i;

/**
 * Tracks whether the database accepts writes. A database with a full disk or in read-only mode
 * still responds to reads. A single write may fail for other reasons, so a test write is made
 * before concluding that the database refuses writes.
 */
export class Writes {
  readonly #driver: SqlDriver;
  #isDoubtful: boolean = false;
  #areRefused: boolean = false;

  constructor(driver: SqlDriver) {
    this.#driver = driver;
  }

  get areRefused(): boolean {
    return this.#areRefused;
  }

  /** Returns a driver that records the result of every write. */
  driver(): SqlDriver {
    const driver = this.#driver;
    return {
      ...driver,
      batch: async (statements, options) => {
        const isWrite = statements.some(({ sql }) => !READS.test(sql));
        try {
          const rows = await driver.batch(statements, options);
          if (isWrite) this.#note(true);
          return rows;
        } catch (thrown) {
          this.#isDoubtful ||= isWrite;
          throw thrown;
        }
      },
    };
  }

  /** Makes a test write if a write has failed. Call it while the database is responding. */
  async check(write: () => Promise<void>): Promise<void> {
    if (!this.#isDoubtful) return;
    await write().catch(() => this.#note(false));
  }

  #note(isTaken: boolean): void {
    this.#isDoubtful = !isTaken;
    this.#areRefused = !isTaken;
  }
}
