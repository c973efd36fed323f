/** Keys of one query. */
const TOGETHER = 500;

/** One who waits for a row. */
interface Waiting<Row> {
  readonly key: string;
  readonly resolve: (row: Row | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Finds single rows for many callers with few queries: what is asked for while a query is under way
 * is found by the next one. So thousands of pages at once take one connection, and each is given a
 * row that was read after it asked.
 */
export class GatheredRows<Row> {
  readonly #find: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>;
  #waiting: Waiting<Row>[] = [];
  #isRunning: boolean = false;

  constructor(find: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>) {
    this.#find = find;
  }

  get(key: string): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ key, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, TOGETHER);
      try {
        const rows = await this.#find([...new Set(some.map(({ key }) => key))]);
        for (const { key, resolve } of some) resolve(rows.get(key));
      } catch (thrown) {
        for (const { reject } of some) reject(thrown);
      }
    }
    this.#isRunning = false;
  }
}
