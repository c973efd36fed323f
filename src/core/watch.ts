import { isPaystateError, type PaystateError } from './errors/index.ts';
import { countWait, type Clock, systemClock } from './time.ts';

/**
 * Ends a subscription. Calling it twice does no harm. It has `[Symbol.dispose]` too, for `using`,
 * where the platform has that symbol.
 */
export interface Unsubscribe {
  (): void;
  /** The same as the call. */
  unsubscribe(): void;
}

/** The functions of a subscriber, which a watch calls. */
export interface Observer<T> {
  /** Called with each value. */
  next(value: T): void;
  /** Called once when the watch ends with an error. */
  error(reason: unknown): void;
  /** Called once when the watch ends. */
  complete(): void;
}

/** Options of a subscription. */
export interface SubscribeOptions {
  /**
   * Unsubscribes when it aborts, without a further call. Where it has aborted already, nothing is
   * called at all.
   */
  readonly signal?: AbortSignal | undefined;
}

/** The condition of a watch; times in milliseconds since 1970. */
export interface WatchStatus {
  /** The time at which the value was read. */
  readonly readAt?: number | undefined;
  /** The time at which it is going to be read next. */
  readonly nextReadAt?: number | undefined;
  /** The reason of the latest read. */
  readonly trigger?: string | undefined;
  /** The watch has missed no change since this time. */
  readonly noGapSince?: number | undefined;
  /** `invalidate` was called while reading was not possible. */
  readonly invalidatedAt?: number | undefined;
  /** The service refuses requests until this time. */
  readonly blockedUntil?: number | undefined;
  /**
   * Milliseconds for which a value is `live` from the start of the read that brought it. Absent
   * where reads are too far apart for that, so that the value is `stale` throughout.
   */
  readonly liveFor?: number | undefined;
  /** The reason for this status, in words. */
  readonly reason: string;
}

/** Keeps a value true while there are listeners. Nothing starts before `subscribe`. */
export interface Watch<T> extends AsyncIterable<T> {
  /**
   * Returns what is true now: the same object until that changes. Without listeners nothing is
   * live.
   */
  current(): T;
  /**
   * Calls at once with the current value, then at each change. The first listener starts the work
   * and the last one ends it; after an error, the next listener starts it again. What a listener
   * throws is reported as uncaught and does not affect other listeners. An error that ends the
   * watch is reported as uncaught, once, where no listener takes errors.
   *
   * @param to a function that takes the values, or an observer as RxJS and browsers have it
   * @param options a `signal` that unsubscribes, as an alternative to calling what is returned
   */
  subscribe(
    to: ((value: T) => void) | Partial<Observer<T>>,
    options?: SubscribeOptions,
  ): Unsubscribe;
  /** The same without options, so that a watch is a store of Svelte by its type. */
  subscribe(to: ((value: T) => void) | Partial<Observer<T>>): Unsubscribe;
  /**
   * Reads again after a failed read or after the watch ended with an error. Listeners that have not
   * unsubscribed are called again, including those that received the error. Otherwise, and without
   * listeners, it does nothing.
   */
  retry(): void;
  /**
   * Reads now, by a request that is sent after this call, and resolves to what is known then. Calls
   * within one base period share a request. Never rejects for a read that fails: the value says
   * why. Where nothing can be asked (the service refuses requests for a while, the page is offline,
   * the watch has ended) and for a watch that reads nothing, it resolves to the current value.
   * Without listeners it subscribes until then.
   */
  refresh(): Promise<T>;
  /** Says what the watch is doing, for diagnosis. */
  status(): WatchStatus;
  /** Lets RxJS `from(watch)` and other libraries subscribe. */
  '@@observable'(): this;
  /** The clock by which `firstValue` and others wait for this watch. */
  readonly [watchClock]?: Clock;
}

/** Hooks and refs add these functions to the value of a watch; they stay the same for one watch. */
export interface WatchActions<T> {
  /** Reads again at once after a failed read, also where the watch has ended with an error. */
  readonly retry: () => void;
  /** Reads now and resolves to what is known then. Never rejects: the value has the error. */
  readonly refresh: () => Promise<T>;
}

/** The symbol under which a watch has its clock; all copies of this package in a page share it. */
export const watchClock: unique symbol = /* @__PURE__ */ Symbol.for('paystate.watchClock');

/** A watch is made of this: the work while it has listeners, and the value without them. */
export interface WatchSource<T> {
  /** Begins the work and emits at once. `kept` is the value that was shown without listeners. */
  start(to: Observer<T>, kept: T): Work;
  status(): WatchStatus;
  /**
   * Returns the value to show without listeners, from the last value. Where it returns the last
   * value of a completed watch unchanged, the watch stays complete: later subscribers get that
   * value and the end.
   */
  idle(last: T | undefined): T;
  /** Returns the current value as a subscriber hears it that comes later than others. */
  toLate?(current: T): T;
  /** Resolves when a `refresh()` without a listener may begin: several may have to share a read. */
  untilRefresh?(): Promise<void> | undefined;
  readonly clock: Clock;
}

/** Work that goes on until it is stopped. */
export interface Work {
  stop(): void;
  /** Reads again what could not be read. */
  retry?(): void;
  /** Reads now; resolves when that read has ended, or at once where nothing can be asked. */
  refresh?(): Promise<void>;
  /**
   * Calls `tell` once, when the next read has ended, in place of an earlier `tell`. Returns whether
   * it will.
   */
  afterRead?(tell: (isEmitted: boolean) => void): boolean;
}

/** Receives what a source emits until its work is stopped. */
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

/** One subscription. */
interface Place<T> {
  /** An empty object after it has unsubscribed. */
  to: Listener<T>;
  /** It must be called when the next read has ended, also where that has emitted nothing. */
  awaitsRead: boolean;
  /** Removes the listener of the subscriber's signal, which may outlive the watch. */
  release?: () => void;
}

