import { badInput, checkOptions, type InputError, UnreachableError } from '../core/errors/index.ts';
import { type Connection, internals, type Slot, slotState } from '../core/http/index.ts';
import { type Clock, onAbort } from '../core/time.ts';
import {
  finish,
  isolated,
  iterate,
  type Listener,
  type Observer,
  toObserver,
  reportUncaught,
  type SubscribeOptions,
  type Unsubscribe,
  unsubscribeBy,
  type Watch,
  type WatchStatus,
} from '../core/watch.ts';
import { requireId } from '../resources/resource.ts';
import {
  emptySnapshot,
  LOADING,
  type Snapshot,
  WATCH_OPTIONS,
  type WatchOptions,
} from './snapshot.ts';

/**
 * The pause after the first failed attempt to load the engine, in milliseconds. Each pause is twice
 * as long as the previous one.
 */
const RETRY_AFTER_MS = 1_000;
/** The longest pause between attempts to load the engine, in milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Error messages from browsers and bundlers for a failed `import()` that may succeed later. Service
 * workers don't allow `import()`, and Firefox caches a failed import until the page is reloaded.
 */
const PASSING = /failed to (fetch|load)|importing a module script failed|chunk|preload|network/i;

function passingError({ message }: Error): UnreachableError {
  return new UnreachableError(`could not load the watch engine: ${message}; trying again`, {
    code: 'UNREACHABLE',
    outcome: 'not-done',
    next: 'retry',
  });
}

/** The watch engine, as used by a client's methods. */
export interface WatchEngine {
  know(type: { readonly name: string }): void;
  /** Creates a watch for the named resource. Returns `undefined` if there's no such resource. */
  watch<T>(
    client: Connection,
    name: string,
    entity: object | string,
    options: WatchOptions,
  ): Watch<Snapshot<T>> | undefined;
  /**
   * Subscribes an observer that has already received `shown`. That snapshot isn't emitted again.
   */
  join<T>(
    watch: Watch<Snapshot<T>>,
    to: Partial<Observer<Snapshot<T>>>,
    options: SubscribeOptions | undefined,
    shown: Snapshot<T>,
  ): Unsubscribe;
}

/** The module with the watch engine, which is loaded with `import()`. */
export interface EngineModule {
  readonly engine: WatchEngine;
}

type LoadEngine = () => Promise<EngineModule>;

interface EnginePlace {
  /**
   * The engine, either loaded on demand or already included because the page imports its functions.
   */
  engine?: WatchEngine;
  /** Replaces the function that loads the engine. Used in tests. */
  readonly load?: LoadEngine;
}

export const ENGINE: Slot<EnginePlace> = { name: 'state.engine', make: () => ({}) };

/**
 * Creates `client.invoices.watch` and the same method for other resources with ids. The method
 * accepts an id, or a resource with its id in the `idMember` property.
 */
export function watchLater<T, Entity extends object | string>(
  load: LoadEngine,
  name: string,
  idMember: string,
): (client: Connection, entity: Entity, options?: WatchOptions) => Watch<Snapshot<T>> {
  return (client, entity, options) => {
    const { [idMember]: id } = Object(entity) as Readonly<Record<string, unknown>>;
    requireId(name, typeof entity === 'string' ? entity : id);
    return lateWatch(client, load, name, entity, options);
  };
}

/**
 * Creates `client.balances.watch` and the same method for other resources that each client has only
 * one of.
 */
export function watchAllLater<T>(
  load: LoadEngine,
  name: string,
): (client: Connection, options?: WatchOptions) => Watch<Snapshot<T>> {
  return (client, options) => lateWatch(client, load, name, 'all', options);
}

function lateWatch<T>(
  client: Connection,
  load: LoadEngine,
  name: string,
  entity: object | string,
  options: WatchOptions = {},
): Watch<Snapshot<T>> {
  checkOptions(options, WATCH_OPTIONS);
  const { clock } = client[internals];
  const place = slotState(client, ENGINE);
  const make = () => place.engine?.watch<T>(client, name, entity, options);
  return finish(new LateWatch<T>(name, place, load, make, clock, options.signal));
}

/** An observer that subscribed before the engine was loaded. */
interface EarlyListener<T> {
  readonly to: Partial<Observer<Snapshot<T>>>;
  readonly options: SubscribeOptions | undefined;
  /** Unsubscribes the observer, either here or from the engine's watch. */
  stop: () => void;
}

/**
 * A watch that starts as `loading` and loads the engine for its first subscriber. It then creates a
 * watch in the engine, moves its subscribers to that watch, and passes on all further calls.
 */
class LateWatch<T> implements Watch<Snapshot<T>> {
  readonly #name: string;
  readonly #place: EnginePlace;
  readonly #load: LoadEngine;
  readonly #make: () => Watch<Snapshot<T>> | undefined;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #early: Set<EarlyListener<T>> = new Set();
  #watch: Watch<Snapshot<T>> | undefined;
  /** The snapshot emitted until the engine is loaded. */
  #shown: Snapshot<T> = LOADING;
  #isLoading: boolean = false;
  /** Ends the pause after a failed attempt to load the engine. */
  #again: AbortController | undefined;

