/** Work in slots that are refilled one by one; what is slow leaves its slot and goes on. */
export class Slots {
  readonly #taken: Set<Promise<void>> = new Set();
  #stuck: number = 0;

  get taken(): number {
    return this.#taken.size;
  }

  /** Works that have left their slots and have not ended. */
  get stuck(): number {
    return this.#stuck;
  }

  /**
   * Begins a work; resolves when its slot is free.
   *
   * @param work is given what makes it leave its slot
   * @param failed is called where it fails after it has left
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

  /** Resolves when a slot has become free; rejects where its work has failed. */
  async waitForSlot(): Promise<void> {
    if (this.taken > 0) await Promise.race(this.#taken);
  }
}

/** Makes a function that shares runs of `work`: whoever asks during one is given the next. */
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
