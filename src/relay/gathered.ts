/** A caller that waits for a result. */
interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The rules by which groups are made. */
interface Gathering<Item, Result> {
  /** Items of one group at most. */
  readonly most: number;
  /** Does the work of a group; resolves to the result of each item, in their order. */
  readonly work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /**
   * Lets others come in before a group is closed; it is repeated as long as some do. A database
   * that does its work before it returns needs it: nothing comes in while it works.
   */
  readonly pause?: (() => Promise<void>) | undefined;
}

/**
 * Does the work of many callers in few groups: what comes in while a group is under way is in the
 * next one. So thousands at once take one connection, and whoever comes after another group has
 * begun is not served by it.
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

/** Keys of one query. */
const TOGETHER = 500;

/**
 * Finds single rows for many callers with few queries. Each is given a row as of after its call.
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

/** Does a work once for all who ask for the same while it is under way. */
export class Shared<Result> {
  readonly #underWay: Map<string, Promise<Result>> = new Map();

  /** The work of this name that is under way, if it is. */
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