  constructor(
    name: string,
    place: EnginePlace,
    load: LoadEngine,
    make: () => Watch<Snapshot<T>> | undefined,
    clock: Clock,
    signal: AbortSignal | undefined,
  ) {
    this.#name = name;
    this.#place = place;
    this.#load = place.load ?? load;
    this.#make = make;
    this.#clock = clock;
    this.#signal = signal;
  }

  readonly current = (): Snapshot<T> => this.#watchHere()?.current() ?? this.#shown;

  readonly subscribe = (to: Listener<Snapshot<T>>, options?: SubscribeOptions): Unsubscribe =>
    this.#watchHere()?.subscribe(to, options) ?? this.#join(toObserver(to), options);

  readonly retry = (): void => {
    this.#watch?.retry();
    this.#again?.abort();
  };

  readonly refresh = async (): Promise<Snapshot<T>> => {
    try {
      if (!this.#watchHere()) await this.#loadEngine();
    } catch (thrown) {
      return this.#tell(thrown as Error);
    }
    this.#again?.abort();
    return this.#watchHere()!.refresh();
  };

  get clock(): Clock {
    return this.#clock;
  }

  status(): WatchStatus {
    return this.#watchHere()?.status() ?? { reason: 'not loaded' };
  }

  '@@observable'(): this {
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Snapshot<T>> {
    return iterate(this);
  }

  #watchHere(): Watch<Snapshot<T>> | undefined {
    return (this.#watch ??= this.#make());
  }

  #join(to: Partial<Observer<Snapshot<T>>>, options: SubscribeOptions | undefined): Unsubscribe {
    const signal = options?.signal;
    if (signal?.aborted) return unsubscribeBy(() => {});
    const unlisten = onAbort(signal, () => leave());
    const listener: EarlyListener<T> = { to, options, stop: unlisten };
    const leave = () => {
      listener.stop();
      this.#early.delete(listener);
      // there's no subscriber waiting for the engine any more
      if (this.#early.size === 0) this.#again?.abort();
    };
    // a new subscriber starts over after an error
    if (this.#early.size === 0) this.#shown = LOADING;
    this.#early.add(listener);
    isolated(() => to.next?.(this.#shown));
    if (!this.#isLoading) void this.#begin();
    return unsubscribeBy(leave);
  }

  /** Loads the engine. Retries as long as there are subscribers. */
  async #begin(): Promise<void> {
    const unlisten = onAbort(this.#signal, this.retry);
    this.#isLoading = true;
    let pause = RETRY_AFTER_MS;
    while (this.#early.size > 0 && !this.#signal?.aborted && !this.#watchHere())
      try {
        await this.#loadEngine();
      } catch (thrown) {
        const { freshness, error } = this.#tell(thrown as Error);
        if (freshness === 'failed') {
          this.#isLoading = false;
          unlisten();
          return this.#end(error);
        }
        this.#again = new AbortController();
        await this.#clock.wait(pause, this.#again.signal);
        pause = Math.min(2 * pause, MAX_RETRY_AFTER_MS);
      }
    this.#isLoading = false;
    unlisten();
    for (const listener of this.#early) this.#handOver(listener);
    this.#early.clear();
    this.#shown = LOADING;
  }

  async #loadEngine(): Promise<void> {
    this.#place.engine = (await this.#clock.external(this.#load())).engine;
  }

  /** Emits a snapshot with the error to each subscriber, once. Returns that snapshot. */
  #tell(thrown: Error): Snapshot<T> {
    const isPassing = PASSING.test(`${thrown}`);
    if (isPassing && this.#shown.error) return this.#shown;
    const shown = isPassing
      ? emptySnapshot('loading', passingError(thrown))
      : emptySnapshot('failed', this.#lastingError(thrown));
    if (this.#early.size > 0) this.#shown = shown;
    for (const { to } of this.#early) isolated(() => to.next?.(shown));
    return shown;
  }

  #lastingError({ message }: Error): InputError {
    const watch = `watch${this.#name[0]!.toUpperCase()}${this.#name.slice(1)}`;
    return badInput(
      'watch',
      `the watch engine cannot be loaded here: ${message}. Use ${watch}(client, …) from paystate instead`,
    );
  }

  #end(error: unknown): void {
    const listeners = [...this.#early];
    this.#early.clear();
    if (!listeners.some(({ to }) => to.error)) reportUncaught(error);
    for (const { to, stop } of listeners) {
      stop();
      isolated(() => to.error?.(error));
    }
  }

  #handOver(listener: EarlyListener<T>): void {
    const { options, stop, to } = listener;
    stop();
    const watch = this.#watchHere();
    if (!watch) return isolated(() => to.complete?.()); // the watch's signal has aborted
    const leave = this.#place.engine!.join(watch, to, options, this.#shown);
    if (this.#early.has(listener)) listener.stop = leave;
    else leave(); // the observer unsubscribed while it was receiving the current snapshot
  }
}
