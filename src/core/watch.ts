/** Ends a subscription. Calling it twice does no harm. */
export type Stop = () => void;

export interface Observer<T> {
  next(value: T): void;
  error(reason: unknown): void;
  complete(): void;
}

/** How a watch is doing; times in milliseconds since 1970. */
export interface WatchStatus {
  readonly lookedAt?: number | undefined;
  readonly nextLookAt?: number | undefined;
  /** What caused the latest look. */
  readonly wokenBy?: string | undefined;
  /** No change since this time can have gone unseen. */
  readonly noGapSince?: number | undefined;
  /** Somebody said "look" while looking was not possible. */
  readonly hintedAt?: number | undefined;
  readonly blockedUntil?: number | undefined;
  /** In words, why it looks the way it does. */
  readonly why: string;
}

/** What is true now, for as long as anybody listens. Nothing starts before `subscribe`. */
export interface Watch<T> extends AsyncIterable<T> {
  /** The last value that was emitted. */
  current(): T | undefined;
  /** Calls at once when something is known, then at each change. The first listener starts the work, the last one ends it. */
  subscribe(to: ((value: T) => void) | Partial<Observer<T>>): Stop;
  status(): WatchStatus;
  /** Lets RxJS `from(watch)` and other libraries subscribe. */
  '@@observable'(): this;
}

export interface WatchSource<T> {
  /** Begins the work; what it returns ends it. */
  start(to: Observer<T>): Stop;
  status(): WatchStatus;
}

type Listener<T> = Partial<Observer<T>>;

/** Makes a `Watch` of a source: shared by its listeners, last value replayed, ended work stays ended. */
export function watchOf<T>(source: WatchSource<T>): Watch<T> {
  const work = new Work(source);
  const watch: Watch<T> = {
    current: () => work.latest?.value,
    status: () => source.status(),
    '@@observable': () => watch,
    subscribe: (to) => work.subscribe(typeof to === 'function' ? { next: to } : to),
    [Symbol.asyncIterator]: () => iterate(watch),
  };
  return watch;
}

class Work<T> {
  latest: { readonly value: T } | undefined;
  readonly #source: WatchSource<T>;
  readonly #listeners: Set<{ readonly to: Listener<T> }> = new Set();
  /** Tells a listener how it ended. */
  #end: ((to: Listener<T>) => void) | undefined;
  #stop: Stop | undefined;

  constructor(source: WatchSource<T>) {
    this.#source = source;
  }

  subscribe(to: Listener<T>): Stop {
    const listener = { to };
    if (this.latest) to.next?.(this.latest.value);
    if (this.#end) this.#end(to);
    else {
      this.#listeners.add(listener);
      if (!this.#stop) this.#begin();
    }
    return () => {
      this.#listeners.delete(listener);
      queueMicrotask(() => void (this.#listeners.size === 0 && this.#halt())); // a quick return finds the work still running
    };
  }

  #begin(): void {
    let isRunning = true;
    this.#stop = () => void (isRunning = false);
    const stop = this.#source.start({
      next: (value) => {
        if (!isRunning) return;
        this.latest = { value };
        for (const { to } of [...this.#listeners]) to.next?.(value);
      },
      error: (reason) => void (isRunning && this.#finish((to) => to.error?.(reason))),
      complete: () => void (isRunning && this.#finish((to) => to.complete?.())),
    });
    if (!isRunning) return stop();
    this.#stop = () => {
      isRunning = false;
      stop();
    };
  }

  #halt(): void {
    const stop = this.#stop;
    this.#stop = undefined;
    stop?.();
  }

  #finish(end: (to: Listener<T>) => void): void {
    const last = [...this.#listeners];
    this.#end = end;
    this.#listeners.clear();
    this.#halt();
    for (const { to } of last) end(to);
  }
}

/** Iterates over what is true now: a slow reader gets the latest value, not a backlog. */
function iterate<T>(watch: Watch<T>): AsyncIterableIterator<T, undefined> {
  let pending: { readonly value: T } | undefined;
  let end: (() => void) | undefined;
  let wake: (() => void) | undefined;
  let stop: Stop | undefined;

  function finish(how: () => void): void {
    end = how;
    wake?.();
  }

  return {
    async next() {
      stop ??= watch.subscribe({
        next(value) {
          pending = { value };
          wake?.();
        },
        error: (reason) => finish(() => { throw reason; }),
        complete: () => finish(() => {}),
      });
      while (!pending && !end) await new Promise<void>((resolve) => void (wake = resolve));
      const latest = pending;
      pending = undefined;
      if (latest) return { done: false, value: latest.value };
      end?.();
      return { done: true, value: undefined };
    },
    async return() {
      finish(() => {});
      stop?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