/**
 * Makes a `Watch` from a source. Its listeners share the work, and each gets the last value first.
 * `more` holds further members of the watch.
 */
export function makeWatch<T, More extends object = {}>(
  source: WatchSource<T>,
  more?: More,
): Watch<T> & More {
  const watch = new SharedWatch(source);
  // Descriptors let a run replace a member of every watch, such as `retry`.
  Object.defineProperties(watch, Object.getOwnPropertyDescriptors(more ?? {}));
  return finish(watch) as Watch<T> as Watch<T> & More;
}

/**
 * Adds to a watch what libraries expect of it, and to its class the name of its clock: bundlers
 * keep a class with a computed name, also where nothing uses it.
 */
export function finish<W extends Watch<unknown> & { readonly clock: Clock }>(watch: W): W {
  const get = function (this: W): Clock {
    return this.clock;
  };
  if (!(watchClock in watch))
    Object.defineProperty(Object.getPrototypeOf(watch), watchClock, { get });
  const { observable } = Symbol as { readonly observable?: symbol };
  // where a polyfill defines `Symbol.observable`, libraries expect that name
  if (observable) Object.assign(watch, { [observable]: () => watch });
  // libraries with proxies, such as Vue, leave objects alone that cannot be extended
  return Object.preventExtensions(watch);
}

/**
 * A page may have thousands of watches, so each holds little: its functions that
 * libraries compare are bound on first use, the others each time.
 */
class SharedWatch<T> implements Watch<T> {
  readonly #source: WatchSource<T>;
  /** The last value, and a counter that rises with each value. */
  #value: T | undefined = undefined;
  #round: number = 0;
  #places: Few<Place<T>> = undefined;
  /** Listeners that received an error and have not unsubscribed. */
  #ended: Few<Place<T>> = undefined;
  #run: Run<T> | undefined = undefined;
  /** The watch is complete, and its last value stays true. */
  #isOver: boolean = false;
  #current: Watch<T>['current'] | undefined = undefined;
  #subscribe: Watch<T>['subscribe'] | undefined = undefined;

  constructor(source: WatchSource<T>) {
    this.#source = source;
  }

  /** Takes in what a run has emitted; one that was stopped says nothing. */
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
    // the first read that ends after a subscription emits to it, also where nothing has changed
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
    // a listener that subscribes in the same task finds the work still running
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
      // a listener caused a newer value or the end, which all have received
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

/** Adds its other names to a function, by a prototype: properties of each one would take memory. */
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

/** Iterates over the current values: a slow reader gets the latest one and no backlog. */
export function iterate<T>(watch: Watch<T>): AsyncIterableIterator<T> {
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
  // an assignment fails where prototypes are frozen, as under SES
  return Object.defineProperty(iterator, 'return', { value: leaveNow });
}

/**
 * Calls a listener of the user. What it throws is reported as uncaught and does not affect other
 * listeners.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportUncaught(error);
  }
}

/**
 * Reports an error as uncaught; throws it in a separate task where the platform has no
 * `reportError`.
 */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
  else
    systemClock.after(0, () => {
      throw error;
    });
}

/**
 * A set that mostly has no member or one, without a `Set` until there are two: a `Set` takes 150 to
 * 230 bytes, a watch has three of these, and there may be thousands of watches.
 */
export type Few<T extends object> = T | Set<T> | undefined;

/** Adds a member. */
export function plus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!few) return one;
  return few instanceof Set ? few.add(one) : new Set([few, one]);
}

/** Removes a member; returns `undefined` where none is left. */
export function minus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!(few instanceof Set)) return few === one ? undefined : few;
  few.delete(one);
  return few.size > 0 ? few : undefined;
}

/** Returns a copy of the members. */
export function each<T extends object>(few: Few<T>): readonly T[] {
  if (!few) return [];
  return few instanceof Set ? [...few] : [few];
}

/**
 * Tells whether two values are plain data with the same content. A member that is `undefined`
 * counts as absent.
 */
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
 * Copies plain data and freezes the copy: what several observers get must not change under them,
 * whatever one of them or the caller does with it. What is frozen with all its members stays the
 * same object. An error stays the same, too, and what it says cannot be changed any more.
 */
export function frozenCopy<T>(value: T): T {
  if (isPaystateError(value)) protect(value);
  if (isFixed(value)) return value;
  const copy = Object.fromEntries(
    Object.entries(value as Loose).map(([name, member]) => [name, frozenCopy(member)]),
  );
  return Object.freeze(Array.isArray(value) ? Object.assign([], copy) : copy) as T;
}

/** Tells whether nobody can change a value, as far as it is plain data. */
function isFixed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const kind: object | null = Object.getPrototypeOf(value);
  const isPlain = Array.isArray(value) || !kind || !Object.getPrototypeOf(kind);
  return !isPlain || (Object.isFrozen(value) && Object.values(value).every(isFixed));
}

/** Fixes what an error says. It stays extensible: runtimes and frameworks add notes of their own. */
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

/** `useInvoice` returns this while it has no client or no invoice; nothing is requested. */
export interface IdleSnapshot {
  /** Absent: there is nothing to read. */
  readonly value?: undefined;
  /** Absent: there is nothing to read. */
  readonly asOf?: undefined;
  /** Absent: there is nothing to read. */
  readonly checkedAt?: undefined;
  /** Absent: there is nothing to read. */
  readonly error?: undefined;
  /** There is no client or no invoice yet. */
  readonly freshness: 'idle';
}

/** `useCheckout` returns this while it has no client or no invoice; nothing is requested. */
export interface IdleCheckout {
  /** There is no client or no invoice yet. */
  readonly phase: 'idle';
}
