import { isPaystateError, type PaystateError } from './errors/index.ts';
import { countWait, type Clock, systemClock } from './time.ts';

/**
 * Ends a subscription. You can safely call it twice. Also has `[Symbol.dispose]` for `using`, if
 * the platform has that symbol.
 */
export interface Unsubscribe {
  (): void;
  /** Same as calling the function. */
  unsubscribe(): void;
}

/** Callbacks of a subscriber. */
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
   * Unsubscribes when it aborts, without another callback. If it's already aborted, no callback is
   * called at all.
   */
  readonly signal?: AbortSignal | undefined;
}

/** What a watch is doing. Times are in milliseconds since 1970. */
export interface WatchStatus {
  /** When the value was read. */
  readonly readAt?: number | undefined;
  /** When it will be read next. */
  readonly nextReadAt?: number | undefined;
  /** What triggered the latest read. */
  readonly trigger?: string | undefined;
  /** Since when the watch hasn't missed a change. */
  readonly noGapSince?: number | undefined;
  /** When `invalidate` was called while reading wasn't possible. */
  readonly invalidatedAt?: number | undefined;
  /** When the service stops refusing requests. */
  readonly blockedUntil?: number | undefined;
  /**
   * How long a value is `live` from the start of its read, in milliseconds. Absent if reads are too
   * far apart, so values are always `stale`.
   */
  readonly liveFor?: number | undefined;
  /** Explains this status in words. */
  readonly reason: string;
}

/** A value that is kept up to date while it has listeners. Nothing starts before `subscribe`. */
export interface Watch<T> extends AsyncIterable<T> {
  /**
   * Returns the current value, which is the same object until it changes. Without listeners, the
   * value isn't live.
   */
  current(): T;
  /**
   * Calls back immediately with the current value, then on each change. The first listener starts
   * the work, and the last one ends it. After an error, the next listener restarts it. If a
   * listener throws, the error is reported as uncaught and doesn't affect other listeners. If the
   * watch ends with an error that no listener handles, it's reported as uncaught, once.
   *
   * @param to a function that receives the values, or an observer as in RxJS and browsers
   * @param options a `signal` that unsubscribes, instead of calling the returned function
   */
  subscribe(
    to: ((value: T) => void) | Partial<Observer<T>>,
    options?: SubscribeOptions,
  ): Unsubscribe;
  /** Same, but without options, so a watch has the type of a Svelte store. */
  subscribe(to: ((value: T) => void) | Partial<Observer<T>>): Unsubscribe;
  /**
   * Reads again after a failed read, or after the watch ended with an error. Calls listeners that
   * haven't unsubscribed again, including those that received the error. Otherwise, and without
   * listeners, it does nothing.
   */
  retry(): void;
  /**
   * Sends a new read, and resolves to the value known when it ends. Calls within one base period
   * share a request. A failed read doesn't reject, but the value has its error. If no read is
   * possible (the service refuses requests for a while, the page is offline, the watch has ended),
   * or if the watch doesn't read anything, it resolves to the current value. Without listeners, it
   * subscribes in the meantime.
   */
  refresh(): Promise<T>;
  /** Returns what the watch is doing, for diagnostics. */
  status(): WatchStatus;
  /** Lets RxJS's `from(watch)` and other libraries subscribe. */
  '@@observable'(): this;
  /** The clock that `firstValue` and others use to wait for this watch. */
  readonly [watchClock]?: Clock;
}

/** Functions that hooks and refs add to a watch's value. They stay the same for each watch. */
export interface WatchActions<T> {
  /** Reads again right away after a failed read, or after the watch ended with an error. */
  readonly retry: () => void;
  /**
   * Reads now and resolves to the value known then. Never rejects, because the value has the error.
   */
  readonly refresh: () => Promise<T>;
}

/** Symbol for a watch's clock. All copies of this package in a page share it. */
export const watchClock: unique symbol = /* @__PURE__ */ Symbol.for('paystate.watchClock');

/** Produces the values of a watch. Only works while the watch has listeners. */
export interface WatchSource<T> {
  /** Starts the work and emits immediately. `kept` is the last value shown without listeners. */
  start(to: Observer<T>, kept: T): Work;
  status(): WatchStatus;
  /**
   * Returns the value to show without listeners, given the last value. If it returns the value of a
   * completed watch unchanged, the watch stays complete, and later subscribers get that value and
   * the completion.
   */
  idle(last: T | undefined): T;
  toLate?(current: T): T;
  /**
   * Resolves when a `refresh()` without listeners may start, because several may have to share a
   * read.
   */
  untilRefresh?(): Promise<void> | undefined;
  readonly clock: Clock;
}

