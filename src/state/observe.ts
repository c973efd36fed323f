import { onAbort } from '../core/time.ts';
import { minus, type Observer, plus, type Work } from '../core/watch.ts';
import { type Entry, isSettled } from './entries/entry.ts';
import type { Snapshot } from './entries/snapshot.ts';
import type { WatchOptions } from './watch-options.ts';

/** Who hears that one observer less is there, or that one asks for a read. */
interface Owner {
  left(entry: Entry<unknown>): void;
  retry(entry: Entry<unknown>): void;
}

/** An observer of an entry, until it is stopped. */
export class Observation<T> implements Observer<Snapshot<T>>, Work {
  readonly #entry: Entry<T>;
  readonly #to: Observer<Snapshot<T>>;
  readonly #owner: Owner;
  readonly #isEndless: boolean;
  readonly #unlisten: (() => void) | undefined;

  /** Gives it what is known. */
  constructor(
    entry: Entry<T>,
    to: Observer<Snapshot<T>>,
    { signal, until }: WatchOptions,
    owner: Owner,
  ) {
    this.#entry = entry;
    this.#to = to;
    this.#owner = owner;
    this.#isEndless = until === 'never';
    entry.observers = plus(entry.observers, this as Observer<Snapshot<T>>);
    this.#unlisten = signal && onAbort(signal, () => to.complete());
    if (signal?.aborted) to.complete();
    else this.next(entry.snapshot);
  }

  next(snapshot: Snapshot<T>): void {
    this.#to.next(snapshot);
    if (!this.#isEndless && isSettled(this.#entry)) this.#to.complete();
  }

  error(reason: unknown): void {
    this.#to.error(reason);
  }

  complete(): void {
    this.#to.complete();
  }

  retry(): void {
    this.#owner.retry(this.#entry as Entry<unknown>);
  }

  stop(): void {
    const entry = this.#entry;
    this.#unlisten?.();
    entry.observers = minus(entry.observers, this as Observer<Snapshot<T>>);
    this.#owner.left(entry as Entry<unknown>);
  }
}
