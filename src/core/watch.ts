import { type Clock, systemClock } from './time.ts';

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
  /**
   * How long a value is `live` after the start of the read that brought it, milliseconds; absent
   * where it cannot be read as often as that, so that it is `stale` throughout.
   */
  readonly liveFor?: number | undefined;
  /** The reason for this status, in words. */
  readonly reason: string;
}

/** What is true now, while there are listeners. Nothing starts before `subscribe`. */
export interface Watch<T> extends AsyncIterable<T> {
  /** What is true now; the same object until that changes. Without listeners nothing is live. */
  current(): T;
  /**
   * Calls at once with what is known, then at each change. The first listener starts the work, the
   * last one ends it; after an error the next one starts it anew. What a listener throws is
   * reported as uncaught and stops no other; so is, once, an error that ends the watch and that no
   * listener takes.
   */
  subscribe(to: ((value: T) => void) | Partial<Observer<T>>): Unsubscribe;
  /**
   * Reads again, where a read has failed or the watch has ended with an error. Then its listeners that
   * have not unsubscribed are called again, also those that heard of the error. Does nothing else, and
   * nothing without listeners.
   */
  retry(): void;
  /** What the watch is doing, for diagnosis. */
  status(): WatchStatus;
  /** Lets RxJS `from(watch)` and other libraries subscribe. */
  '@@observable'(): this;
  /** What measures time for those who wait for this watch. */
  readonly [watchClock]?: Clock;
}

/** What hooks and refs add to what a watch shows. */
export interface Retry {
  /** Reads again at once what could not be read, also after the watch has failed. */
  readonly retry: () => void;
}

/** Where a watch shows its clock; shared by all copies of this package in a page. */
export const watchClock: unique symbol = /* @__PURE__ */ Symbol.for('paystate.watchClock');

/** What a watch is made of. */
export interface WatchSource<T> {
  /**
   * Begins the work and emits at once. `kept`: what was said without listeners.
   */
  start(to: Observer<T>, kept: T): Work;
  status(): WatchStatus;
  /**
   * What is said without listeners, given what was said last. A completed watch whose last value
   * comes back as the very same one stays over: a later subscriber gets it, and the end.
   */
  idle(last: T | undefined): T;
  readonly clock: Clock;
}

/** Work that goes on until it is stopped. */
export interface Work {
  stop(): void;
  /** Reads again what could not be read. */
  retry?(): void;
}

/** What takes what a source says, until its work is stopped. */
interface Run<T> extends Observer<T> {
  work?: Work;
}

type Listener<T> = ((value: T) => void) | Partial<Observer<T>>;

/** One subscription. */
interface Place<T> {
  /** Empty after it has unsubscribed. */
  to: Listener<T>;
}

/**
 * Makes a `Watch` of a source: shared by its listeners, last value replayed. `more`: further
 * members.
 */
export function watchOf<T, More extends object = {}>(
  source: WatchSource<T>,
  more?: More,
): Watch<T> & More {
  const { observable } = Symbol as { readonly observable?: symbol };
  const watch = Object.assign(new SharedWatch(source), { [watchClock]: source.clock });
  // a polyfill may have given libraries another name to look for
  if (observable) Object.assign(watch, { [observable]: () => watch });
  // libraries that put objects behind proxies leave one alone that takes no more members
  // its own methods, such as `retry` of a run, may have the names of those of every watch
  Object.defineProperties(watch, Object.getOwnPropertyDescriptors(more ?? {}));
  return Object.preventExtensions(watch) as Watch<T> as Watch<T> & More;
}

/**
 * There may be thousands: what one holds is little, and what it can do is made when it is asked
 * for.
 */
class SharedWatch<T> implements Watch<T> {
  readonly #source: WatchSource<T>;
  /** What was said last, and how often something was said. */
  #value: T | undefined = undefined;
  #round: number = 0;
  #places: Few<Place<T>> = undefined;
  /** Listeners that heard of an error and have not unsubscribed. */
  #ended: Few<Place<T>> = undefined;
  #run: Run<T> | undefined = undefined;
  /** It is complete, and the last value stays true. */
  #isOver: boolean = false;
  #current: Watch<T>['current'] | undefined = undefined;
  #subscribe: Watch<T>['subscribe'] | undefined = undefined;
  #retry: Watch<T>['retry'] | undefined = undefined;

  constructor(source: WatchSource<T>) {
    this.#source = source;
  }

