import { isPaystateError, type PaystateError } from './errors/index.ts';
import { countWait, type Clock, systemClock } from './time.ts';

/**
 * Ends a subscription. Calling it more than once has no effect. If the platform supports
 * `Symbol.dispose`, you can also declare it with `using`.
 */
export interface Unsubscribe {
  (): void;
  /** Ends the subscription, like calling the function itself. */
  unsubscribe(): void;
}

/** A subscriber's callbacks. */
export interface Observer<T> {
  /** Called with each value. */
  next(value: T): void;
  /** Called once when the watch ends with an error. */
  error(reason: unknown): void;
  /** Called once when the watch ends without an error. */
  complete(): void;
}

/** Options for a subscription. */
export interface SubscribeOptions {
  /**
   * Ends the subscription when the signal aborts, without another callback. If the signal has
   * already aborted, no callbacks are ever called.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The status of a watch, for diagnostics. Times are in milliseconds since 1970. */
export interface WatchStatus {
  /** When the current value was read. */
  readonly readAt?: number | undefined;
  /** When the value will be read next. */
  readonly nextReadAt?: number | undefined;
  /** What triggered the latest read. */
  readonly trigger?: string | undefined;
  /** The time since which the watch is guaranteed to have seen every change. */
  readonly noGapSince?: number | undefined;
  /** When `invalidate` was called, if the watch couldn't read at the time. */
  readonly invalidatedAt?: number | undefined;
  /** When the service will accept requests again after a rate-limit block. */
  readonly blockedUntil?: number | undefined;
  /**
   * How long a value stays `live`, in milliseconds from the start of its read. Absent if reads are
   * so far apart that values are always `stale`.
   */
  readonly liveFor?: number | undefined;
  /** A sentence that explains the status. */
  readonly reason: string;
}

/** A value that is kept up to date while it has listeners. Nothing starts before `subscribe`. */
export interface Watch<T> extends AsyncIterable<T> {
  /**
   * Returns the current value, which is the same object until the value changes. It only stays live
   * while the watch has listeners.
   */
  current(): T;
  /**
   * Calls back immediately with the current value, then on each change. The first subscriber starts
   * polling, and polling stops when the last one unsubscribes. If the watch has ended with an
   * error, the next subscriber restarts it. If a listener throws, the error is reported as uncaught
   * and doesn't affect other listeners. If the watch ends with an error that no listener handles,
   * that error is reported as uncaught once.
   *
   * @param to a function that receives the values, or an observer as used by RxJS and browsers
   * @param options a `signal` that unsubscribes, instead of calling the returned function
   */
  subscribe(
    to: ((value: T) => void) | Partial<Observer<T>>,
    options?: SubscribeOptions,
  ): Unsubscribe;
  /** Overload without options, which makes a watch assignable to a Svelte store. */
  subscribe(to: ((value: T) => void) | Partial<Observer<T>>): Unsubscribe;
  /**
   * Reads again after a failed read or after the watch ended with an error. All listeners that
   * haven't unsubscribed are called again, including those that received the error. Does nothing if
   * the last read succeeded, or if the watch has no listeners.
   */
  retry(): void;
  /**
   * Reads now and resolves to the resulting value. Calls within one polling interval share a
   * request. If the read fails, the promise still resolves, but to a value that contains the error.
   * If the watch can't read because of a rate-limit block, because the page is offline or because
   * the watch has ended, the promise resolves to the current value. If the watch has no listeners,
   * `refresh` subscribes until the read has finished.
   */
  refresh(): Promise<T>;
  /** Returns the watch's status, for diagnostics. */
  status(): WatchStatus;
  /** Returns the watch itself, so RxJS's `from(watch)` and other libraries can subscribe to it. */
  '@@observable'(): this;
  /** The clock that `firstValue` and similar functions use while they wait for this watch. */
  readonly [watchClock]?: Clock;
}

/**
 * Functions that React hooks and Vue refs add to a watch's value. Their identity is stable as long
 * as the watch stays the same.
 */
export interface WatchActions<T> {
  /** Reads again right away after a failed read or after the watch ended with an error. */
  readonly retry: () => void;
  /**
   * Reads now and resolves to the resulting value. Never rejects, because the value contains the
   * error.
   */
  readonly refresh: () => Promise<T>;
}

/** Key of a watch's clock. All copies of this package in a page share this symbol. */
export const watchClock: unique symbol = /* @__PURE__ */ Symbol.for('paystate.watchClock');

/**
 * Produces the values of a watch. It's started with the first listener and stopped after the last
 * one.
 */
export interface WatchSource<T> {
  /**
   * Starts producing values and emits the first one immediately. `kept` is the value that
   * `current()` returned before the start.
   */
  start(to: Observer<T>, kept: T): Work;
  status(): WatchStatus;
  /**
   * Given the last value, returns the one that `current()` returns while there are no listeners. If
   * it returns the value of a completed watch unchanged, the watch stays complete, and later
   * subscribers get that value and the completion.
   */
  idle(last: T | undefined): T;
  toLate?(current: T): T;
  /**
   * Resolves when a `refresh()` without listeners may start. The delay lets several calls share one
   * read.
   */
  untilRefresh?(): Promise<void> | undefined;
  readonly clock: Clock;
}

export interface Work {
  stop(): void;
  /** Repeats the last read if it failed. */
  retry?(): void;
  /** Reads now. Resolves when the read has ended, or immediately if reading isn't possible. */
  refresh?(): Promise<void>;
  /**
   * Registers `tell` to be called once after the next read, replacing any previously registered
   * callback. Returns whether `tell` will be called.
   */
  afterRead?(tell: (isEmitted: boolean) => void): boolean;
}

class Run<T> implements Observer<T> {
  work: Work | undefined = undefined;
  readonly #watch: SharedWatch<T>;

