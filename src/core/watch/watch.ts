import { isolated } from './isolated.ts';

/**
 * Ends a subscription. Calling it twice does no harm. It has `[Symbol.dispose]` too, for `using`,
 * where the platform has that symbol.
 */
export interface Unsubscribe {
  (): void;
  /** The same as the call. */
  unsubscribe(): void;
}

/** Hears of a watch. */
export interface Observer<T> {
  /** Called with each value. */
  next(value: T): void;
  /** Called once when the watch ends with an error. */
  error(reason: unknown): void;
  /** Called once when the watch ends. */
  complete(): void;
}

/** How a watch is doing; times in milliseconds since 1970. */
export interface WatchStatus {
  /** When the value was read. */
  readonly readAt?: number | undefined;
  /** When it is going to be read next. */
  readonly nextReadAt?: number | undefined;
  /** What caused the latest read. */
  readonly trigger?: string | undefined;
  /** No change since this time can have gone unseen. */
  readonly noGapSince?: number | undefined;
  /** `invalidate` was called while reading was not possible. */
  readonly invalidatedAt?: number | undefined;
  /** Until when the service refuses requests. */
  readonly blockedUntil?: number | undefined;
  /** The reason for this status, in words. */
  readonly reason: string;
}

/** What is true now, while there are listeners. Nothing starts before `subscribe`. */
export interface Watch<T> extends AsyncIterable<T> {
  /**
   * The last value that was emitted; without listeners what `rest` leaves of it: nothing is live
   * then.
   */
  current(): T | undefined;
  /**
   * Calls at once when something is known, then at each change. The first listener starts the work,
   * the last one ends it; after an error the next one starts it anew. What a listener throws is
   * reported as uncaught and stops no other.
   */
  subscribe(to: ((value: T) => void) | Partial<Observer<T>>): Unsubscribe;
  /** What the watch is doing, for diagnosis. */
  status(): WatchStatus;
  /** Lets RxJS `from(watch)` and other libraries subscribe. */
  '@@observable'(): this;
}

interface WatchSource<T> {
  /**
   * Begins the work; what it returns ends it. `kept`: what is left of the last value of an earlier
   * run.
   */
  start(to: Observer<T>, kept: T | undefined): () => void;
  status(): WatchStatus;
  /**
   * What is left of a value without listeners: nothing, where this is not given. The very same
   * value says that it stays true: a later subscriber gets it, and the end.
   */
  rest?(value: T): T | undefined;
}

interface Listener<T> {
  /** Empty after it has unsubscribed. */
  to: Partial<Observer<T>>;
}

/** Makes a `Watch` of a source: shared by its listeners, last value replayed. */
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
  readonly #listeners: Set<Listener<T>> = new Set();
  /** It is complete, and the last value stays true. */
  #isOver: boolean = false;
  #stop: (() => void) | undefined;

  constructor(source: WatchSource<T>) {
    this.#source = source;
  }

  subscribe(to: Partial<Observer<T>>): Unsubscribe {
    const listener: Listener<T> = { to };
    const { latest } = this;
    if (this.#isOver) {
      isolated(() => to.next?.(latest!.value));
      isolated(() => to.complete?.());
      return unsubscribeBy(() => {});
    }
    this.#listeners.add(listener);
    if (!this.#stop) this.#begin();
    else if (latest) isolated(() => to.next?.(latest.value));
    return unsubscribeBy(() => {
      listener.to = {};
      this.#listeners.delete(listener);
      queueMicrotask(() => void (this.#listeners.size === 0 && this.#halt())); // a quick return finds the work still running
    });
  }

  #begin(): void {
    let isRunning = true;
    this.#stop = () => void (isRunning = false);
    const stop = this.#source.start(
      {
        next: (value) => void (isRunning && this.#emit(value)),
        error: (reason) => void (isRunning && this.#finish((to) => to.error?.(reason))),
        complete: () => void (isRunning && this.#finish((to) => to.complete?.(), true)),
      },
      this.latest?.value,
    );
    if (!isRunning) return stop();
    this.#stop = () => {
      isRunning = false;
      stop();
    };
  }

  #emit(value: T): void {
    const latest = (this.latest = { value });
    for (const listener of [...this.#listeners]) {
      if (this.latest !== latest) return; // a listener made a newer one or the end, and all have heard of that
      isolated(() => listener.to.next?.(value));
    }
  }

  #halt(): void {
    const stop = this.#stop;
    if (!stop) return;
    this.#stop = undefined;
    stop();
    const rest = this.latest && this.#source.rest?.(this.latest.value);
    this.latest = rest === undefined ? undefined : { value: rest };
  }

  #finish(end: (to: Partial<Observer<T>>) => void, isComplete: boolean = false): void {
    const listeners = [...this.#listeners];
    const last = this.latest?.value;
    this.#listeners.clear();
    this.#halt();
    this.#isOver = isComplete && last !== undefined && this.latest?.value === last;
    for (const { to } of listeners) isolated(() => end(to));
  }
}

const nothing = () => undefined;

function unsubscribeBy(stop: () => void): Unsubscribe {
  const { dispose } = Symbol as { readonly dispose?: symbol };
  return Object.assign(stop, { unsubscribe: stop, ...(dispose && { [dispose]: stop }) });
}

/** Iterates over what is true now: a slow reader gets the latest value, not a backlog. */
function iterate<T>(watch: Watch<T>): AsyncIterableIterator<T, undefined> {
  let latest: { readonly value: T } | undefined;
  let end: (() => undefined) | undefined; // throws where the watch failed
  let wake: () => void = nothing;

  function update(news: typeof latest, how?: typeof end): void {
    latest = news;
    end = how;
    wake();
  }

  async function* values(): AsyncGenerator<T, undefined> {
    const stop = watch.subscribe({
      next: (value) => update({ value }),
      error: (reason) => update(latest, () => raise(reason)),
      complete: () => update(latest, nothing),
    });
    try {
      for (;;) {
        const news = latest;
        latest = undefined;
        if (news) yield news.value;
        else if (end) return end();
        else await new Promise<void>((resolve) => void (wake = resolve));
      }
    } finally {
      stop();
    }
  }

  const iterator = values();
  const leave = iterator.return.bind(iterator, undefined);
  const leaveNow = () => {
    update(undefined, nothing); // or the generator would wait for a value first
    return leave();
  };
  return Object.assign(iterator, { return: leaveNow });
}

function raise(reason: unknown): never {
  throw reason;
}
