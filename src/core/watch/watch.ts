import type { Clock } from '../time/index.ts';
import { isolated, reportUncaught } from './isolated.ts';

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
  /** What is true now; the same object until that changes. Without listeners nothing is live. */
  current(): T;
  /**
   * Calls at once with what is known, then at each change. The first listener starts the work, the
   * last one ends it; after an error the next one starts it anew. What a listener throws is reported
   * as uncaught and stops no other; so is, once, an error that ends the watch and that no listener
   * takes.
   */
  subscribe(to: ((value: T) => void) | Partial<Observer<T>>): Unsubscribe;
  /** What the watch is doing, for diagnosis. */
  status(): WatchStatus;
  /** Lets RxJS `from(watch)` and other libraries subscribe. */
  '@@observable'(): this;
  /** What measures time for those who wait for this watch. */
  readonly [watchClock]?: Clock;
}

/** Where a watch shows its clock; shared by all copies of this package in a page. */
export const watchClock: unique symbol = /* @__PURE__ */ Symbol.for('paystate.watchClock');

interface WatchSource<T> {
  /**
   * Begins the work and emits at once; what it returns ends it. `kept`: what was said without
   * listeners.
   */
  start(to: Observer<T>, kept: T): () => void;
  status(): WatchStatus;
  /**
   * What is said without listeners, given what was said last. A completed watch whose last value
   * comes back as the very same one stays over: a later subscriber gets it, and the end.
   */
  idle(last: T | undefined): T;
  readonly clock: Clock;
}

interface Listener<T> {
  /** Empty after it has unsubscribed. */
  to: Partial<Observer<T>>;
}

/** Makes a `Watch` of a source: shared by its listeners, last value replayed. */
export function watchOf<T>(source: WatchSource<T>): Watch<T> {
  const work = new Work(source);
  const watch: Watch<T> = {
    current: () => work.current(),
    status: () => source.status(),
    '@@observable': () => watch,
    ...nameForObservables(() => watch),
    [watchClock]: source.clock,
    subscribe: (to) => work.subscribe(typeof to === 'function' ? { next: to } : to),
    [Symbol.asyncIterator]: () => iterate(watch),
  };
  return watch;
}

/** A polyfill may have given libraries another name to look for. */
function nameForObservables<T>(self: () => T): object {
  const { observable } = Symbol as { readonly observable?: symbol };
  return observable ? { [observable]: self } : {};
}

class Work<T> {
  #latest: { readonly value: T } | undefined;
  readonly #source: WatchSource<T>;
  readonly #listeners: Set<Listener<T>> = new Set();
  /** It is complete, and the last value stays true. */
  #isOver: boolean = false;
  #stop: (() => void) | undefined;

  constructor(source: WatchSource<T>) {
    this.#source = source;
  }

  current(): T {
    if (!this.#stop) this.#rest();
    return this.#latest!.value;
  }

  subscribe(to: Partial<Observer<T>>): Unsubscribe {
    const listener: Listener<T> = { to };
    if (this.#isOver) {
      isolated(() => to.next?.(this.current()));
      isolated(() => to.complete?.());
      return unsubscribeBy(() => {});
    }
    this.#listeners.add(listener);
    if (!this.#stop) this.#begin();
    else isolated(() => to.next?.(this.current()));
    return unsubscribeBy(() => {
      listener.to = {};
      this.#listeners.delete(listener);
      // a quick return finds the work still running
      queueMicrotask(() => void (this.#listeners.size === 0 && this.#halt()));
    });
  }

  #begin(): void {
    const kept = this.current();
    let isRunning = true;
    this.#stop = () => void (isRunning = false);
    const stop = this.#source.start(
      {
        next: (value) => void (isRunning && this.#emit(value)),
        error: (reason) => void (isRunning && this.#fail(reason)),
        complete: () => void (isRunning && this.#finish((to) => to.complete?.(), true)),
      },
      kept,
    );
    if (!isRunning) return stop();
    this.#stop = () => {
      isRunning = false;
      stop();
    };
  }

  #emit(value: T): void {
    const latest = (this.#latest = { value });
    for (const listener of [...this.#listeners]) {
      // a listener made a newer one or the end, and all have heard of that
      if (this.#latest !== latest) return;
      isolated(() => listener.to.next?.(value));
    }
  }

  #halt(): void {
    const stop = this.#stop;
    if (!stop) return;
    this.#stop = undefined;
    stop();
    this.#rest();
  }

  #rest(): void {
    const last = this.#latest;
    const value = this.#source.idle(last?.value);
    if (!last || last.value !== value) this.#latest = { value };
  }

  #fail(reason: unknown): void {
    if (![...this.#listeners].some(({ to }) => to.error)) reportUncaught(reason);
    this.#finish((to) => to.error?.(reason));
  }

  #finish(end: (to: Partial<Observer<T>>) => void, isComplete: boolean = false): void {
    const listeners = [...this.#listeners];
    const last = this.#latest;
    this.#listeners.clear();
    this.#halt();
    this.#isOver = isComplete && this.#latest === last;
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