  get current(): Watch<T>['current'] {
    return (this.#current ??= this.#now.bind(this));
  }

  get subscribe(): Watch<T>['subscribe'] {
    return (this.#subscribe ??= this.#join.bind(this));
  }

  get retry(): Watch<T>['retry'] {
    return (this.#retry ??= this.#beginAgain.bind(this));
  }

  get status(): Watch<T>['status'] {
    return () => this.#source.status();
  }

  '@@observable'(): this {
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<T, undefined> {
    return iterate(this);
  }

  #now(): T {
    if (!this.#run) this.#rest();
    return this.#value!;
  }

  #join(to: Listener<T>): Unsubscribe {
    const observer = observerOf(to);
    if (this.#isOver) {
      isolated(() => observer.next?.(this.#now()));
      isolated(() => observer.complete?.());
      return unsubscribeBy(() => {});
    }
    const place = { to };
    this.#places = plus(this.#places, place);
    if (!this.#run) this.#begin();
    else isolated(() => observer.next?.(this.#now()));
    return unsubscribeBy(this.#leave.bind(this, place));
  }

  #leave(place: Place<T>): void {
    place.to = {};
    this.#places = minus(this.#places, place);
    this.#ended = minus(this.#ended, place);
    // a quick return finds the work still running
    queueMicrotask(() => void (this.#places || this.#halt()));
  }

  #begin(): void {
    const kept = this.#now();
    const whileOn = (act: () => void) => void (this.#run === run && act());
    const run: Run<T> = {
      next: (value) => whileOn(() => this.#emit(value)),
      error: (reason) => whileOn(() => this.#fail(reason)),
      complete: () => whileOn(() => this.#finish((to) => to.complete?.(), true)),
    };
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
    for (const { to } of ended) isolated(() => observerOf(to).next?.(this.#now()));
    this.#run.work?.retry?.();
  }

  #emit(value: T): void {
    const round = ++this.#round;
    this.#value = value;
    for (const place of each(this.#places)) {
      // a listener made a newer one or the end, and all have heard of that
      if (this.#round !== round) return;
      isolated(() => observerOf(place.to).next?.(value));
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
    const value = this.#source.idle(this.#value);
    if (this.#value === value) return;
    this.#value = value;
    this.#round++;
  }

  #fail(reason: unknown): void {
    if (!each(this.#places).some(({ to }) => observerOf(to).error)) reportUncaught(reason);
    this.#finish((to) => to.error?.(reason));
  }

  #finish(end: (to: Partial<Observer<T>>) => void, isComplete: boolean = false): void {
    const places = each(this.#places);
    const round = this.#round;
    if (!isComplete) for (const place of places) this.#ended = plus(this.#ended, place);
    this.#places = undefined;
    this.#halt();
    this.#isOver = isComplete && this.#round === round;
    for (const { to } of places) isolated(() => end(observerOf(to)));
  }
}

function observerOf<T>(to: Listener<T>): Partial<Observer<T>> {
  return typeof to === 'function' ? { next: to } : to;
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

/**
 * Calls a listener of the user: what it throws is reported to the platform and stops no other
 * listener.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    reportUncaught(error);
  }
}

/** Reports an error as uncaught; by a task of its own where the platform has no `reportError`. */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
  else
    systemClock.after(0, () => {
      throw error;
    });
}

/** Some things, mostly one: without a set until there are two. */
export type Few<T extends object> = T | Set<T> | undefined;

/** With one more. */
export function plus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!few) return one;
  return few instanceof Set ? few.add(one) : new Set([few, one]);
}

/** Without this one; `undefined` where none is left. */
export function minus<T extends object>(few: Few<T>, one: T): Few<T> {
  if (!(few instanceof Set)) return few === one ? undefined : few;
  few.delete(one);
  return few.size > 0 ? few : undefined;
}

/** All of them now. */
export function each<T extends object>(few: Few<T>): readonly T[] {
  if (!few) return [];
  return few instanceof Set ? [...few] : [few];
}

/** Plain data with the same content. A member that is `undefined` counts as absent. */
export function sameContent(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const name of names) if (!sameContent((a as Loose)[name], (b as Loose)[name])) return false;
  return true;
}

type Loose = Readonly<Record<string, unknown>>;

/** What `useInvoice` says while it has no client or no invoice: nothing is asked. */
export interface IdleSnapshot {
  /** Absent: there is nothing to read. */
  readonly value?: undefined;
  /** Absent: there is nothing to read. */
  readonly asOf?: undefined;
  /** Absent: there is nothing to read. */
  readonly error?: undefined;
  /** There is no client or no invoice yet. */
  readonly freshness: 'idle';
}

/** What `useCheckout` says while it has no client or no invoice: nothing is asked. */
export interface IdleCheckout {
  /** There is no client or no invoice yet. */
  readonly phase: 'idle';
}
