/**
 * Runs tasks in a limited number of slots. Each slot is reused as soon as it's free. A slow task
 * can free its slot and continue.
 */
export class Slots {
  readonly #taken: Set<Promise<void>> = new Set();
  #stuck: number = 0;

  get taken(): number {
    return this.#taken.size;
  }

  /** The number of tasks that have freed their slot and are still running. */
  get stuck(): number {
    return this.#stuck;
  }

  /**
   * Starts a task in a slot. Resolves when the slot is free again.
   *
   * @param work receives a function that frees the slot
   * @param failed called if the work fails after it has freed its slot
   */
  run(work: (leave: () => void) => Promise<void>, failed: (error: unknown) => void): Promise<void> {
    const slot = new Promise<void>((resolve, reject) => {
      let hasLeft = false;
      const leave = (): void => {
        if (!hasLeft) this.#stuck += 1;
        hasLeft = true;
        resolve();
      };
      const end = (): void => void (hasLeft && (this.#stuck -= 1));
      work(leave)
        .then(resolve, (error: unknown) => (hasLeft ? failed(error) : reject(error)))
        .finally(end);
    });
    this.#taken.add(slot);
    const free = (): void => void this.#taken.delete(slot);
    slot.then(free, free);
    return slot;
  }

  /** Waits until a slot is free. Rejects if the work in that slot has failed. */
  async waitForSlot(): Promise<void> {
    if (this.taken > 0) await Promise.race(this.#taken);
  }
}

/**
 * Returns a function that runs `work` at most once at a time. All calls during a run share the next
 * run.
 */
export function shareNext<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const run = (): Promise<T> => (current ??= work().finally(() => (current = undefined)));
  return () => {
    if (!current) return run();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
}
