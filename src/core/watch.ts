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

type End = { readonly done: true } | { readonly done: false; readonly reason: unknown };

/** Makes a `Watch` of a source: shared by its listeners, last value replayed, ended work stays ended. */
export function watchOf<T>(source: WatchSource<T>): Watch<T> {
  const listeners = new Set<Partial<Observer<T>>>();
  let latest: { readonly value: T } | undefined;
  let end: End | undefined;
  let stop: Stop | undefined;

  const tell = (listener: Partial<Observer<T>>, how: End) =>
    how.done ? listener.complete?.() : listener.error?.(how.reason);

  function finish(how: End): void {
    if (end) return;
    end = how;
    const last = [...listeners];
    listeners.clear();
    halt();
    for (const listener of last) tell(listener, how);
  }

  function halt(): void {
    const running = stop;
    stop = undefined;
    running?.();
  }

  function begin(): void {
    if (stop || end) return;
    let stopped = false;
    stop = () => void (stopped = true);
    const started = source.start({
      next(value) {
        if (stopped || end) return;
        latest = { value };
        for (const listener of [...listeners]) listener.next?.(value);
      },
      error: (reason) => void (stopped || finish({ done: false, reason })),
      complete: () => void (stopped || finish({ done: true })),
    });
    if (end) return started();
    stop = () => {
      stopped = true;
      started();
    };
  }

  const watch: Watch<T> = {
    current: () => latest?.value,
    status: () => source.status(),
    '@@observable': () => watch,
    subscribe(to) {
      const listener = typeof to === 'function' ? { next: to } : { ...observerOf(to) };
      if (latest) listener.next?.(latest.value);
      if (end) {
        tell(listener, end);
        return () => {};
      }
      listeners.add(listener);
      begin();
      return () => {
        listeners.delete(listener);
        queueMicrotask(() => void (listeners.size === 0 && halt())); // a quick return finds the work still running
      };
    },
    [Symbol.asyncIterator]: () => iterate(watch),
  };
  return watch;
}

function observerOf<T>(to: Partial<Observer<T>>): Partial<Observer<T>> {
  return {
    next: (value) => to.next?.(value),
    error: (reason) => to.error?.(reason),
    complete: () => to.complete?.(),
  };
}

/** Iterates over what is true now: a slow reader gets the latest value, not a backlog. */
function iterate<T>(watch: Watch<T>): AsyncIterator<T> & AsyncIterable<T> {
  let pending: { readonly value: T } | undefined;
  let end: End | undefined;
  let wake: (() => void) | undefined;
  let stop: Stop | undefined;
  const rouse = () => wake?.();

  function begin(): Stop {
    return watch.subscribe({
      next(value) {
        pending = { value };
        rouse();
      },
      error(reason) {
        end = { done: false, reason };
        rouse();
      },
      complete() {
        end = { done: true };
        rouse();
      },
    });
  }

  return {
    async next(): Promise<IteratorResult<T>> {
      stop ??= begin();
      while (!pending && !end) await new Promise<void>((resolve) => void (wake = resolve));
      if (pending) {
        const { value } = pending;
        pending = undefined;
        return { done: false, value };
      }
      if (end && !end.done) throw end.reason;
      return { done: true, value: undefined };
    },
    async return(): Promise<IteratorResult<T>> {
      end = { done: true };
      stop?.();
      rouse();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