export interface Work {
  stop(): void;
  /** Repeats a failed read. */
  retry?(): void;
  /** Reads now. Resolves when that read has ended, or immediately if none is possible. */
  refresh?(): Promise<void>;
  /**
   * Calls `tell` once after the next read, replacing an earlier `tell`. Returns whether it will do
   * so.
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
  /** The subscriber's listener. An empty object once it has unsubscribed. */
  to: Listener<T>;
  /** Whether it must be called after the next read, even if nothing is emitted. */
  awaitsRead: boolean;
  /** Removes the listener on the subscriber's signal, which may outlive the watch. */
  release?: () => void;
}

/**
 * Creates a `Watch` from a source. Its listeners share the work, and each gets the last value
 * first.
 */
export function makeWatch<T, More extends object = {}>(
  source: WatchSource<T>,
  more?: More,
): Watch<T> & More {
  const watch = new SharedWatch(source);
  // Descriptors let a run replace a member of any watch, such as `retry`.
  Object.defineProperties(watch, Object.getOwnPropertyDescriptors(more ?? {}));
  return finish(watch) as Watch<T> as Watch<T> & More;
}

/**
 * Adds the clock and members that libraries expect. Does it here, because bundlers never drop a
 * class with computed member names.
 */
export function finish<W extends Watch<unknown> & { readonly clock: Clock }>(watch: W): W {
  const get = function (this: W): Clock {
    return this.clock;
  };
  if (!(watchClock in watch))
    Object.defineProperty(Object.getPrototypeOf(watch), watchClock, { get });
  const { observable } = Symbol as { readonly observable?: symbol };
  // libraries expect that name if a polyfill defines `Symbol.observable`
  if (observable) Object.assign(watch, { [observable]: () => watch });
  // libraries with proxies, such as Vue, don't wrap objects that aren't extensible
  return Object.preventExtensions(watch);
}

/**
 * A page may have thousands of watches, so each must be small. Functions that libraries compare are
 * bound on first use, others at each access.
 */
class SharedWatch<T> implements Watch<T> {
  readonly #source: WatchSource<T>;
  /** The last value, and a counter that increases with each value. */
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

  /** Emits a value from the current run. Values from a stopped run are ignored. */
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
    // the first read after a subscription calls it, even if nothing has changed
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
    // if a listener subscribes in the same task, the work is still running
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
      // a listener caused a newer value or the end, which everyone has already received
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

/** Adds the function's other names through a prototype, because own properties would use memory. */
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

/** Iterates over the current values. A slow reader only gets the latest one. */
export function iterate<T>(watch: Watch<T>): AsyncIterableIterator<T> {
  let latest: { readonly value: T } | undefined;
  let end: (() => undefined) | undefined; // throws if the watch failed
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
    update(undefined, nothing); // otherwise the generator would wait for a value first
    return leave();
  };
  // assigning fails if prototypes are frozen, as under SES
  return Object.defineProperty(iterator, 'return', { value: leaveNow });
}

/**
 * Calls a user's listener. Its errors are reported as uncaught and don't affect other listeners.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportUncaught(error);
  }
}

/** Reports an error as uncaught. Without `reportError`, throws it in a separate task. */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
  else
    systemClock.after(0, () => {
      throw error;
    });
}

/**
 * A set that mostly has zero or one member. A `Set` takes 150 to 230 bytes, a watch has three of
 * these, and there may be thousands of watches.
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

/** Compares plain data by content. A property that is `undefined` counts as absent. */
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
 * Copies plain data and freezes the copy, so observers can't change it for each other. Returns a
 * deeply frozen value as is. Also returns an error as is, and makes its facts read-only.
 */
export function frozenCopy<T>(value: T): T {
  if (isPaystateError(value)) protect(value);
  if (isFixed(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value as Loose).map(([name, member]) => [name, frozenCopy(member)]),
  );
  return Object.freeze(Array.isArray(value) ? Object.assign([], copy) : copy) as T;
}

/** Checks whether a value is deeply frozen, as far as it's plain data. */
function isFixed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const kind: object | null = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || !kind || !Object.getPrototypeOf(kind);
  return !isPlain || (Object.isFrozen(value) && Object.values(value).every(isFixed));
}

/**
 * Makes an error's facts read-only. The error stays extensible, because runtimes and frameworks add
 * notes.
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

/** What `useInvoice` returns while it has no client or no invoice. Nothing is requested. */
export interface IdleSnapshot {
  /** Absent, because there is nothing to read. */
  readonly value?: undefined;
  /** Absent, because there is nothing to read. */
  readonly asOf?: undefined;
  /** Absent, because there is nothing to read. */
  readonly checkedAt?: undefined;
  /** Absent, because there is nothing to read. */
  readonly error?: undefined;
  /** There is no client or no invoice yet. */
  readonly freshness: 'idle';
}

/** What `useCheckout` returns while it has no client or no invoice. Nothing is requested. */
export interface IdleCheckout {
  /** There is no client or no invoice yet. */
  readonly phase: 'idle';
}
