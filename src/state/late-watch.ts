import { UnreachableError } from '../core/errors/index.ts';
import { type Connection, internals, type Slot, stateOf } from '../core/http/index.ts';
import { type Clock, onAbort } from '../core/time.ts';
import {
  finish,
  isolated,
  iterate,
  type Listener,
  type Observer,
  observerOf,
  type SubscribeOptions,
  type Unsubscribe,
  unsubscribeBy,
  type Watch,
  type WatchStatus,
} from '../core/watch.ts';
import { requireId } from '../resources/resource.ts';
import { LOADING, type Snapshot, type WatchOptions } from './snapshot.ts';

/** The pause after the first failed load, milliseconds; each further pause is twice as long. */
const RETRY_AFTER_MS = 1_000;
/** The longest of these pauses, milliseconds. */
const MAX_RETRY_AFTER_MS = 60_000;

/** The watch engine, as the members of a client call it. */
export interface WatchEngine {
  watch<T>(
    client: Connection,
    member: string,
    entity: object | string,
    options: WatchOptions,
  ): Watch<Snapshot<T>>;
  /** Subscribes a listener that was shown `shown` before, and does not repeat that snapshot. */
  join<T>(
    watch: Watch<Snapshot<T>>,
    to: Partial<Observer<Snapshot<T>>>,
    options: SubscribeOptions | undefined,
    shown: Snapshot<T>,
  ): Unsubscribe;
}

/** The module that is loaded. */
export interface EngineModule {
  readonly engine: WatchEngine;
}

type LoadEngine = () => Promise<EngineModule>;

interface EnginePlace {
  /** The engine, once it is loaded. */
  engine?: WatchEngine;
  /** Loads it another way, in tests. */
  readonly load?: LoadEngine;
}

const ENGINE: Slot<EnginePlace> = { name: 'state.engine', make: () => ({}) };

/**
 * Makes `client.invoices.watch`, and the same for every resource of which a client has many. It
 * takes the resource, whose member `idMember` is its id, or the id.
 */
export function watchLater<T, Entity extends object | string>(
  load: LoadEngine,
  member: string,
  name: string,
  idMember: string,
): (client: Connection, entity: Entity, options?: WatchOptions) => Watch<Snapshot<T>> {
  return (client, entity, options) => {
    const { [idMember]: id } = Object(entity) as Readonly<Record<string, unknown>>;
    requireId(name, typeof entity === 'string' ? entity : id);
    return lateWatch(client, load, member, entity, options);
  };
}

/** Makes `client.balances.watch`, and the same for every resource of which a client has one. */
export function watchAllLater<T>(
  load: LoadEngine,
  member: string,
): (client: Connection, options?: WatchOptions) => Watch<Snapshot<T>> {
  return (client, options) => lateWatch(client, load, member, 'all', options);
}

function lateWatch<T>(
  client: Connection,
  load: LoadEngine,
  member: string,
  entity: object | string,
  options: WatchOptions = {},
): Watch<Snapshot<T>> {
  const { clock } = client[internals];
  const place = stateOf(client, ENGINE);
  const make = () => place.engine?.watch<T>(client, member, entity, options);
  return finish(new LateWatch<T>(place, load, make, clock, options.signal));
}

/** A listener that subscribed before the engine was there. */
interface EarlyListener<T> {
  readonly to: Partial<Observer<Snapshot<T>>>;
  readonly options: SubscribeOptions | undefined;
  /** Ends its subscription, now or to the watch of the engine. */
  stop: () => void;
}

/**
 * A watch that begins as `loading`, loads the engine for its first listener, and hands its
 * listeners over to a watch of the engine. From then on it passes all calls on to that watch.
 */
class LateWatch<T> implements Watch<Snapshot<T>> {
  readonly #place: EnginePlace;
  readonly #load: LoadEngine;
  readonly #make: () => Watch<Snapshot<T>> | undefined;
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  readonly #early: Set<EarlyListener<T>> = new Set();
  #watch: Watch<Snapshot<T>> | undefined;
  /** The snapshot to show while the engine is not loaded. */
  #shown: Snapshot<T> = LOADING;
  #isLoading: boolean = false;
  /** Ends the pause after a load that failed. */
  #again: AbortController | undefined;

  constructor(
    place: EnginePlace,
    load: LoadEngine,
    make: () => Watch<Snapshot<T>> | undefined,
    clock: Clock,
    signal: AbortSignal | undefined,
  ) {
    this.#place = place;
    this.#load = place.load ?? load;
    this.#make = make;
    this.#clock = clock;
    this.#signal = signal;
  }

  readonly current = (): Snapshot<T> => this.#watchHere()?.current() ?? this.#shown;

  readonly subscribe = (to: Listener<Snapshot<T>>, options?: SubscribeOptions): Unsubscribe =>
    this.#watchHere()?.subscribe(to, options) ?? this.#join(observerOf(to), options);

  readonly retry = (): void => {
    this.#watch?.retry();
    this.#again?.abort();
  };

  readonly refresh = async (): Promise<Snapshot<T>> => {
    try {
      await this.#loadEngine();
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

  [Symbol.asyncIterator](): AsyncIterableIterator<Snapshot<T>, undefined> {
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
      if (this.#early.size === 0) this.#again?.abort(); // no listener waits for it any more
    };
    this.#early.add(listener);
    isolated(() => to.next?.(this.#shown));
    if (!this.#isLoading) void this.#begin();
    return unsubscribeBy(leave);
  }

  /** Loads the engine, and tries again while there are listeners. */
  async #begin(): Promise<void> {
    const unlisten = onAbort(this.#signal, this.retry);
    this.#isLoading = true;
    let pause = RETRY_AFTER_MS;
    while (this.#early.size > 0 && !this.#signal?.aborted && !this.#watchHere())
      try {
        await this.#loadEngine();
      } catch (thrown) {
        this.#tell(thrown as Error);
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
    this.#place.engine ??= (await this.#clock.external(this.#load())).engine;
  }

  /** Tells each listener once why nothing is known; returns the snapshot that says it. */
  #tell({ message }: Error): Snapshot<T> {
    if (this.#shown.error) return this.#shown;
    const error = new UnreachableError(
      `could not load the watch engine: ${message}; trying again`,
      {
        code: 'UNREACHABLE',
        outcome: 'not-done',
        next: 'retry',
      },
    );
    const shown: Snapshot<T> = { freshness: 'loading', error };
    if (this.#early.size > 0) this.#shown = shown;
    for (const { to } of this.#early) isolated(() => to.next?.(shown));
    return shown;
  }

  #handOver(listener: EarlyListener<T>): void {
    const { options, stop, to } = listener;
    stop();
    const { engine } = this.#place;
    if (!engine) return isolated(() => to.complete?.()); // the signal of the watch has aborted
    const leave = engine.join(this.#watchHere()!, to, options, this.#shown);
    if (this.#early.has(listener)) listener.stop = leave;
    else leave(); // it unsubscribed while it was called with the current snapshot
  }
}
