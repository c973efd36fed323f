import type { SqlDriver } from '../stores/index.ts';

const READS = /^\s*(SELECT|PRAGMA)\b/i;

/**
 * Tracks whether the database accepts writes. With a full disk or a read-only database it still
 * responds to reads. A single failed write can have its own reason, so another one is tried before
 * it counts.
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

  /** Records the results of all writes. */
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

  /** Tries a write after a failed one. Call it while the database responds. */
  async check(write: () => Promise<void>): Promise<void> {
    if (!this.#isDoubtful) return;
    await write().catch(() => this.#note(false));
  }

  #note(isTaken: boolean): void {
    this.#isDoubtful = !isTaken;
    this.#areRefused = !isTaken;
  }
}