  constructor(watch: SharedWatch<T>) {
    this.#watch = watch;
  }

  next(value: T): void {
    SharedWatch.next(this.#watch, this, value);
  }

  error(reason: unknown): void {
    SharedWatch.error(this.#watch, this, reason);
  }

  complete(): void {
    SharedWatch.complete(this.#watch, this);
  }
}

export type Listener<T> = ((value: T) => void) | Partial<Observer<T>>;

interface Place<T> {
  /** The subscriber's listener, or an empty object after it has unsubscribed. */
  to: Listener<T>;
  /** Whether the listener must be called after the next read, even if the value hasn't changed. */
  awaitsRead: boolean;
  /** Removes the abort listener from the subscriber's signal, which may outlive the watch. */
  release?: () => void;
}

/**
 * Creates a `Watch` from a source. All listeners share one run of the source, and each first
 * receives the current value.
 */
export function makeWatch<T, More extends object = {}>(
  source: WatchSource<T>,
  more?: More,
): Watch<T> & More {
  const watch = new SharedWatch(source);
  // Copying descriptors lets `more` replace members such as `retry`.
  Object.defineProperties(watch, Object.getOwnPropertyDescriptors(more ?? {}));
  return finish(watch) as Watch<T> as Watch<T> & More;
}

/**
 * Adds the clock and the members that other libraries expect. They aren't declared in the class,
 * because bundlers never drop a class with computed member names.
 */
export function finish<W extends Watch<unknown> & { readonly clock: Clock }>(watch: W): W {
  const get = function (this: W): Clock {
    return this.clock;
  };
  if (!(watchClock in watch))
    Object.defineProperty(Object.getPrototypeOf(watch), watchClock, { get });
  const { observable } = Symbol as { readonly observable?: symbol };
  // Libraries look for this symbol if a polyfill defines it.
  if (observable) Object.assign(watch, { [observable]: () => watch });
  // Vue and other proxy-based libraries don't wrap objects that aren't extensible.
  return Object.preventExtensions(watch);
}

/**
 * Implements `Watch` using little memory, because a page may have thousands of watches. Methods
 * whose identity matters to libraries are bound on first use, and all others on each access.
 */
class SharedWatch<T> implements Watch<T> {
  readonly #source: WatchSource<T>;
  /** The last value. `#round` counts the values so far. */
  #value: T | undefined = undefined;
  #round: number = 0;
  #places: Few<Place<T>> = undefined;
  /** Listeners that received an error and haven't unsubscribed. */
  #ended: Few<Place<T>> = undefined;
  #run: Run<T> | undefined = undefined;
  #isOver: boolean = false;
  #current: Watch<T>['current'] | undefined = undefined;
  #subscribe: Watch<T>['subscribe'] | undefined = undefined;

  constructor(source: WatchSource<T>) {
    this.#source = source;
  }

  /** Emits a value from the current run, and ignores values from a stopped run. */
  static next<T>(watch: SharedWatch<T>, run: Run<T>, value: T): void {
    if (watch.#run === run) watch.#emit(value);
  }

  static error<T>(watch: SharedWatch<T>, run: Run<T>, reason: unknown): void {
    if (watch.#run === run) watch.#fail(reason);
  }

  static complete<T>(watch: SharedWatch<T>, run: Run<T>): void {
    if (watch.#run === run) watch.#finish((to) => to.complete?.(), true);
  }

  get clock(): Clock {
    return this.#source.clock;
  }

  get current(): Watch<T>['current'] {
    return (this.#current ??= this.#now.bind(this));
  }

  get subscribe(): Watch<T>['subscribe'] {
    return (this.#subscribe ??= this.#join.bind(this));
  }

  get retry(): Watch<T>['retry'] {
    return () => this.#beginAgain();
  }

  get refresh(): Watch<T>['refresh'] {
    return () => this.#read();
  }

  get status(): Watch<T>['status'] {
    return () => this.#source.status();
  }

  '@@observable'(): this {
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<T> {
    return iterate(this);
  }

  #now(): T {
    if (!this.#run) this.#rest();
    return this.#value!;
  }

  #join(to: Listener<T>, options?: SubscribeOptions): Unsubscribe {
    const observer = toObserver(to);
    const signal = options?.signal;
    if (signal?.aborted) return unsubscribeBy(() => {});
    if (this.#isOver) {
      isolated(() => observer.next?.(this.#now()));
      isolated(() => signal?.aborted || observer.complete?.());
      return unsubscribeBy(() => {});
    }
    const place: Place<T> = { to, awaitsRead: false };
    const leave = this.#leave.bind(this, place);
    if (signal) {
      signal.addEventListener('abort', leave);
      place.release = () => signal.removeEventListener('abort', leave);
    }
    this.#places = plus(this.#places, place);
    if (!this.#run) this.#begin();
    else isolated(() => observer.next?.(this.#nowForLate()));
    // The new listener is called after the next read, even if the value hasn't changed.
    const tell = (isEmitted: boolean) => this.#tellAwaiting(isEmitted);
    place.awaitsRead = this.#run?.work?.afterRead?.(tell) === true;
    return unsubscribeBy(leave);
  }

  #nowForLate(): T {
    const value = this.#now();
    return this.#source.toLate?.(value) ?? value;
  }

  #tellAwaiting(isEmitted: boolean): void {
    for (const place of each(this.#places)) {
      if (!place.awaitsRead) continue;
      place.awaitsRead = false;
      if (!isEmitted) isolated(() => toObserver(place.to).next?.(this.#nowForLate()));
    }
  }

  async #read(): Promise<T> {
    if (!this.#places && !this.#isOver) await this.#source.untilRefresh?.();
    const leave = this.#places ? nothing : this.#join({ error: nothing });
    try {
      await countWait(this.clock, Promise.resolve(this.#run?.work?.refresh?.()), 'refresh()');
      return this.#now();
    } finally {
      leave();
    }
  }

  #leave(place: Place<T>): void {
    place.release?.();
    place.to = {};
    this.#places = minus(this.#places, place);
    this.#ended = minus(this.#ended, place);
    // Wait until the current task has finished, in case it subscribes again.
    queueMicrotask(() => void (this.#places || this.#halt()));
  }

  #begin(): void {
    const kept = this.#now();
    const run = new Run(this);
    this.#run = run;
    run.work = this.#source.start(run, kept);
    if (this.#run !== run) run.work.stop();
  }

  #beginAgain(): void {
    const ended = each(this.#ended);
    this.#ended = undefined;
    for (const place of ended) this.#places = plus(this.#places, place);
    if (!this.#run) {
      if (this.#places) this.#begin();
      return;
    }
    for (const { to } of ended) isolated(() => toObserver(to).next?.(this.#now()));
    this.#run.work?.retry?.();
  }

  #emit(value: T): void {
    const round = ++this.#round;
    this.#value = value;
    for (const place of each(this.#places)) {
      // A listener caused a newer value to be emitted or the watch to end, and all listeners have
      // already been notified.
      if (this.#round !== round) return;
      isolated(() => toObserver(place.to).next?.(value));
    }
  }

  #halt(): void {
    const run = this.#run;
    if (!run) return;
    this.#run = undefined;
    run.work?.stop();
    this.#rest();
  }

  #rest(): void {
    if (this.#isOver) return;
    const value = this.#source.idle(this.#value);
    if (this.#value === value) return;
    this.#value = value;
    this.#round++;
  }

  #fail(reason: unknown): void {
    if (!each(this.#places).some(({ to }) => toObserver(to).error)) reportUncaught(reason);
    this.#finish((to) => to.error?.(reason));
  }

  #finish(end: (to: Partial<Observer<T>>) => void, isComplete: boolean = false): void {
    const places = each(this.#places);
    const round = this.#round;
    for (const place of places) {
      if (isComplete) place.release?.();
      else this.#ended = plus(this.#ended, place);
    }
    this.#places = undefined;
    this.#halt();
    this.#isOver = isComplete && this.#round === round;
    for (const { to } of places) isolated(() => end(toObserver(to)));
  }
}

export function toObserver<T>(to: Listener<T>): Partial<Observer<T>> {
  return typeof to === 'function' ? { next: to } : to;
}

const nothing = () => undefined;

/** Adds `unsubscribe` and `[Symbol.dispose]` through a shared prototype to save memory. */
export function unsubscribeBy(stop: () => void): Unsubscribe {
  return Object.setPrototypeOf(stop, (unsubscribable ??= prototypeOfUnsubscribe())) as Unsubscribe;
}

let unsubscribable: object | undefined;

function prototypeOfUnsubscribe(): object {
  const { dispose } = Symbol as { readonly dispose?: symbol };
  const itself = {
    get(this: unknown) {
      return this;
    },
  };
  return Object.create(Function.prototype, {
    unsubscribe: itself,
    ...(dispose && { [dispose]: itself }),
  }) as object;
}

/** Iterates over the values of a watch. A slow consumer skips values and gets the latest one. */
export function iterate<T>(watch: Watch<T>): AsyncIterableIterator<T> {
  let latest: { readonly value: T } | undefined;
  let end: (() => undefined) | undefined; // throws the watch's error, if there is one
  let wake: () => void = nothing;

  function update(news: typeof latest, how?: typeof end): void {
    latest = news;
    end = how;
    wake();
  }

  async function* values(): AsyncGenerator<T, undefined> {
    const stop = watch.subscribe({
      next: (value) => update({ value }),
      error: (reason) =>
        update(latest, () => {
          throw reason;
        }),
      complete: () => update(latest, nothing),
    });
    try {
      for (;;) {
        const news = latest;
        latest = undefined;
        if (news) yield news.value;
        else if (end) return end();
        else {
          const news = new Promise<void>((resolve) => void (wake = resolve));
          await countWait(watch[watchClock] ?? systemClock, news, 'the next value of a watch');
        }
      }
    } finally {
      stop();
    }
  }

  const iterator = values();
  const leave = iterator.return.bind(iterator, undefined);
  const leaveNow = () => {
    // Without this, `return` would only take effect after the next value.
    update(undefined, nothing);
    return leave();
  };
  // A plain assignment would fail if prototypes are frozen, as under SES.
  return Object.defineProperty(iterator, 'return', { value: leaveNow });
}

/**
 * Calls a user's listener. If the listener throws, the error is reported as uncaught and other
 * listeners aren't affected.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportUncaught(error);
  }
}

/**
 * Reports an error as uncaught. If the platform has no `reportError`, throws it in a separate task.
 */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
  else
    systemClock.after(0, () => {
      throw error;
    });
}

/**
 * A set that usually has zero or one member. It avoids the 150 to 230 bytes of a `Set`, because
 * there may be thousands of watches with several of these sets.
 */
export type Few<T extends object> = T | Set<T> | undefined;

export function plus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!few) return one;
  return few instanceof Set ? few.add(one) : new Set([few, one]);
}

export function minus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!(few instanceof Set)) return few === one ? undefined : few;
  few.delete(one);
  return few.size > 0 ? few : undefined;
}

export function each<T extends object>(few: Few<T>): readonly T[] {
  if (!few) return [];
  return few instanceof Set ? [...few] : [few];
}

/** Compares plain data by content. A property set to `undefined` counts as absent. */
export function sameContent(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!sameContent((a as Loose)[name], (b as Loose)[name])) return false;
  return true;
}

type Loose = Readonly<Record<string, unknown>>;

/**
 * Returns a deeply frozen copy of plain data, so one observer can't change what the others receive.
 * If the value is already deeply frozen, returns it unchanged. Errors aren't copied either, but
 * their properties become read-only.
 */
export function frozenCopy<T>(value: T): T {
  if (isPaystateError(value)) protect(value);
  if (isFixed(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value as Loose).map(([name, member]) => [name, frozenCopy(member)]),
  );
  return Object.freeze(Array.isArray(value) ? Object.assign([], copy) : copy) as T;
}

/** Checks whether a value is deeply frozen. Anything other than plain data counts as frozen. */
function isFixed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const kind: object | null = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || !kind || !Object.getPrototypeOf(kind);
  return !isPlain || (Object.isFrozen(value) && Object.values(value).every(isFixed));
}

/**
 * Makes an error's properties read-only. The error stays extensible, because runtimes and
 * frameworks add properties of their own.
 */
function protect(error: PaystateError): void {
  if (!Object.getOwnPropertyDescriptor(error, 'code')?.writable) return;
  const { cause, message } = error;
  const facts = { ...error, message, ...(cause && { cause }) };
  for (const [name, fact] of Object.entries(facts))
    Object.defineProperty(error, name, {
      value: frozenCopy(fact),
      writable: false,
      configurable: false,
    });
}

/**
 * The value that `useInvoice` returns while it has no client or no invoice. In that state, it sends
 * no requests.
 */
export interface IdleSnapshot {
  /** Absent, because there is nothing to read. */
  readonly value?: undefined;
  /** Absent, because there is nothing to read. */
  readonly asOf?: undefined;
  /** Absent, because there is nothing to read. */
  readonly checkedAt?: undefined;
  /** Absent, because there is nothing to read. */
  readonly error?: undefined;
  /** Always `idle`, because there's no client or no invoice yet. */
  readonly freshness: 'idle';
}

/**
 * The value that `useCheckout` returns while it has no client or no invoice. In that state, it
 * sends no requests.
 */
export interface IdleCheckout {
  /** Always `idle`, because there's no client or no invoice yet. */
  readonly phase: 'idle';
}
