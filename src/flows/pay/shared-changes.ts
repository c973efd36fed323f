/** One change of a value: what it becomes, or `undefined` where it stays. May be called again. */
export type Change<T> = (value: T | undefined) => Promise<T | undefined>;

/** A change that waits for its turn. */
export interface WaitingChange {
  readonly next: Change<unknown>;
  resolve(isChanged: boolean): void;
  reject(reason: unknown): void;
}

/**
 * Changes of one stored value by one client: while a write is under way the others gather, and the
 * next write makes all of them. However many payments run at once, a client writes the value once at
 * a time and competes only with other processes.
 */
export class SharedChanges {
  readonly #write: (changes: readonly WaitingChange[]) => Promise<void>;
  readonly #onIdle: () => void;
  #waiting: WaitingChange[] = [];
  #isBusy = false;

  /** `write` makes the changes in one write and settles each; it never rejects. */
  constructor(write: (changes: readonly WaitingChange[]) => Promise<void>, onIdle: () => void) {
    this.#write = write;
    this.#onIdle = onIdle;
  }

  /** Resolves to whether the value was changed by it. */
  add(next: Change<unknown>): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ next, resolve, reject });
      if (!this.#isBusy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const changes = this.#waiting;
      this.#waiting = [];
      await this.#write(changes);
    }
    this.#isBusy = false;
    this.#onIdle();
  }
}

/** What a value becomes by several changes. */
interface Applied {
  readonly value: unknown;
  readonly changed: ReadonlySet<WaitingChange>;
  /** Those that did not throw; the others are rejected. */
  readonly left: readonly WaitingChange[];
}

/** Makes several changes of one value, one after the other. */
export async function applyChanges(
  value: unknown,
  changes: readonly WaitingChange[],
): Promise<Applied> {
  const changed = new Set<WaitingChange>();
  const left: WaitingChange[] = [];
  let current = value;
  for (const change of changes)
    try {
      const next = await change.next(current);
      left.push(change);
      if (next === undefined) continue;
      current = next;
      changed.add(change);
    } catch (thrown) {
      change.reject(thrown);
    }
  return { value: current, changed, left };
}
