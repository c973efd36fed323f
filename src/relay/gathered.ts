interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

interface Gathering<Item, Result> {
  readonly most: number;
  /**
   * Does the work for a group of items. Resolves to the results, in the same order as the items.
   */
  readonly work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /**
   * Waits for more items to join a group. It's called repeatedly while new items keep arriving. A
   * synchronous database needs this, because no item can be added while it works.
   */
  readonly pause?: (() => Promise<void>) | undefined;
}

/**
 * Combines the work of many callers into a few groups. Items that arrive while a group is running
 * join the next group. Thousands of callers therefore need only one connection, and no caller gets
 * the result of work that started before its call.
 */
export class Gathered<Item, Result> {
  readonly #gathering: Gathering<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning: boolean = false;

  constructor(gathering: Gathering<Item, Result>) {
    this.#gathering = gathering;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      await this.#pause();
      await this.#do(this.#waiting.splice(0, this.#gathering.most));
    }
    this.#isRunning = false;
  }

  async #pause(): Promise<void> {
    const { pause, most } = this.#gathering;
    if (!pause) return;
    for (let before = 0; before < this.#waiting.length && before < most; ) {
      before = this.#waiting.length;
      await pause();
    }
  }

  async #do(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#gathering.work(group.map(({ item }) => item));
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
  }
}

const TOGETHER = 500;

/**
 * Batches the lookups of many callers, each for a single database row, into a few queries. Callers
 * get rows that were read after their call.
 */
export class GatheredRows<Row> {
  readonly #rows: Gathered<string, Row | undefined>;

  constructor(find: (keys: readonly string[]) => Promise<ReadonlyMap<string, Row>>) {
    this.#rows = new Gathered({
      most: TOGETHER,
      async work(keys) {
        const rows = await find([...new Set(keys)]);
        return keys.map((key) => rows.get(key));
      },
    });
  }

  get(key: string): Promise<Row | undefined> {
    return this.#rows.add(key);
  }
}

/** Lets callers that pass the same name share work that is already running. */
export class Shared<Result> {
  readonly #underWay: Map<string, Promise<Result>> = new Map();

  get(name: string): Promise<Result> | undefined {
    return this.#underWay.get(name);
  }

  run(name: string, work: () => Promise<Result>): Promise<Result> {
    const underWay = this.#underWay.get(name) ?? work().finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, underWay);
    return underWay;
  }

  get all(): readonly Promise<Result>[] {
    return [...this.#underWay.values()];
  }
}
